// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../storage/storage.ts'
import type { AnswerWriter } from '../answer-text.ts'
import { FORM_TYPE, refuseJsonAsText, refuseLostNewlines } from '../body.ts'
import { IdempotentRequest, ReplayedAnswer } from '../idempotency.ts'
import { type CheckedRequest, type Handlers, mediaTypeOf } from '../openapi/binding.ts'
import type { QueryRequest } from '../query-request.ts'
import type { RunningRequests } from '../running-request.ts'
import type { StatementRunner } from '../statement-runner.ts'
import { TransactionSession } from '../transaction-session.ts'
import { type TurnQueue, Turns } from '../turns.ts'
import { answerCommitTimestamp, answerReadTimestamp, openedAnswer } from './transaction-answers.ts'

export function queryRoutes(parts: {
  readonly runner: StatementRunner
  readonly writer: AnswerWriter
  readonly clock: Clock
  readonly turnQueue: TurnQueue
  readonly requests: RunningRequests
}): Handlers {
  const { runner, writer, clock, turnQueue, requests } = parts
  const run = async (request: CheckedRequest, transaction?: string): Promise<unknown> => {
    const { reply, parameters, body } = request
    const given = queryOf(request)
    const query = transaction === undefined ? given : { ...given, transaction }
    const running = requests.begin(reply)
    try {
      const idempotent = IdempotentRequest.of(parameters['Idempotency-Key'], body)
      const outcome = await runner.run(query, running, idempotent)
      if (outcome instanceof TransactionSession) return openedAnswer(reply, outcome)
      if (outcome instanceof ReplayedAnswer) return replayedAnswer(reply, outcome)
      answerReadTimestamp(reply, outcome.readTimestamp)
      answerCommitTimestamp(reply, outcome.commitTimestamp)
      const turns = new Turns(turnQueue, clock, running.signal)
      return await writer.answer(outcome, query.integers ?? 'number', turns)
    } finally {
      running.end()
    }
  }
  return {
    query: (request) => run(request),
    queryInTransaction: (request) => run(request, String(request.parameters.transaction)),
  }
}

function queryOf({ raw, body }: CheckedRequest): QueryRequest {
  const query = typeof body === 'string' ? { sql: body } : (body as QueryRequest)
  if (typeof body === 'string') refuseJsonAsText(body)
  if (typeof body === 'string' && mediaTypeOf(raw) === FORM_TYPE) refuseLostNewlines(body)
  return query
}

function replayedAnswer(reply: FastifyReply, replayed: ReplayedAnswer): unknown {
  reply.header('Idempotent-Replayed', 'true')
  answerReadTimestamp(reply, replayed.readTimestamp)
  answerCommitTimestamp(reply, replayed.commitTs)
  return replayed.body
}
