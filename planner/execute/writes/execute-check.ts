// SPDX-License-Identifier: Apache-2.0
import { emptyRow, getRows, guardRow, type StoredRow } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { columnsOf, type Scope } from '../../expressions/compiled-expression.ts'
import type { CheckPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { type Execute, type ExecutionContext, scopeOf } from '../rows/execution-context.ts'
import { mayMeetRule, meetsRule } from '../rows/row-visibility.ts'
import { keyToJson, requireKey } from './new-row.ts'

/** Places of the columns that are read of its row. */
export function columnsOfCheck({ condition, rowRule }: CheckPlan): number[] {
  return [...columnsOf([condition, ...(rowRule === undefined ? [] : [rowRule])])]
}

/** Guards the row, and the place of one that there is not, but none that the rule hides. */
async function visibleRow(
  plan: CheckPlan,
  { transaction }: ExecutionContext,
  { key, scope }: { readonly key: readonly SqlValue[]; readonly scope: Scope },
): Promise<StoredRow | null> {
  const { table } = plan
  if (!mayMeetRule(plan, key, scope)) return null
  const [stored] = await getRows(transaction, table, [key], columnsOfCheck(plan))
  const found = stored ?? null
  if (found !== null && !meetsRule(plan, found.row, scope)) return null
  guardRow(transaction, table, key)
  return found
}

/**
 * Nothing when the condition is TRUE of the row, which is guarded, so that it still is when the
 * transaction commits; otherwise PlanError check_failed. Inside coalesce the columns of an absent row
 * are NULL; a condition that needs the row does not hold without it.
 */
export const executeCheck: Execute<CheckPlan> = async (plan, context) => {
  const { table, condition } = plan
  const scope = scopeOf(plan.slots, context)
  scope.work.beginRow(plan.position)
  const key = requireKey(plan, scope)
  const stored = await visibleRow(plan, context, { key, scope })
  const row = stored?.row ?? emptyRow(table, key)
  const canHold = stored !== null || !condition.needsRow
  if (canHold && condition.evaluate({ ...scope, row }) === true) {
    return { columns: [], rows: [], rowsAffected: 0 }
  }
  const json = keyToJson(table, key)
  const requested = `the row ${JSON.stringify(json)}`
  const message = canHold
    ? `The CHECK does not hold for ${requested} of ${table.name}.`
    : `The CHECK needs ${requested}, and ${table.name} has none.`
  throw new PlanError('check_failed', message, {
    position: condition.position,
    fields: { table: table.name, key: json },
  })
}
