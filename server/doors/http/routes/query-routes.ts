// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import type { Problem } from '../../../errors/error-response.ts'
import { HISTORY_HEADER, namedHistory } from '../../../guard/history/request-history.ts'
import { sendable } from '../../../requests/answers/answer-body.ts'
import { type AnswerFormat, formatOf } from '../../../requests/answers/answer-format.ts'
import { distinctPieces } from '../../../requests/prepared/distinct-pieces.ts'
import {
  meaningless,
  requireIntegersShown,
  requireMeaningOfStream,
} from '../../../requests/prepared/meaningless-options.ts'
import type { QueryRequest } from '../../../requests/prepared/query-request.ts'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import type { ScriptRequest } from '../../../requests/scripts/script-runner.ts'
import { completionsOf } from '../../../requests/statements/completions.ts'
import { WrongGateway } from '../../../requests/transactions/wrong-gateway.ts'
import type { ReadyAnswer } from '../answers/outbox.ts'
import { AboutQuery } from '../answers/query-answers.ts'
import { terminalError } from '../answers/terminal-answers.ts'
import { FORM_TYPE, refuseJsonAsText, refuseLostNewlines } from '../bodies/body.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedWork } from '../listed-work.ts'
import { type CheckedRequest, type Handlers, mediaTypeOf } from '../openapi/binding.ts'

export function queryRoutes({ answers, scans, streams, listener }: RouteDependencies): Handlers {
  const run = async (
    { reply, parameters, body }: CheckedRequest,
    query: QueryRequest,
    format: AnswerFormat = 'json',
  ): Promise<string | Buffer> => {
    const key = parameters['Idempotency-Key']
    const idempotency = { key, about: () => identityOf(format, body) }
    const options = { format, isJoined: true, idempotency }
    return sent(reply, await answers.of(query, reply.raw, options))
  }

  /** The forms for people and pipes; a SCAN comes whole, but in a table. */
  const runAs = async (
    request: CheckedRequest,
    query: QueryRequest,
    format: AnswerFormat,
  ): Promise<unknown> => {
    if (format === 'table') {
      const { reply } = request
      const terminal = { reply, listener: (problem: Problem) => listener(problem, reply.request) }
      return (async () => {
        requireIntegersShown(format, query.integers, 'body')
        return await run(request, query, format)
      })().catch((error) => {
        // It may be handed on, and its answer is a text then.
        if (error instanceof WrongGateway) throw error
        return terminalError(error, query, terminal)
      })
    }
    const { reply, parameters } = request
    requireIntegersShown(format, query.integers, 'body')
    const requireMeaning = () => {
      requireMeaningOfStream(format, query)
      if (parameters['Idempotency-Key'] === undefined) return
      throw meaningless('Idempotency-Key', 'header', 'a stream writes nothing')
    }
    const integers = query.integers ?? 'number'
    const about = new AboutQuery(query)
    if (format !== 'csv') {
      requireMeaning()
      return streams.answer(reply, format, integers, about, (running) =>
        scans.scanOf(query, running),
      )
    }
    // CSV is a stream only of one SCAN.
    const read = async (running: RunningRequest) => {
      if (!(await scans.isOneScan(query, running))) return undefined
      requireMeaning()
      return scans.scanOf(query, running)
    }
    return streams.answer(reply, format, integers, about, read, () => run(request, query, format))
  }

  return {
    query(request) {
      const query = queryOf(request)
      const format = formatOf(request.parameters.format, request.raw.headers.accept)
      return format === 'json' ? run(request, query) : runAs(request, query, format)
    },
    queryInTransaction(request) {
      const transaction = String(request.parameters.transaction)
      return run(request, { ...queryOf(request), transaction })
    },
  }
}

/** What makes it this request and no other. */
function* identityOf(format: AnswerFormat, body: unknown): Generator<string, void, undefined> {
  if (format !== 'json') yield `[${JSON.stringify(format)},`
  yield* distinctPieces(body)
  if (format !== 'json') yield ']'
}

function queryOf({ raw, body, parameters }: CheckedRequest): QueryRequest {
  const query = typeof body === 'string' ? { sql: body } : (body as QueryRequest)
  if (typeof body === 'string') refuseJsonAsText(body)
  if (typeof body === 'string' && mediaTypeOf(raw) === FORM_TYPE) refuseLostNewlines(body)
  const minTimestamp = parameters['Percolite-Min-Timestamp']
  const named = parameters[HISTORY_HEADER]
  if (minTimestamp === undefined && named === undefined) return query
  return {
    ...query,
    ...namedHistory(named, query.history),
    ...(minTimestamp === undefined ? {} : { minTimestamp: Number(minTimestamp) }),
  }
}

function sent(reply: FastifyReply, { status, headers, body }: ReadyAnswer): string | Buffer {
  reply.code(status)
  for (let at = 0; at < headers.length; at += 2) {
    reply.header(headers[at] as string, headers[at + 1])
  }
  return sendable(body)
}

export function completionRoutes({ parser, access, requests, ended }: RouteDependencies): Handlers {
  return {
    async getCompletions({ body, reply }) {
      const { sql, offset = sql.length } = body as { sql: string; offset?: number }
      return listedWork(requests, reply, async (running) => {
        const { turns, signal } = running
        if (!turns.mayBegin) await turns.begin()
        const place = parser.placeIn(sql, Math.min(offset, sql.length))
        // A text alone may have taken a turn.
        if (turns.isDue) await turns.pause()
        signal.throwIfAborted()
        const catalog = await ended.counted(() => access.currentCatalog(running.principal))
        const { items, more } = completionsOf(place, catalog)
        const { from, expected, unfinished, statements } = place
        return { from, items, more, expected, unfinished, statements }
      })
    },
  }
}

export function scriptRoutes({ scripts, describe, requests }: RouteDependencies): Handlers {
  return {
    async runScript({ body, reply }) {
      const request = body as ScriptRequest
      const run = (running: RunningRequest) => scripts.run(request, running)
      const answer = await listedWork(requests, reply, run, () => [request.sql])
      reply.header('content-type', 'application/json; charset=utf-8')
      return `${JSON.stringify(answer)}\n`
    },

    async describeStatement({ body, reply }) {
      const { sql } = body as { readonly sql: string }
      const run = (running: RunningRequest) => describe(sql, running)
      return listedWork(requests, reply, run, () => [sql])
    },
  }
}
