// SPDX-License-Identifier: Apache-2.0
import type { ColumnExpression, Name, Position } from '../parser/ast.ts'
import {
  type Catalog,
  type IndexDefinition,
  nearestNames,
  type ObserverDefinition,
  type TableDefinition,
} from '../storage/storage.ts'
import { PlanError } from './plan-error.ts'

/** The table of that name, or PlanError unknown_table with the names that come near it. */
export function requireTable(catalog: Catalog, name: Name): TableDefinition {
  const table = catalog.table(name.text)
  if (table !== undefined) return table
  const known = catalog.tables().map((other) => other.name)
  throw new PlanError('unknown_table', `There is no table ${name.text}.`, {
    position: name.position,
    ...suggestion(name.text, known, { table: name.text }),
  })
}

/** The place of a column in the table's rows, or PlanError unknown_column with the near names. */
export function requireColumn(table: TableDefinition, name: string, position: Position): number {
  const index = table.columns.findIndex((column) => column.name === name)
  if (index >= 0) return index
  const known = table.columns.map((column) => column.name)
  throw new PlanError('unknown_column', `The table ${table.name} has no column ${name}.`, {
    position,
    ...suggestion(name, known, { table: table.name, column: name }),
  })
}

/** The same for a column in an expression, where one in double quotes may be meant as a text. */
export function requireNamedColumn(
  table: TableDefinition,
  { name, position, quoted }: ColumnExpression,
): number {
  if (quoted !== true && MOMENTS.has(name.toUpperCase()) && !hasColumn(table, name)) {
    throw new PlanError('unknown_column', `The table ${table.name} has no column ${name}.`, {
      position,
      hint: 'The moment of the statement is now().',
      fields: { table: table.name, column: name },
    })
  }
  if (quoted !== true || table.columns.some((column) => column.name === name)) {
    return requireColumn(table, name, position)
  }
  throw new PlanError('unknown_column', `The table ${table.name} has no column ${name}.`, {
    position,
    hint: `Double quotes hold a name. For a text, write '${name.replaceAll("'", "''")}' in single quotes.`,
    fields: { table: table.name, column: name },
  })
}

/** What other databases call the moment of the statement. */
const MOMENTS: ReadonlySet<string> = new Set([
  ...['CURRENT_TIMESTAMP', 'CURRENT_DATE', 'CURRENT_TIME', 'LOCALTIMESTAMP', 'SYSDATE'],
])

function hasColumn(table: TableDefinition, name: string): boolean {
  return table.columns.some((column) => column.name === name)
}

/** An index of the table, whatever its state, or PlanError unknown_index with the near names. */
export function requireIndexOf(table: TableDefinition, name: Name): IndexDefinition {
  const index = table.indexes.find((known) => known.name === name.text)
  if (index !== undefined) return index
  const known = table.indexes.map((other) => other.name)
  throw new PlanError('unknown_index', `The table ${table.name} has no index ${name.text}.`, {
    position: name.position,
    ...suggestion(name.text, known, { table: table.name, index: name.text }),
  })
}

/** An observer of any table, or PlanError unknown_observer with the near names. */
export function requireObserver(catalog: Catalog, name: Name): void {
  if (catalog.observer(name.text) !== undefined) return
  const known = catalog.observers().map(({ observer }) => observer.name)
  throw new PlanError('unknown_observer', `There is no observer ${name.text}.`, {
    position: name.position,
    ...suggestion(name.text, known, { observer: name.text }),
  })
}

/** An observer of the table, or PlanError unknown_observer with the near names. */
export function requireObserverOf(table: TableDefinition, name: Name): ObserverDefinition {
  const observer = table.observers.find((known) => known.name === name.text)
  if (observer !== undefined) return observer
  const known = table.observers.map((other) => other.name)
  const message = `The table ${table.name} has no observer ${name.text}.`
  throw new PlanError('unknown_observer', message, {
    position: name.position,
    ...suggestion(name.text, known, { table: table.name, observer: name.text }),
  })
}

/** A hint and the field `nearest`, for a name that is not among the known ones. */
export function suggestion(
  wrong: string,
  known: Iterable<string>,
  fields: Readonly<Record<string, unknown>>,
): { readonly hint?: string; readonly fields: Readonly<Record<string, unknown>> } {
  const nearest = nearestNames(wrong, known)
  if (nearest.length === 0) return { fields }
  return { hint: `Did you mean ${nearest.join(' or ')}?`, fields: { ...fields, nearest } }
}
