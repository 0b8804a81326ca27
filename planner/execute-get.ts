// SPDX-License-Identifier: Apache-2.0
import { getRows, guardRow, type SqlRow } from '../storage/storage.ts'
import {
  type ExecutionContext,
  type RowCounts,
  type StatementResult,
  scopeOf,
  TurnTaking,
} from './execution-context.ts'
import { keyTuples } from './key-range.ts'
import type { PointGetPlan } from './plan.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'

/**
 * Rows in the order asked, absent ones left out: one round trip for each thousand keys. FOR UPDATE
 * guards every key asked for, also those without a row: that there is none may be what matters.
 */
export async function executeGet(
  plan: PointGetPlan,
  context: ExecutionContext,
  counts: RowCounts,
): Promise<StatementResult> {
  const { table, projection } = plan
  const scope = scopeOf(plan.slots, context)
  const tuples = keyTuples(plan.keys, scope, 'asked')
  const found: SqlRow[] = []
  const turns = new TurnTaking(context.signal)
  for (let first = 0; first < tuples.length; first += PLANNER_LIMITS.multiGetKeysMax) {
    const keys = tuples.slice(first, first + PLANNER_LIMITS.multiGetKeysMax)
    if (plan.forUpdate) for (const key of keys) guardRow(context.transaction, table, key)
    const stored = await getRows(context.transaction, table, keys)
    found.push(...stored.flatMap((row) => (row === null ? [] : [row.row])))
    if (turns.isDue(keys.length)) await turns.pause()
  }
  counts.read += found.length
  const rows = found.map((row) => projection.project({ ...scope, row }))
  return { columns: projection.columns, rows, rowsAffected: 0 }
}
