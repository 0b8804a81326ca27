// SPDX-License-Identifier: Apache-2.0
import { changeRows, type SqlRow } from '../../../storage/storage.ts'
import type { DeletePlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import {
  type ExecutionContext,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from '../rows/execution-context.ts'
import { rowLimit } from '../rows/row-limit.ts'
import { walk } from '../rows/walk.ts'

/** Rows that are held to be deleted by one call. */
const ROWS_AT_ONCE = 100

/**
 * Deletes rows along a key, as a SCAN of the same bounds would find them. Without LIMIT it stops
 * with limit_exceeded at `deleteRowsMax` rows: more of them is rarely meant, and then worth saying.
 */
export async function executeDelete(
  plan: DeletePlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  const limit = rowLimit(plan.limit, scope)
  const answer = new AnswerRows(plan.returning, plan.position, context)
  if (limit === 0) return answer.result()
  const turns = new TurnTaking(context)
  const window = Number.isFinite(limit) ? { rowsWanted: limit } : {}
  let rowsAffected = 0
  let found: SqlRow[] = []
  walking: for await (const steps of walk({ plan, scope, context, window })) {
    for (const { row } of steps) {
      if (turns.isDue()) await turns.pause()
      if (row === null) continue
      if (plan.limit === undefined && rowsAffected >= PLANNER_LIMITS.deleteRowsMax) {
        throw tooMany(plan)
      }
      found.push(row)
      answer.add({ ...scope, row })
      rowsAffected += 1
      if (rowsAffected >= limit) break walking
      if (found.length < ROWS_AT_ONCE) continue
      // The walk reads what was there before the statement, so deleting does not disturb it.
      await deleteRows(plan, context, found)
      found = []
    }
  }
  await deleteRows(plan, context, found)
  return answer.result(rowsAffected)
}

async function deleteRows(
  { table }: DeletePlan,
  { transaction }: ExecutionContext,
  found: readonly SqlRow[],
): Promise<void> {
  const changes = found.map((before) => ({ before, after: null }))
  if (changes.length > 0) await changeRows(transaction, table, changes)
}

function tooMany({ position }: DeletePlan): PlanError {
  const max = PLANNER_LIMITS.deleteRowsMax
  return new PlanError('limit_exceeded', `This DELETE would remove more than ${max} rows.`, {
    position,
    hint: 'Add a LIMIT, and repeat the DELETE until it affects no more rows.',
    fields: { limit: 'deleteRowsMax', limitValue: max, actual: max + 1 },
  })
}
