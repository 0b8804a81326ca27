// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { BYTES_AT_ONCE, bytesOfRow, looksAtRow } from '../../keys/path-work.ts'
import type { DeletePlan, SetRowsPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { type ExecutionContext, TurnTaking } from '../rows/execution-context.ts'
import { rowLimit } from '../rows/ranked.ts'
import { walk } from '../rows/walk.ts'

/** Rows that are held to be written by one call. */
const ROWS_AT_ONCE = 100

/**
 * The rows that a SET or a DELETE finds along a key, as a SCAN of the same bounds would, a batch at a time. Without
 * LIMIT there is a row that is one too many: more of them are rarely meant, and then worth saying. The walk reads what
 * was there before the statement, so that what is written of a batch does not disturb it: no row is met again.
 */
export async function* foundRows(
  plan: SetRowsPlan | DeletePlan,
  scope: Scope,
  context: ExecutionContext,
): AsyncGenerator<readonly SqlRow[], void, undefined> {
  const limit = rowLimit(plan.limit, scope)
  if (limit === 0) return
  const turns = new TurnTaking(context)
  const window = Number.isFinite(limit) ? { rowsWanted: limit } : {}
  const { max } = ROW_LIMITS[plan.kind]
  const looks = looksAtRow(plan.table)
  let found: SqlRow[] = []
  let bytes = 0
  let count = 0
  for await (const steps of walk({ plan, scope, context, window })) {
    for (const { row } of steps) {
      if (turns.isDue()) await turns.pause()
      if (row === null) continue
      if (plan.limit === undefined && count >= max) throw tooMany(plan)
      found.push(row)
      bytes += looks * bytesOfRow(row)
      count += 1
      if (count >= limit) return yield found
      if (found.length < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue
      yield found
      found = []
      bytes = 0
    }
  }
  if (found.length > 0) yield found
}

/** A LIMIT alone would change the same rows each time. */
const SET_HINT =
  'Set each row by its key, in batches: percolite query "SCAN id FROM t WHERE …" --all "SET … ON t WHERE id = :id", or forAll of the client. Or add a condition on what is not done yet, and a LIMIT, and repeat the SET until it affects no more rows.'

const ROW_LIMITS = {
  setRows: {
    name: 'setRowsMax',
    max: PLANNER_LIMITS.setRowsMax,
    would: 'SET would change',
    hint: SET_HINT,
  },
  delete: {
    name: 'deleteRowsMax',
    max: PLANNER_LIMITS.deleteRowsMax,
    would: 'DELETE would remove',
    hint: 'Add a LIMIT, and repeat the DELETE until it affects no more rows.',
  },
} as const

function tooMany({ kind, position }: SetRowsPlan | DeletePlan): PlanError {
  const { name, max, would, hint } = ROW_LIMITS[kind]
  return new PlanError('limit_exceeded', `This ${would} more than ${max} rows.`, {
    position,
    hint,
    fields: { limit: name, limitValue: max, actual: max + 1 },
  })
}
