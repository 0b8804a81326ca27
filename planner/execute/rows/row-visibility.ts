// SPDX-License-Identifier: Apache-2.0
import { emptyRow, type SqlRow, type TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { PlannedRule } from '../../plan/row-rule.ts'

type Ruled = { readonly table: TableDefinition; readonly rowRule?: PlannedRule }

/** Whether a row is one of those that the rule lets whoever asks see or write. */
export function meetsRule({ rowRule }: Ruled, row: SqlRow, scope: Scope): boolean {
  return rowRule === undefined || rowRule.keeps({ ...scope, row })
}

/** Whether there may be such a row with this key; where the key alone decides, the store is not asked for others. */
export function mayMeetRule(
  { table, rowRule }: Ruled,
  key: readonly SqlValue[],
  scope: Scope,
): boolean {
  return rowRule?.isByKey !== true || rowRule.keeps({ ...scope, row: emptyRow(table, key) })
}
