// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../../planner/planner.ts'
import { andThen, type MaybePromise, type Transaction } from '../../../storage/storage.ts'
import {
  type AnswerBudget,
  EMPTY_RESULT,
  type QueryOutcome,
  type TextForm,
} from '../answers/query-answer.ts'
import { bodyInTurns } from '../answers/text-pieces.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import type { InnerScript } from '../prepared/script.ts'
import { commitWritten } from '../transactions/attempt.ts'

/** The outcome with its text, which is made before the commit: what is refused has changed nothing. */
export function withText(
  outcome: QueryOutcome,
  textForm: TextForm,
  { answer, running }: { readonly answer: AnswerBudget; readonly running: RunningRequest },
): MaybePromise<QueryOutcome> {
  const body = bodyInTurns(textForm(outcome, answer), running.turns)
  return andThen(body, (text) => ({ ...outcome, text }))
}

export function commitOutcome(
  outcome: QueryOutcome,
  transaction: Transaction,
  running: RunningRequest,
): MaybePromise<QueryOutcome> {
  const committed = commitWritten(transaction, running)
  if (!(committed instanceof Promise)) return outcome
  return committed.then((commitTimestamp) => ({ ...outcome, commitTimestamp }))
}

/** `results[i]` answers statement i, so a BEGIN and its end have a result too. */
export function aroundRows(
  { begin, end }: Pick<InnerScript, 'begin' | 'end'>,
  results: readonly StatementResult[],
): readonly StatementResult[] {
  const ofBegin = begin === undefined ? [] : [EMPTY_RESULT]
  return [...ofBegin, ...results, ...(end === undefined ? [] : [EMPTY_RESULT])]
}
