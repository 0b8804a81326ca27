// SPDX-License-Identifier: Apache-2.0
import type { Assignment, Name, Projection } from '../../../parser/ast.ts'
import {
  type ColumnDefinition,
  columnsForSet,
  identityOf,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { ExpressionCompiler } from '../../expressions/compiled-expression.ts'
import { compileForColumn } from '../../expressions/type-check.ts'
import { PlanError } from '../../plan-error.ts'
import { requireColumn } from '../../unknown-name.ts'
import type { PlannedAssignment, RowProjection } from '../plan.ts'
import { planProjection } from '../projection.ts'

/** Throws PlanError for a column that is unknown, named twice, or in the primary key. */
export function planAssignments(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  assignments: readonly Assignment[],
): readonly PlannedAssignment[] {
  const keyColumns = new Set(table.primaryKey.map((part) => part.columnId))
  const columns = distinctColumns(
    table,
    assignments.map((assignment) => assignment.column),
  )
  requireNoneGenerated(
    table,
    assignments.map(({ column }) => column),
  )
  return assignments.map(({ column: name, value }, index) => {
    const column = columns[index] as number
    const definition = table.columns[column] as ColumnDefinition
    if (keyColumns.has(definition.id)) {
      throw new PlanError(
        'invalid_request',
        `${name.text} is in the primary key and cannot be set.`,
        {
          position: name.position,
          hint: 'A row with another key is another row: DELETE the one and INSERT the other.',
          fields: { table: table.name, column: name.text },
        },
      )
    }
    return { column, value: compileForColumn(compiler, value, definition), source: value }
  })
}

/** Places of the columns of a row that these assignments change: of all that is written together with them. */
export function columnsWritten(
  table: TableDefinition,
  assignments: readonly PlannedAssignment[],
): readonly number[] {
  return columnsForSet(
    table,
    assignments.map(({ column }) => column),
  )
}

export function returningOf(
  compiler: ExpressionCompiler,
  projection: Projection | undefined,
): { readonly returning?: RowProjection } {
  return projection === undefined ? {} : { returning: planProjection(compiler, projection) }
}

/** What a RETURNING reads, in the form that `columnsOf` takes. */
export function readsOf(
  returning: RowProjection | undefined,
): ReadonlyArray<{ readonly columns: ReadonlySet<number> }> {
  return returning === undefined ? [] : [{ columns: returning.reads }]
}

/** The positions of the columns named. Throws PlanError when one is unknown or named twice. */
export function distinctColumns(table: TableDefinition, names: readonly Name[]): readonly number[] {
  const columns = names.map((name) => requireColumn(table, name.text, name.position))
  names.forEach((name, index) => {
    if (columns.indexOf(columns[index] as number) === index) return
    throw new PlanError('invalid_request', `The column ${name.text} is named twice.`, {
      position: name.position,
      fields: { table: table.name, column: name.text },
    })
  })
  return columns
}

/** The identity column, where it is one of these, which are given no value. */
export function numberedAmong(
  table: TableDefinition,
  missing: readonly number[],
): { readonly numbered?: number } {
  const position = identityOf(table)?.position
  return position !== undefined && missing.includes(position) ? { numbered: position } : {}
}

/** Whether nobody else than the store says what the keys of new rows are. */
export function isKeyGenerated(table: TableDefinition): boolean {
  const found = identityOf(table)
  if (found?.identity.isAlways !== true) return false
  return table.primaryKey.some(({ columnId }) => columnId === found.column.id)
}

/** Throws PlanError for a value of a column that is GENERATED ALWAYS. */
export function requireNoneGenerated(table: TableDefinition, named: readonly Name[]): void {
  const found = identityOf(table)
  if (found?.identity.isAlways !== true) return
  const name = named.find(({ text }) => text === found.column.name)
  if (name === undefined) return
  const message = `The column ${name.text} of ${table.name} is GENERATED ALWAYS, and is given no value.`
  throw new PlanError('invalid_request', message, {
    position: name.position,
    hint: 'Leave it out: a new row has the next number. An INSERT … (…) OVERRIDING SYSTEM VALUE VALUES … gives one all the same.',
    fields: { table: table.name, column: name.text },
  })
}
