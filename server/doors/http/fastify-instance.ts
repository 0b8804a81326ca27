// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { SERVER_LIMITS } from '../../limits.ts'
import type { TlsCredentials } from '../tls/tls-files.ts'
import { WholeRequest } from './bodies/whole-request.ts'
import { answerClientError, type ProblemSender } from './http-errors.ts'
import type { PipelinedRequests } from './pipelined-requests.ts'
import type { Probes } from './probes.ts'

/** How often Node looks for requests whose head or body has not arrived in time. */
const ARRIVALS_CHECKED_EVERY_MS = 5_000

/** Longer than proxies keep a connection, or they would send a request on one that is being closed. */
const KEEP_ALIVE_MS = 72_000

const SOCKET_PATH = '/v1/socket'

/**
 * Fastify, over TLS where there are credentials, with our bounds, our errors, and JSON that ends in a newline; without
 * routes, and without a log: its lines would repeat our own, and it would make a child of the log for every request.
 */
export function createFastify(
  sendProblem: ProblemSender,
  pipelined: PipelinedRequests,
  probes: Pick<Probes, 'answers'>,
  credentials?: TlsCredentials,
): FastifyInstance {
  const fastify = Fastify({
    logger: false,
    bodyLimit: SERVER_LIMITS.bodyBytesMax,
    return503OnClosing: false,
    routerOptions: { maxParamLength: SERVER_LIMITS.pathParameterCharactersMax },
    serverFactory: (listener) => {
      const inFront: RequestListener = (request, response) => {
        const { url = '' } = request
        if (!url.startsWith('/')) absoluteToPath(request)
        // As both their paths do.
        if (!url.endsWith('z') || !probes.answers(request, response)) listener(request, response)
      }
      return createHttpServer(pipelined.inOrder(inFront), credentials)
    },
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

function createHttpServer(listener: RequestListener, credentials: TlsCredentials | undefined) {
  const options = {
    IncomingMessage: WholeRequest,
    connectionsCheckingInterval: ARRIVALS_CHECKED_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: SERVER_LIMITS.headerBytesMax,
    requestTimeout: SERVER_LIMITS.arrivalMsMax,
    requireHostHeader: false,
    shouldUpgradeCallback: isSocketHandshake,
  }
  if (credentials === undefined) return createServer(options, listener)
  const handshakeTimeout = SERVER_LIMITS.tlsHandshakeMsMax
  const server = createTlsServer({ ...options, ...credentials, handshakeTimeout }, listener)
  // Node would take it for a request that cannot be read, and there is nobody who could read our answer.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_error, socket: Socket) => socket.destroy())
  return server
}

/** Proxies may ask with a whole URL (RFC 9112 3.2.2). One of another host than Host stays as it is, to be refused. */
function absoluteToPath(request: IncomingMessage): void {
  const { url = '', headers } = request
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? []
  if (authority === undefined || authority.toLowerCase() !== headers.host?.toLowerCase()) return
  request.url = rest.startsWith('/') ? rest : `/${rest}`
}

/** Any other request that wants another protocol is answered as if it had not asked for one. */
function isSocketHandshake({ method, url, headers }: IncomingMessage): boolean {
  const path = url?.split('?')[0]
  return method === 'GET' && path === SOCKET_PATH && /\bwebsocket\b/i.test(headers.upgrade ?? '')
}
