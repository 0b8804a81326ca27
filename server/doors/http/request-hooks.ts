// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { MaybePromise } from '../../../storage/storage.ts'
import { withoutTokens } from '../../../storage/tables/access/access.ts'
import { ServerError, shortened } from '../../errors/server-error.ts'
import { COUNTED_BYTES_MIN } from '../../guard/budgets/hold.ts'
import { HISTORY_HEADER } from '../../guard/history/request-history.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { Availability } from '../../operations/replication/availability.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { LargeBodies } from './bodies/large-bodies.ts'
import {
  checkOriginAndHost,
  corsHeaders,
  type OriginRules,
  requireOneHost,
} from './origin-and-host.ts'

const CACHE_CONTROL = 'Cache-Control'
/** The same for all, so it may be kept; what does not say for how long is to be looked at again. */
const PAGES = /^\/(?:docs|openapi\.|llms\.|console\/)/

/**
 * What every answer has, names and values in turn: the id of the store's history; browsers are not to guess what an
 * answer is, to keep it, to show it in pages of others, or to tell others where it was, and, where there is TLS, not to
 * ask without it for a year.
 */
export function headersOfAll(history: string, isTls: boolean): readonly string[] {
  return [
    ...['X-Content-Type-Options', 'nosniff', HISTORY_HEADER, history],
    ...[CACHE_CONTROL, 'no-store', 'Referrer-Policy', 'no-referrer'],
    ...['Cross-Origin-Resource-Policy', 'same-origin'],
    ...(isTls ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
  ]
}

/** Bodies are not unpacked: a few bytes of one could stand for any number of them. */
function requirePlainBody(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new ServerError('unsupported_media_type', 'Bodies are taken without a Content-Encoding.')
}

/** Read as another encoding than it says, a text would change on its way. ASCII is UTF-8. */
function requireUtf8(contentType: string | undefined): void {
  if (contentType?.includes(';') !== true) return
  for (const [, charset = ''] of contentType.matchAll(CHARSET)) {
    if (/^"?(?:utf-?8|us-ascii)"?$/i.test(charset)) continue
    const detail = `Bodies are UTF-8, and the Content-Type says charset ${shortened(charset)}.`
    throw new ServerError('unsupported_media_type', detail, { hint: 'send the text in UTF-8' })
  }
}

const CHARSET = /;\s*charset\s*=\s*("[^"]*"|[^\s;]*)/gi

/** Sets the CORS headers, and sends the answer when the browser asked for nothing else. */
function answersPreflight(
  rules: OriginRules,
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
): boolean {
  const cors = corsHeaders(rules, headers.origin)
  reply.headers(cors)
  const isPreflight = headers['access-control-request-method'] !== undefined
  if (method !== 'OPTIONS' || !isPreflight || !('Vary' in cors)) return false
  reply.code(204).send()
  return true
}

/** A whole URL with the authority of Host is a path by now, see `absoluteToPath`. */
function requirePath(target: string | undefined): void {
  if (target?.startsWith('/')) return
  throw new ServerError(
    'invalid_request',
    'The target of the request is no path, or a URL of another host than Host.',
  )
}

function isOfBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}

/** How long the body is going to be; one that does not say it may become as long as a body can be. */
function bodyBytesOf(headers: IncomingHttpHeaders): number {
  const { bodyBytesMax } = SERVER_LIMITS
  if (headers['transfer-encoding'] !== undefined) return bodyBytesMax
  return Math.min(Number(headers['content-length'] ?? 0), bodyBytesMax)
}

/** What is answered only while the server serves: not what says how it is, or lets a standby follow. */
function isServed(route: string | undefined): boolean {
  return route?.startsWith('/v1/') === true && !route.startsWith('/v1/replication')
}

/** What happens to every request, whatever it asks for. */
export function addRequestHooks(
  fastify: FastifyInstance,
  options: {
    readonly rules: OriginRules
    /** Throws or rejects for who is not let in. */
    readonly admit: (request: FastifyRequest) => MaybePromise<void>
    /** Told of each request that may go on. */
    readonly admitted: (request: FastifyRequest) => void
    readonly log: Logger
    readonly availability: Pick<Availability, 'refusal'>
    readonly requests: RunningRequests
    readonly largeBodies: Pick<LargeBodies, 'expect'>
    /** See `headersOfAll`. */
    readonly headers: readonly string[]
  },
): void {
  const { rules, admit, admitted: letIn, log, availability, requests, largeBodies } = options
  const { headers: ofAll } = options
  // The last one that was allowed: clients name the same host in every request.
  let allowedHost: string | undefined
  // By callback: a promise for each request would cost more than what is done here.
  fastify.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    const { headers } = raw
    const bytes = bodyBytesOf(headers)
    largeBodies.expect(raw, bytes)
    let admitted: MaybePromise<void>
    try {
      const { host, origin } = headers
      requirePath(raw.url)
      if (host === undefined || host !== allowedHost || isOfBrowser(headers)) {
        checkOriginAndHost(rules, {
          route: request.routeOptions.url,
          headers,
          rawHeaders: raw.rawHeaders,
          httpVersion: raw.httpVersion,
        })
        allowedHost = host
      } else {
        requireOneHost(raw.rawHeaders)
      }
      if (origin !== undefined) {
        if (answersPreflight(rules, request, reply)) return
      }
      admitted = admit(request)
      requirePlainBody(headers['content-encoding'])
      requireUtf8(headers['content-type'])
      const { refusal } = availability
      if (refusal !== undefined && isServed(request.routeOptions.url)) throw refusal
      if (bytes >= COUNTED_BYTES_MIN) {
        // It is in memory while it arrives, and what it says until the request has been answered.
        requests.holdReceived(reply.raw, bytes)
      }
    } catch (error) {
      done(error as Error)
      return
    }
    const goOn = () => {
      letIn(request)
      done()
    }
    if (admitted instanceof Promise) admitted.then(goOn, done)
    else goOn()
  })
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isKept = reply.statusCode < 400 && PAGES.test(request.url)
    for (let at = 0; at < ofAll.length; at += 2) {
      const name = ofAll[at] as string
      if (!isKept || name !== CACHE_CONTROL) reply.header(name, ofAll[at + 1])
      else if (!reply.hasHeader(CACHE_CONTROL)) reply.header(CACHE_CONTROL, 'no-cache')
    }
    done(null, payload)
  })
  if (!log.isLevelEnabled('debug')) return
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url } = request
    const facts = { method, path: withoutTokens(url.split('?')[0] ?? ''), status: reply.statusCode }
    log.debug({ ...facts, ms: Math.round(reply.elapsedTime) }, 'answered')
  })
}
