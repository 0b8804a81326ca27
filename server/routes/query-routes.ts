// SPDX-License-Identifier: Apache-2.0
import { FORM_TYPE, refuseJsonAsText, refuseLostNewlines } from '../body.ts'
import { IdempotentRequest, ReplayedAnswer } from '../idempotency.ts'
import { type CheckedRequest, type Handlers, mediaTypeOf } from '../openapi/binding.ts'
import { answerOf, type QueryOutcome } from '../query-answer.ts'
import type { QueryRequest } from '../query-request.ts'
import { requestSignal } from '../request-signal.ts'
import type { StatementRunner } from '../statement-runner.ts'
import { TransactionSession } from '../transaction-session.ts'
import { answerCommitTimestamp, answerReadTimestamp, openedAnswer } from './transaction-answers.ts'

export function queryRoutes(parts: {
  readonly runner: StatementRunner
  readonly stopping: AbortSignal
}): Handlers {
  const { runner, stopping } = parts
  return {
    async query(request) {
      return answer(
        request,
        await runner.run(
          queryOf(request),
          requestSignal(request.reply, stopping),
          IdempotentRequest.of(request.parameters['Idempotency-Key'], request.body),
        ),
      )
    },
    async queryInTransaction(request) {
      const inside = { ...queryOf(request), transaction: String(request.parameters.transaction) }
      return answer(request, await runner.run(inside, requestSignal(request.reply, stopping)))
    },
  }
}

function queryOf({ raw, body }: CheckedRequest): QueryRequest {
  const query = typeof body === 'string' ? { sql: body } : (body as QueryRequest)
  if (typeof body === 'string') refuseJsonAsText(body)
  if (typeof body === 'string' && mediaTypeOf(raw) === FORM_TYPE) refuseLostNewlines(body)
  return query
}

function answer(
  request: CheckedRequest,
  outcome: QueryOutcome | TransactionSession | ReplayedAnswer,
): unknown {
  if (outcome instanceof TransactionSession) return openedAnswer(request.reply, outcome)
  if (outcome instanceof ReplayedAnswer) {
    request.reply.header('Idempotent-Replayed', 'true')
    answerReadTimestamp(request.reply, outcome.readTimestamp)
    answerCommitTimestamp(request.reply, outcome.commitTs)
    return outcome.body
  }
  answerReadTimestamp(request.reply, outcome.readTimestamp)
  answerCommitTimestamp(request.reply, outcome.commitTimestamp)
  const { integers } = request.body as { readonly integers?: 'number' | 'string' }
  return answerOf(outcome, integers)
}
