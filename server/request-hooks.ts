// SPDX-License-Identifier: Apache-2.0
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { checkOriginAndHost, corsHeaders, type OriginRules } from './origin-and-host.ts'
import { ServerError } from './server-error.ts'

/** Bodies are not unpacked: a few bytes of one could stand for any number of them. */
function requirePlainBody(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new ServerError('unsupported_media_type', 'Bodies are taken without a Content-Encoding.')
}

/** What happens to every request, whatever it asks for. */
export function addRequestHooks(
  fastify: FastifyInstance,
  around: {
    readonly rules: OriginRules
    readonly log: Logger
    readonly isStopping: () => boolean
  },
): void {
  const { rules, log, isStopping } = around
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff')
    checkOriginAndHost(rules, request.headers)
    const cors = corsHeaders(rules, request.headers.origin)
    reply.headers(cors)
    const isPreflight = request.headers['access-control-request-method'] !== undefined
    if (request.method === 'OPTIONS' && isPreflight && 'Vary' in cors) {
      return reply.code(204).send()
    }
    requirePlainBody(request.headers['content-encoding'])
    if (isStopping() && request.url.startsWith('/v1/')) {
      throw new ServerError('overloaded', 'The server is stopping.')
    }
    return undefined
  })
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url } = request
    const facts = { method, path: url.split('?')[0], status: reply.statusCode }
    log.debug({ ...facts, ms: Math.round(reply.elapsedTime) }, 'answered')
  })
}
