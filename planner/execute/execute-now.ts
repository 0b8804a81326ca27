// SPDX-License-Identifier: Apache-2.0
import { getRowsNow, type SnapshotNow } from '../../storage/storage.ts'
import { keyTuples } from '../keys/key-range.ts'
import type { Plan } from '../plan/plan.ts'
import { isPointRead } from './execute-together.ts'
import { AnswerRows } from './rows/answer-rows.ts'
import { type ExecutionContext, type StatementResult, scopeOf } from './rows/execution-context.ts'

/** More rows than this may be too much for one turn. */
const KEYS_AT_ONCE_MAX = 20

/** What a read needs that is answered in its turn. */
export type ContextNow = Pick<
  ExecutionContext,
  'parameters' | 'functions' | 'answerBytes' | 'work'
> & {
  readonly reads: SnapshotNow['reads']
}

/**
 * Runs a point read of few keys in one turn, without a transaction and without a promise. Undefined for
 * other plans, and where the rows have to be waited for. Throws PlanError and StorageError.
 */
export function executeNow(plan: Plan, context: ContextNow): StatementResult | undefined {
  if (!isPointRead(plan)) return undefined
  const scope = scopeOf(plan.slots, context)
  const keys = keyTuples(plan.keys, scope, 'asked')
  if (keys.length > KEYS_AT_ONCE_MAX) return undefined
  const rows = getRowsNow(context.reads, plan.table, keys, plan.reads)
  if (rows === undefined) return undefined
  const answer = new AnswerRows(plan.projection, plan.position, context)
  const { parameters, functions, work, constants } = scope
  for (const stored of rows) {
    if (stored === null) continue
    work.beginRow(plan.position)
    answer.add({ row: stored.row, parameters, functions, work, constants })
  }
  return answer.result()
}
