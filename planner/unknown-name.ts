// SPDX-License-Identifier: Apache-2.0
import type { ColumnExpression, Name, Position } from '../parser/ast.ts'
import {
  type Catalog,
  type IndexDefinition,
  nearestNames,
  type ObserverDefinition,
  type TableDefinition,
} from '../storage/tables/tables.ts'
import { PlanError } from './plan-error.ts'

/** The table of that name, or PlanError unknown_table with the names that come near it. */
export function requireTable(catalog: Catalog, name: Name): TableDefinition {
  const table = catalog.table(name.text)
  if (table !== undefined) return table
  throw unknown('table', name, `There is no table ${name.text}.`, catalog.tables())
}

/** The position of a column in the table's rows, or PlanError unknown_column with the near names. */
export function requireColumn(table: TableDefinition, name: string, position: Position): number {
  const index = table.columns.findIndex((column) => column.name === name)
  if (index >= 0) return index
  const message = `The table ${table.name} has no column ${name}.`
  throw unknown('column', { text: name, position }, message, table.columns, table)
}

/** PlanError unknown_column for one of an expression, where one in double quotes may be meant as a text. */
export function unknownColumn(
  tables: ReadonlyArray<{ readonly table: TableDefinition }>,
  { name, position, quoted }: ColumnExpression,
): PlanError {
  const [only, ...others] = tables.map(({ table }) => table)
  const isOne = only !== undefined && others.length === 0
  const message = isOne
    ? `The table ${only.name} has no column ${name}.`
    : `None of the tables ${tables.map(({ table }) => table.name).join(', ')} has a column ${name}.`
  const special = UNKNOWN_WORDS.get(name.toUpperCase())
  if (quoted !== true && special === undefined) {
    const known = tables.flatMap(({ table }) => table.columns)
    return unknown('column', { text: name, position }, message, known, isOne ? only : undefined)
  }
  const text = `'${name.replaceAll("'", "''")}'`
  return new PlanError('unknown_column', message, {
    position,
    hint: quoted
      ? `Double quotes hold a name. For a text, write ${text} in single quotes.`
      : special,
    fields: { ...(isOne ? { table: only.name } : {}), column: name },
  })
}

const NOW = 'The moment of the statement is now().'
const NO_ROW_NUMBER =
  'Rows have no number of their own: the primary key names them, and LIMIT counts.'

/** What other databases have in the place of a column. */
const UNKNOWN_WORDS: ReadonlyMap<string, string> = new Map([
  ...['CURRENT_TIMESTAMP', 'CURRENT_TIME', 'LOCALTIMESTAMP', 'SYSDATE'].map(
    (word) => [word, NOW] as const,
  ),
  ['CURRENT_DATE', 'The day of the statement is now()::DATE.'],
  ...['ROWID', '_ROWID_', 'CTID', 'ROWNUM'].map((word) => [word, NO_ROW_NUMBER] as const),
  ['DEFAULT', 'A default counts where an INSERT leaves the column out: write the value itself.'],
])

/** An index of the table, whatever its state, or PlanError unknown_index with the near names. */
export function requireIndexOf(table: TableDefinition, name: Name): IndexDefinition {
  const index = table.indexes.find((known) => known.name === name.text)
  if (index !== undefined) return index
  const message = `The table ${table.name} has no index ${name.text}.`
  throw unknown('index', name, message, table.indexes, table)
}

/** Throws PlanError unknown_index with the near names when no table has the index. */
export function requireIndex(catalog: Catalog, name: Name): void {
  if (catalog.index(name.text) !== undefined) return
  const known = catalog.indexes().map(({ index }) => index)
  throw unknown('index', name, `There is no index ${name.text}.`, known)
}

/** Throws PlanError unknown_observer with the near names when no table has the observer. */
export function requireObserver(catalog: Catalog, name: Name): void {
  if (catalog.observer(name.text) !== undefined) return
  const known = catalog.observers().map(({ observer }) => observer)
  throw unknown('observer', name, `There is no observer ${name.text}.`, known)
}

/** Throws PlanError unknown_schedule with the near names when no table has the schedule. */
export function requireSchedule(catalog: Catalog, name: Name): void {
  if (catalog.schedule(name.text) !== undefined) return
  const known = catalog.schedules().map(({ schedule }) => schedule)
  throw unknown('schedule', name, `There is no schedule ${name.text}.`, known)
}

/** An observer of the table, or PlanError unknown_observer with the near names. */
export function requireObserverOf(table: TableDefinition, name: Name): ObserverDefinition {
  const observer = table.observers.find((known) => known.name === name.text)
  if (observer !== undefined) return observer
  const message = `The table ${table.name} has no observer ${name.text}.`
  throw unknown('observer', name, message, table.observers, table)
}

/** PlanError unknown_… with the names that come near it. */
export function unknown(
  what: 'table' | 'column' | 'index' | 'observer' | 'schedule',
  { text, position }: Name,
  message: string,
  known: ReadonlyArray<{ readonly name: string }>,
  table?: { readonly name: string },
): PlanError {
  const names = known.map(({ name }) => name)
  const fields = { ...(table && { table: table.name }), [what]: text }
  return new PlanError(`unknown_${what}`, message, {
    position,
    ...suggestion(text, names, fields),
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
