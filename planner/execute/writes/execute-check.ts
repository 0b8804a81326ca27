// SPDX-License-Identifier: Apache-2.0
import { emptyRow, getRows, guardRow } from '../../../storage/storage.ts'
import type { CheckPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { type ExecutionContext, type StatementResult, scopeOf } from '../rows/execution-context.ts'
import { keyToJson } from './new-row.ts'
import { requireKey } from './one-row.ts'

/**
 * Nothing when the condition is TRUE of the row, which is guarded, so that it still is when the
 * transaction commits; otherwise PlanError check_failed. Inside coalesce the columns of an absent row
 * are NULL; a condition that needs the row does not hold without it.
 */
export async function executeCheck(
  plan: CheckPlan,
  context: ExecutionContext,
): Promise<StatementResult> {
  const { table, condition } = plan
  const scope = scopeOf(plan.slots, context)
  scope.work.beginRow(plan.position)
  const key = requireKey(plan, scope)
  guardRow(context.transaction, table, key)
  const [stored] = await getRows(context.transaction, table, [key], [...condition.columns])
  const row = stored?.row ?? emptyRow(table, key)
  const canHold = stored != null || !condition.needsRow
  if (canHold && condition.evaluate({ ...scope, row }) === true) {
    return { columns: [], rows: [], rowsAffected: 0 }
  }
  const json = keyToJson(table, key)
  const asked = `the row ${JSON.stringify(json)}`
  const message = canHold
    ? `The CHECK does not hold for ${asked} of ${table.name}.`
    : `The CHECK needs ${asked}, and ${table.name} has none.`
  throw new PlanError('check_failed', message, {
    position: condition.position,
    fields: { table: table.name, key: json },
  })
}
