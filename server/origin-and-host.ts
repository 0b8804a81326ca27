// SPDX-License-Identifier: Apache-2.0
import { ServerError } from './server-error.ts'

export type OriginRules = {
  /** Origins beside the server's own, as browsers send them: `https://app.example:8080`. */
  readonly allowedOrigins: readonly string[]
  /** Host names beside the loopback ones, without a port. */
  readonly allowedHosts: readonly string[]
  /** Whether only loopback names may be asked for; so when the server listens on loopback. */
  readonly loopbackOnly: boolean
}

/**
 * A web page that the user happens to look at can post `text/plain` to this machine without asking
 * first, and by rebinding its DNS name even read the answer. Browsers name the page's origin and the
 * host they believe to talk to; a request that names a foreign one is refused. Throws
 * `origin_not_allowed`, or `invalid_request` where there is no Host at all.
 */
export function checkOriginAndHost(
  rules: OriginRules,
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
): void {
  const { host, origin } = headers
  if (host === undefined || host === '') {
    throw new ServerError('invalid_request', 'The request has no Host header.')
  }
  const name = hostNameOf(host)
  if (rules.loopbackOnly && !isLoopbackName(name) && !rules.allowedHosts.includes(name)) {
    throw new ServerError(
      'origin_not_allowed',
      `The request is for the host "${name}", which is neither a loopback name nor allowed.`,
      { hint: `start the server with --allow-host ${name} if that is its name` },
    )
  }
  if (origin === undefined || isOwnOrigin(origin, host)) return
  if (rules.allowedOrigins.includes(origin)) return
  throw new ServerError(
    'origin_not_allowed',
    `Pages of the origin "${origin}" may not use this server.`,
    { hint: `start the server with --allow-origin ${origin} if they may` },
  )
}

/** What browsers ask for (CORS) before they hand an answer to a page of an allowed foreign origin. */
export function corsHeaders(rules: OriginRules, origin: string | undefined): CorsHeaders {
  if (origin === undefined || !rules.allowedOrigins.includes(origin)) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Percolite-Min-Timestamp',
    'Access-Control-Expose-Headers':
      'ETag, Idempotent-Replayed, Location, Percolite-Commit-Timestamp, Percolite-Read-Timestamp, ' +
      'Retry-After',
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
