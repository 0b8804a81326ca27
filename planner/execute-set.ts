// SPDX-License-Identifier: Apache-2.0
import {
  type ColumnDefinition,
  columnPosition,
  getRows,
  putRow,
  type SqlRow,
  type SqlValue,
} from '../storage/storage.ts'
import type { Scope } from './compiled-expression.ts'
import {
  type ExecutionContext,
  type RowCounts,
  type StatementResult,
  scopeOf,
} from './execution-context.ts'
import { keyTuples } from './key-range.ts'
import { defaultOf, keyToJson, notNullViolation } from './new-row.ts'
import type { SetPlan } from './plan.ts'
import { PlanError } from './plan-error.ts'

/**
 * Changes one row, or makes it: a SET whose expressions need no row is an upsert of the columns it
 * names, and a new row takes the defaults of the others. Inside coalesce the columns of an absent
 * row are NULL, but for those of its key.
 */
export async function executeSet(
  plan: SetPlan,
  context: ExecutionContext,
  counts: RowCounts,
): Promise<StatementResult> {
  const { table, assignments } = plan
  const scope = scopeOf(plan.slots, context)
  const [key] = keyTuples(plan.keys, scope, 'asked')
  if (key === undefined) throw nullInKey(plan, scope)
  const [stored] = await getRows(context.transaction, table, [key])
  const existing = stored?.row
  if (existing === undefined) requireNoRow(plan, key)
  else counts.read += 1
  const row = [...(existing ?? newRow(plan, key, scope))]
  const before: Scope = { ...scope, row: existing ?? absentRow(plan, key) }
  for (const { column, value } of assignments) {
    const definition = table.columns[column] as ColumnDefinition
    // All expressions see the row as it was before the statement.
    const assigned = value.evaluate(before)
    if (assigned === null && definition.notNull) {
      throw notNullViolation(table, definition, value.position)
    }
    row[column] = assigned
  }
  if (existing === undefined) requireNotNull(plan, row)
  putRow(context.transaction, table, row)
  return { columns: [], rows: [], rowsAffected: 1 }
}

function requireNoRow({ table, assignments }: SetPlan, key: readonly SqlValue[]): void {
  const needing = assignments.find(({ value }) => value.needsRow)
  if (needing === undefined) return
  const shown = JSON.stringify(keyToJson(table, key))
  throw new PlanError(
    'row_not_found',
    `The table ${table.name} has no row ${shown} to compute from.`,
    {
      position: needing.value.position,
      hint: 'Put the column in coalesce(column, …) to say what to take when there is no row.',
      fields: { table: table.name, key: keyToJson(table, key) },
    },
  )
}

function absentRow({ table }: SetPlan, key: readonly SqlValue[]): SqlValue[] {
  const row = new Array<SqlValue>(table.columns.length).fill(null)
  table.primaryKey.forEach(({ columnId }, index) => {
    row[columnPosition(table, columnId)] = key[index] as SqlValue
  })
  return row
}

function newRow(plan: SetPlan, key: readonly SqlValue[], scope: Scope): SqlValue[] {
  const { table } = plan
  const row = absentRow(plan, key)
  const keyIds = new Set(table.primaryKey.map(({ columnId }) => columnId))
  const assigned = new Set(plan.assignments.map(({ column }) => column))
  table.columns.forEach((column, index) => {
    const open = !keyIds.has(column.id) && !assigned.has(index)
    if (open) row[index] = defaultOf(column, scope.functions)
  })
  return row
}

function requireNotNull({ table, position }: SetPlan, row: SqlRow): void {
  table.columns.forEach((column, index) => {
    if (column.notNull && row[index] === null) throw notNullViolation(table, column, position)
  })
}

function nullInKey({ table, keys, position }: SetPlan, scope: Scope): PlanError {
  const index = keys.points.findIndex((conditions) =>
    conditions.some((condition) => condition.values(scope).length === 0),
  )
  const condition = keys.points[index]?.[0]
  const column = table.columns[condition?.column ?? 0] as ColumnDefinition
  return notNullViolation(table, column, condition?.source.position ?? position)
}
