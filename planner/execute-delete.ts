// SPDX-License-Identifier: Apache-2.0
import { deleteRow } from '../storage/storage.ts'
import {
  type ExecutionContext,
  type RowCounts,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './execution-context.ts'
import { keyOfRow } from './new-row.ts'
import type { DeletePlan } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'
import { rowLimit } from './row-limit.ts'
import { rowsOf } from './row-source.ts'

/**
 * Deletes rows along a key, as a SCAN of the same bounds would find them. Without LIMIT it stops
 * with limit_exceeded at `deleteRowsMax` rows: more of them is rarely meant, and then worth saying.
 */
export async function executeDelete(
  plan: DeletePlan,
  context: ExecutionContext,
  counts: RowCounts,
): Promise<StatementResult> {
  const { table, filter } = plan
  const scope = scopeOf(plan.slots, context)
  const limit = rowLimit(plan.limit, scope)
  const turns = new TurnTaking(context)
  let rowsAffected = 0
  if (limit === 0) return { columns: [], rows: [], rowsAffected }
  const window = filter === undefined && Number.isFinite(limit) ? { limit } : {}
  for await (const { row } of rowsOf(plan, scope, context, window)) {
    counts.read += 1
    if (turns.isDue()) await turns.pause()
    if (filter !== undefined && filter.condition.evaluate({ ...scope, row }) !== true) continue
    if (plan.limit === undefined && rowsAffected >= PLANNER_LIMITS.deleteRowsMax) {
      throw tooMany(plan)
    }
    deleteRow(context.transaction, table, keyOfRow(table, row))
    rowsAffected += 1
    if (rowsAffected >= limit) break
  }
  return { columns: [], rows: [], rowsAffected }
}

function tooMany({ position }: DeletePlan): PlanError {
  const max = PLANNER_LIMITS.deleteRowsMax
  return new PlanError('limit_exceeded', `This DELETE would remove more than ${max} rows.`, {
    position,
    hint: 'Add a LIMIT, and repeat the DELETE until it affects no more rows.',
    fields: { limit: 'deleteRowsMax', limitValue: max, actual: max + 1 },
  })
}
