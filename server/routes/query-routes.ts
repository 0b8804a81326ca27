// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../storage/storage.ts'
import { type AnswerFormat, FORMAT_TYPES, formatOf } from '../answer-format.ts'
import type { AnswerWriter } from '../answer-text.ts'
import { FORM_TYPE, refuseJsonAsText, refuseLostNewlines } from '../body.ts'
import { IdempotentRequest, ReplayedAnswer } from '../idempotency.ts'
import { type CheckedRequest, type Handlers, mediaTypeOf } from '../openapi/binding.ts'
import type { QueryOutcome } from '../query-answer.ts'
import type { QueryRequest } from '../query-request.ts'
import type { RunningRequests } from '../running-request.ts'
import type { ScanStreams } from '../scan-streams.ts'
import type { StatementRunner } from '../statement-runner.ts'
import type { StreamAnswers } from '../stream-answers.ts'
import { tableText } from '../table-text.ts'
import { csvOfOutcome, terminalError } from '../terminal-answers.ts'
import { TransactionSession } from '../transaction-session.ts'
import { type TurnQueue, Turns } from '../turns.ts'
import { answerCommitTimestamp, answerReadTimestamp, openedAnswer } from './transaction-answers.ts'

export function queryRoutes(parts: {
  readonly runner: StatementRunner
  readonly scans: ScanStreams
  readonly streams: StreamAnswers
  readonly writer: AnswerWriter
  readonly clock: Clock
  readonly turnQueue: TurnQueue
  readonly requests: RunningRequests
}): Handlers {
  const { runner, scans, streams, writer, clock, turnQueue, requests } = parts
  const run = async (
    request: CheckedRequest,
    query: QueryRequest,
    format: AnswerFormat = 'json',
  ): Promise<unknown> => {
    const { reply, parameters, body } = request
    const running = requests.begin(reply)
    try {
      const idempotent = IdempotentRequest.of(parameters['Idempotency-Key'], body)
      const outcome = await runner.run(query, running, { idempotent })
      if (outcome instanceof TransactionSession) return openedAnswer(reply, outcome)
      if (outcome instanceof ReplayedAnswer) return replayedAnswer(reply, outcome)
      answerReadTimestamp(reply, outcome.readTimestamp)
      answerCommitTimestamp(reply, outcome.commitTimestamp)
      if (format !== 'json') return textAnswer(reply, outcome, format)
      const turns = new Turns(turnQueue, clock, running.signal)
      return await writer.answer(outcome, query.integers ?? 'number', turns)
    } finally {
      running.end()
    }
  }

  /** The forms for people and pipes; a SCAN comes whole, but in a table. */
  const runAs = async (
    request: CheckedRequest,
    query: QueryRequest,
    format: AnswerFormat,
  ): Promise<unknown> => {
    if (format === 'table') {
      return run(request, query, format).catch((error) =>
        terminalError(error, query, request.reply),
      )
    }
    const { reply } = request
    if (format === 'csv' && !scans.isOneScan(query)) return run(request, query, format)
    return streams.answer(reply, format, query.integers ?? 'number', (running) =>
      scans.scanOf(query, running),
    )
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

function queryOf({ raw, body, parameters }: CheckedRequest): QueryRequest {
  const query = typeof body === 'string' ? { sql: body } : (body as QueryRequest)
  if (typeof body === 'string') refuseJsonAsText(body)
  if (typeof body === 'string' && mediaTypeOf(raw) === FORM_TYPE) refuseLostNewlines(body)
  const minTimestamp = parameters['Percolite-Min-Timestamp']
  return minTimestamp === undefined ? query : { ...query, minTimestamp: Number(minTimestamp) }
}

function textAnswer(reply: FastifyReply, outcome: QueryOutcome, format: AnswerFormat): string {
  reply.header('content-type', FORMAT_TYPES[format])
  return format === 'csv' ? csvOfOutcome(outcome) : tableText(outcome)
}

function replayedAnswer(reply: FastifyReply, replayed: ReplayedAnswer): unknown {
  reply.header('Idempotent-Replayed', 'true')
  answerReadTimestamp(reply, replayed.readTimestamp)
  answerCommitTimestamp(reply, replayed.commitTs)
  return replayed.body
}
