// SPDX-License-Identifier: Apache-2.0
import type {
  ColumnExpression,
  DeleteStatement,
  Expression,
  GetStatement,
  InsertStatement,
  Name,
  Position,
  Projection,
  SetStatement,
} from '../../../parser/ast.ts'
import { keyColumns, type TableDefinition } from '../../../storage/tables/tables.ts'

// The statements of the operations on rows, made as the parser would make them. Values are
// parameters by number: $1 and on are the components of the key, then the columns.

/** The position of a statement that has no text; no error points at it. */
export const NOWHERE: Position = { line: 0, column: 0, offset: 0 }

const ALL_COLUMNS: Projection = { kind: 'allColumns', position: NOWHERE }

export function nameOf(text: string): Name {
  return { text, position: NOWHERE }
}

/** All columns unless some are named. */
export function projectionOf(columns: readonly string[] | undefined): Projection {
  if (columns === undefined) return ALL_COLUMNS
  const items = columns.map((name) => ({
    kind: 'expression' as const,
    expression: columnNamed(name),
    label: name,
  }))
  return { kind: 'expressions', items }
}

export function getRow(
  table: TableDefinition,
  options: { readonly columns?: readonly string[]; readonly forUpdate?: boolean } = {},
): GetStatement {
  return {
    kind: 'get',
    projection: projectionOf(options.columns),
    table: nameOf(table.name),
    where: byKey(table),
    forUpdate: options.forUpdate ?? false,
    position: NOWHERE,
  }
}

/** Answers the row as it is afterwards, or the columns that are named, or `unmet`. */
export function patchRow(
  table: TableDefinition,
  columns: readonly string[],
  returned?: readonly string[],
): SetStatement {
  const first = table.primaryKey.length + 1
  return {
    kind: 'set',
    assignments: columns.map((column, index) => ({
      column: nameOf(column),
      value: parameter(first + index),
    })),
    table: nameOf(table.name),
    where: byKey(table),
    precondition: { kind: 'exists', position: NOWHERE },
    returning: projectionOf(returned),
    position: NOWHERE,
  }
}

type InsertOptions = Readonly<
  Partial<Record<'onConflictDoNothing' | 'isReturning' | 'overridesGenerated', boolean>>
>

/** Rows of the same columns; their values follow each other, row by row. */
export function insertRows(
  table: TableDefinition,
  columns: readonly string[],
  rowCount: number,
  { onConflictDoNothing = false, isReturning = true, overridesGenerated = false }: InsertOptions,
): InsertStatement {
  const rows = Array.from({ length: rowCount }, (_, row) =>
    columns.map((_column, index) => parameter(row * columns.length + index + 1)),
  )
  return {
    kind: 'insert',
    table: nameOf(table.name),
    columns: columns.map(nameOf),
    rows,
    ...(overridesGenerated && { overridesGenerated }),
    ...(onConflictDoNothing && { onConflict: { action: { kind: 'nothing' }, position: NOWHERE } }),
    ...(isReturning && { returning: ALL_COLUMNS }),
    position: NOWHERE,
  }
}

export function deleteRow(
  table: TableDefinition,
  returned: readonly string[] = [],
): DeleteStatement {
  return {
    kind: 'delete',
    table: nameOf(table.name),
    where: byKey(table),
    ...(returned.length > 0 && { returning: projectionOf(returned) }),
    position: NOWHERE,
  }
}

function byKey(table: TableDefinition): Expression {
  const operands = keyNames(table).map(
    (column, index): Expression => ({
      kind: 'binary',
      first: columnNamed(column),
      rest: [{ operator: '=', operand: parameter(index + 1), position: NOWHERE }],
      position: NOWHERE,
    }),
  )
  const [only] = operands
  if (operands.length === 1 && only !== undefined) return only
  return { kind: 'logical', operator: 'AND', operands, position: NOWHERE }
}

/** The names of the columns of the primary key, in key order. */
export function keyNames(table: TableDefinition): string[] {
  return keyColumns(table).map(({ name }) => name)
}

export function columnNamed(name: string): ColumnExpression {
  return { kind: 'column', name, position: NOWHERE }
}

function parameter(key: number): Expression {
  return { kind: 'parameter', key, position: NOWHERE }
}
