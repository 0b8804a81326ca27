// SPDX-License-Identifier: Apache-2.0
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  PROBLEM_TYPE,
  type Problem,
  problemOf,
  retryAfterSeconds,
} from '../../errors/error-response.ts'
import { type FaultLog, isOfLeaving } from '../../errors/fault-log.ts'
import { ServerError } from '../../errors/server-error.ts'
import { FORMAT_TYPES } from '../../requests/answers/answer-format.ts'
import { errorText } from '../../requests/answers/error-text.ts'
import { WholeRequest } from './bodies/whole-request.ts'
import type { Operation } from './openapi/document.ts'

/** Every error of a request leaves the server as problem+json; bugs are logged and stay inside. */
export function addErrorHandling(
  fastify: FastifyInstance,
  operations: readonly Operation[],
  sendProblem: ProblemSender,
): void {
  fastify.setErrorHandler(sendProblem)
  fastify.setNotFoundHandler((request, reply) => {
    const path = (request.raw.url ?? '').split('?')[0] ?? ''
    const methods = methodsOf(operations, path)
    if (methods.length === 0) {
      throw new ServerError('not_found', 'There is nothing at this path.', {
        hint: 'GET /openapi.yaml lists every path',
      })
    }
    reply.header('Allow', methods.join(', '))
    throw new ServerError(
      'method_not_allowed',
      `${request.method} is not possible here, only ${methods.join(' and ')}.`,
    )
  })
}

/** Told of each error that becomes an answer. */
export type ProblemListener = (problem: Problem, request: FastifyRequest) => void

export type ProblemSender = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

export function problemSender(faults: FaultLog, listener: ProblemListener): ProblemSender {
  return (error, request, reply) => {
    const problem = withBodyLength(problemOf(error), request)
    // Also where the client did not wait for it.
    listener(problem, request)
    if (isOfLeaving(error) || reply.raw.destroyed) {
      reply.hijack()
      reply.raw.destroy()
      return
    }
    faults.add(error, 'a request failed')
    const waitSeconds = retryAfterSeconds(problem)
    if (waitSeconds !== undefined) reply.header('Retry-After', waitSeconds)
    if (problem.status === 401) reply.header('WWW-Authenticate', challengeOf(request))
    reply.code(problem.status)
    // Fastify would end the connection after any body that it refuses.
    if (isTooMuchLeft(request)) reply.header('connection', 'close')
    else reply.removeHeader('connection')
    if (asksForTable(request)) {
      reply.header('content-type', FORMAT_TYPES.table).send(errorText(problem, undefined))
      return
    }
    reply.header('content-type', PROBLEM_TYPE).send(bodyOf(problem))
  }
}

/** RFC 6750, 3: an error is named only where a token was sent. */
function challengeOf({ headers }: FastifyRequest): string {
  const realm = 'Bearer realm="percolite"'
  return headers.authorization === undefined ? realm : `${realm}, error="invalid_token"`
}

/** Without a socket there is nothing to end. */
function isTooMuchLeft({ raw }: FastifyRequest): boolean {
  return raw instanceof WholeRequest && raw.isTooMuchLeft
}

/** A terminal gets every error as text, also one from before the parameters were looked at. */
function asksForTable({ routeOptions, raw }: FastifyRequest): boolean {
  return routeOptions.config?.operationId === 'query' && TABLE_FORMAT.test(raw.url ?? '')
}

const TABLE_FORMAT = /[?&]format=table(?:&|$)/

/** Fastify does not say how large a body is that is too large; most requests do. */
function withBodyLength(problem: Problem, { headers }: FastifyRequest): Problem {
  const actual = Number(headers['content-length'])
  if (problem.limit !== 'bodyBytesMax' || !Number.isSafeInteger(actual)) return problem
  return { ...problem, actual }
}

function bodyOf(problem: Problem): string {
  return `${JSON.stringify(problem)}\n`
}

function methodsOf(operations: readonly Operation[], path: string): string[] {
  return operations
    .filter((operation) => matches(operation.path, path))
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
}

function matches(template: string, path: string): boolean {
  const given = path.split('/')
  const parts = template.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, index) => part.startsWith('{') || part === given[index])
  )
}

/** What is not even HTTP is answered on the bare socket, which is closed afterwards. */
export function answerClientError(error: Error, socket: Socket): void {
  if (!socket.writable || isOfLeaving(error)) {
    socket.destroy()
    return
  }
  const problem = problemOf(error)
  // Anything that Node reports here is the client's doing, so an unknown code is a bad request.
  const told =
    problem.code === 'internal'
      ? new ServerError('invalid_request', 'The request cannot be read.')
      : error
  answerOnBareSocket(socket, told)
}

/**
 * Answers a connection that has no request, and closes it when that is out, whether or not its
 * client closes it too.
 */
export function answerOnBareSocket(socket: Socket, error: Error): void {
  const problem = problemOf(error)
  const body = bodyOf(problem)
  const waitSeconds = retryAfterSeconds(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(waitSeconds === undefined ? [] : [`Retry-After: ${waitSeconds}`]),
    'Connection: close',
  ]
  // A client that resets the connection meanwhile is not an error of the server.
  socket.on('error', () => undefined)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
