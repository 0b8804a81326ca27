// SPDX-License-Identifier: Apache-2.0
import type { ColumnDefinition, TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { PlannedAssignment } from '../../plan/plan.ts'
import { notNullViolation } from './new-row.ts'

/**
 * The row of the scope with these assignments, all of which see it as it is there. Throws PlanError not_null_violation,
 * with `number` where the statement has several rows, and those of the expressions.
 */
export function assignedRow(
  table: TableDefinition,
  assignments: readonly PlannedAssignment[],
  before: Scope,
  number?: number,
): SqlValue[] {
  const row = [...before.row]
  for (const { column, value } of assignments) {
    const definition = table.columns[column] as ColumnDefinition
    const assigned = value.evaluate(before)
    if (assigned === null && definition.notNull) {
      throw notNullViolation(table, definition, value.position, { number })
    }
    row[column] = assigned
  }
  return row
}
