// SPDX-License-Identifier: Apache-2.0
import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { answerClientError, sendProblem } from './http-errors.ts'
import { SERVER_LIMITS } from './limits.ts'

const REQUEST_TIMEOUT_MS = 60_000

/** Fastify with our bounds, our errors, and JSON that ends in a newline; without routes. */
export function createFastify(log: Logger): FastifyInstance {
  const fastify = Fastify({
    // Its lines about listening and about each request would repeat our own.
    loggerInstance: log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level }),
    bodyLimit: SERVER_LIMITS.bodyBytesMax,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    routerOptions: { maxParamLength: SERVER_LIMITS.pathParameterCharactersMax },
    http: { maxHeaderSize: SERVER_LIMITS.headerBytesMax, requireHostHeader: false },
    clientErrorHandler: answerClientError,
    frameworkErrors: sendProblem,
  })
  // Node would answer an unknown expectation itself, and not as we answer; to ignore it is allowed.
  fastify.server.on('checkExpectation', (request, response) => {
    fastify.server.emit('request', request, response)
  })
  fastify.setReplySerializer((payload) => `${JSON.stringify(payload)}\n`)
  return fastify as unknown as FastifyInstance
}
