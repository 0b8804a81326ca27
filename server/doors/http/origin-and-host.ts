// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ServerError } from '../../errors/server-error.ts'
import { countOfHeader } from '../../guard/access/header-count.ts'

export type OriginRules = {
  /** Origins in addition to the server's own, as browsers send them: `https://app.example:8080`. */
  readonly allowedOrigins: readonly string[]
  /** Host names in addition to the loopback ones, without a port. */
  readonly allowedHosts: readonly string[]
  /** Whether only loopback names may be asked for; so when the server listens on loopback. */
  readonly loopbackOnly: boolean
}

/**
 * A web page that the user happens to look at can post `text/plain` to this machine without asking
 * first, and by rebinding its DNS name even read the answer. Browsers name the page's origin and the
 * host they believe to talk to; a request that names a foreign one is refused. HTTP/1.0, which checks of load balancers
 * speak and no browser does, needs no Host. Throws `origin_not_allowed`, or `invalid_request` where Host is missing.
 */
export function checkOriginAndHost(
  rules: OriginRules,
  { route, headers, rawHeaders, httpVersion }: BrowserRequest,
): void {
  const { host = '', origin } = headers
  requireOneHost(rawHeaders)
  requireOwnHost(rules, host, httpVersion)
  if (origin === undefined) {
    requireOwnSite(route, headers)
    return
  }
  if (isOwnOrigin(origin, host)) return
  if (rules.allowedOrigins.includes(origin)) return
  throw new ServerError(
    'origin_not_allowed',
    `Pages of the origin "${origin}" may not use this server.`,
    { hint: `start the server with --allow-origin ${origin} if they may` },
  )
}

/** As Node has them; a request without a browser has few of these. */
type BrowserRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'httpVersion'> & {
  /** The path of what is going to answer, as it was declared; undefined where nothing is. */
  readonly route: string | undefined
}

function requireOwnHost(rules: OriginRules, host: string, httpVersion: string): void {
  if (host === '') {
    if (httpVersion === '1.0') return
    throw new ServerError('invalid_request', 'The request has no Host header.')
  }
  const name = hostNameOf(host)
  if (!rules.loopbackOnly || isLoopbackName(name) || rules.allowedHosts.includes(name)) return
  throw new ServerError(
    'origin_not_allowed',
    `The request is for the host "${name}", which is neither a loopback name nor allowed.`,
    { hint: `start the server with --allow-host ${name} if that is its name` },
  )
}

/** Of several Host fields a proxy before the server may have believed another one (RFC 9112 3.2). */
export function requireOneHost(rawHeaders: readonly string[]): void {
  if (countOfHeader(rawHeaders, 'host') < 2) return
  throw new ServerError('invalid_request', 'The request has more than one Host header.', {
    parameter: 'Host',
    in: 'header',
  })
}

/**
 * What a page loads as an image or a script, and what it links to, is asked for without an Origin. Browsers say in
 * `Sec-Fetch-Site` whether the page is of another site, or of another origin of the same one, such as another port of
 * this machine; neither gets anything. A link may lead to a page of ours, which is all that lies outside of /v1/; what
 * the path decodes to decides, as `/%761/` is the same.
 * `same-origin` is our own page, `none` what the user has typed, and who is no browser does not say.
 */
function requireOwnSite(route: string | undefined, headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  const isLink =
    headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  if (isLink && route?.startsWith('/v1/') !== true) return
  throw new ServerError(
    'origin_not_allowed',
    `Pages of other origins may not use this server, and the browser says "${site}".`,
    {
      hint: 'start the server with --allow-origin, and let the page use fetch, which names its origin',
    },
  )
}

/** What browsers ask for (CORS) before they hand an answer to a page of an allowed foreign origin. */
export function corsHeaders(rules: OriginRules, origin: string | undefined): CorsHeaders {
  if (origin === undefined || !rules.allowedOrigins.includes(origin)) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, ' +
      'Percolite-Forwarding, Percolite-History, Percolite-Min-Timestamp, Prefer',
    'Access-Control-Expose-Headers':
      'ETag, Idempotent-Replayed, Location, Percolite-Commit-Timestamp, Percolite-Read-Timestamp, ' +
      'Percolite-History, Preference-Applied, Retry-After',
    'Access-Control-Max-Age': '600',
    Vary: 'Origin',
  }
}

export type CorsHeaders = Readonly<Record<string, string>>

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}

function hostNameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}

/** Names that can only mean this machine: `localhost`, 127.0.0.0/8 and `::1`. */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name === '::1' || name === '[::1]') return true
  return /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name)
}
