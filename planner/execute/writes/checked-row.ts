// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import {
  type ColumnDefinition,
  keyOfRow,
  type SqlRow,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import { payForPaths } from '../../keys/path-work.ts'
import type { PlannedAssignment } from '../../plan/plan.ts'
import type { PlannedCheck } from '../../plan/row-check.ts'
import { PlanError } from '../../plan-error.ts'
import { keyToJson, notNullViolation, rowNumber } from './new-row.ts'

declare const isChecked: unique symbol

/** A row that meets the checks of its table: no other is written, which the compiler sees to. */
export type CheckedRow = SqlRow & { readonly [isChecked]: true }

/**
 * The row of the scope, its index entries paid for. Throws PlanError limit_exceeded where they cost too much, and
 * check_failed, with `number` where the statement has several rows.
 */
export function checkedRow(
  plan: {
    readonly table: TableDefinition
    readonly position: Position
    readonly checks: readonly PlannedCheck[]
  },
  scope: Scope,
  { isNew, number }: { readonly isNew: boolean; readonly number?: number | undefined },
): CheckedRow {
  if (plan.table.indexes.length > 0) payForPaths(plan.table, scope.row, scope.work)
  for (const check of plan.checks) {
    if (!isNew && !check.isConcerned) continue
    const failure = failureOf(check, scope)
    if (failure === undefined) continue
    const { table, position } = plan
    const key = keyToJson(table, keyOfRow(table, scope.row))
    const message = `The row ${JSON.stringify(key)} of ${table.name} ${failure}`
    const fields = { table: table.name, constraint: check.name, key, ...rowNumber({ number }) }
    throw new PlanError('check_failed', message, { position, fields })
  }
  return scope.row as CheckedRow
}

/** The rest of a sentence about the row; undefined for one that meets it. */
function failureOf({ name, text, isMet }: PlannedCheck, scope: Scope): string | undefined {
  try {
    return isMet(scope) ? undefined : `fails the constraint ${name}: ${text}`
  } catch (error) {
    const isOfRow = error instanceof PlanError && error.code !== 'limit_exceeded'
    if (!isOfRow) throw error
    return `fails the constraint ${name}, ${text}, which cannot be computed of it: ${error.message}`
  }
}

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
