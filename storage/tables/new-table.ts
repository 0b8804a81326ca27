// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../errors.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import { nearestNames } from './nearest-names.ts'
import { SQL_TYPES, type SqlType } from './sql-type.ts'
import { requireValue } from './sql-value.ts'
import type {
  ColumnDefault,
  ColumnDefinition,
  KeyPart,
  TableDefinition,
} from './table-definition.ts'

/** A table as CREATE TABLE describes it, before it has ids. */
export type NewTable = {
  readonly name: string
  readonly columns: readonly NewColumn[]
  readonly primaryKey: readonly NewKeyPart[]
}
export type NewColumn = {
  readonly name: string
  /** Upper case; refused unless it is one of `SQL_TYPES`. */
  readonly type: string
  readonly notNull: boolean
  readonly default?: ColumnDefault
}
export type NewKeyPart = { readonly column: string; readonly descending: boolean }

/**
 * The definition with this id, its columns numbered from 1.
 *
 * Errors: `invalid_definition` with the fields `table` and mostly `column`; `limit_exceeded` for the
 * length of names and the number of columns; `out_of_range` for a default that does not fit.
 */
export function defineTable(table: NewTable, id: number): TableDefinition {
  requireName(table.name, { table: table.name })
  requireColumnCount(table)
  requireDistinctColumns(table)
  const keyColumns = new Set(table.primaryKey.map((part) => part.column))
  const columns = table.columns.map((column, index) =>
    defineColumn(table, column, { id: index + 1, inKey: keyColumns.has(column.name) }),
  )
  return { id, name: table.name, columns, primaryKey: definePrimaryKey(table, columns) }
}

function defineColumn(
  table: NewTable,
  column: NewColumn,
  place: { readonly id: number; readonly inKey: boolean },
): ColumnDefinition {
  const notNull = column.notNull || place.inKey
  const type = requireType(table, column)
  const definition = { id: place.id, name: column.name, type, notNull }
  if (column.default === undefined) return definition
  requireDefault(table, definition, column.default)
  return { ...definition, default: column.default }
}

function definePrimaryKey(table: NewTable, columns: readonly ColumnDefinition[]): KeyPart[] {
  if (table.primaryKey.length === 0) {
    throw invalid(`Table "${table.name}" needs a primary key.`, { table: table.name })
  }
  const used = new Set<string>()
  return table.primaryKey.map(({ column: name, descending }) => {
    const fields = { table: table.name, column: name }
    const column = columns.find((candidate) => candidate.name === name)
    if (column === undefined) {
      const names = columns.map((candidate) => candidate.name)
      const nearest = nearestNames(name, names)
      throw invalid(`The primary key names "${name}", which is no column.`, { ...fields, nearest })
    }
    if (column.type === 'JSON') {
      throw invalid(`Column "${name}" is JSON, which has no order and cannot be a key.`, fields)
    }
    if (used.has(name)) throw invalid(`The primary key names "${name}" twice.`, fields)
    used.add(name)
    return { columnId: column.id, descending }
  })
}

function requireColumnCount(table: NewTable): void {
  const limit = STORAGE_LIMITS.tableColumnsMax
  const actual = table.columns.length
  if (actual <= limit) return
  throw new StorageError('limit_exceeded', `A table has at most ${limit} columns, not ${actual}.`, {
    limit: 'tableColumnsMax',
    limitValue: limit,
    actual,
    table: table.name,
  })
}

function requireDistinctColumns(table: NewTable): void {
  const names = new Map<string, string>()
  for (const { name } of table.columns) {
    const fields = { table: table.name, column: name }
    requireName(name, fields)
    const existing = names.get(name.toLowerCase())
    if (existing === name) throw invalid(`Column "${name}" is there twice.`, fields)
    if (existing !== undefined) {
      throw invalid(`Columns "${existing}" and "${name}" differ by case only.`, {
        ...fields,
        existing,
      })
    }
    names.set(name.toLowerCase(), name)
  }
}

function requireType(table: NewTable, column: NewColumn): SqlType {
  const type = SQL_TYPES.find((known) => known === column.type)
  if (type !== undefined) return type
  throw invalid(`There is no type ${column.type}; the types are ${SQL_TYPES.join(', ')}.`, {
    table: table.name,
    column: column.name,
    nearest: nearestNames(column.type, SQL_TYPES),
  })
}

function requireDefault(table: NewTable, column: ColumnDefinition, given: ColumnDefault): void {
  const fields = { table: table.name, column: column.name }
  if (given.kind === 'now' && column.type !== 'TIMESTAMP') {
    throw invalid(`now() gives TIMESTAMP, and column "${column.name}" is ${column.type}.`, fields)
  }
  if (given.kind === 'uuid' && column.type !== 'TEXT') {
    throw invalid(`uuid() gives TEXT, and column "${column.name}" is ${column.type}.`, fields)
  }
  if (given.kind !== 'literal') return
  if (given.value === null && column.notNull) {
    throw invalid(`Column "${column.name}" is NOT NULL and has the default NULL.`, fields)
  }
  requireFittingValue(column, given, fields)
}

function requireFittingValue(
  column: ColumnDefinition,
  given: ColumnDefault & { readonly kind: 'literal' },
  fields: Fields,
): void {
  try {
    requireValue(column.type, given.value, column.name)
    if (column.type === 'JSON' && given.value !== null) JSON.parse(given.value as string)
  } catch (error) {
    if (error instanceof StorageError && error.code === 'out_of_range') throw error
    throw invalid(`The default does not fit: ${(error as Error).message}`, fields)
  }
}

/** Any text may be a name in quotes; what could not be shown or typed again is refused. */
function requireName(name: string, fields: Fields): void {
  if (name === '') throw invalid('A name cannot be empty.', fields)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (!name.isWellFormed() || /[\u0000-\u001f\u007f-\u009f]/.test(name)) {
    throw invalid('A name holds no control characters and is well-formed Unicode.', fields)
  }
  const limit = STORAGE_LIMITS.nameBytesMax
  const actual = Buffer.byteLength(name)
  if (actual <= limit) return
  throw new StorageError('limit_exceeded', `A name has at most ${limit} bytes, not ${actual}.`, {
    ...fields,
    limit: 'nameBytesMax',
    limitValue: limit,
    actual,
  })
}

type Fields = { readonly table: string; readonly column?: string; readonly [more: string]: unknown }

function invalid(message: string, fields: Fields): StorageError {
  return new StorageError('invalid_definition', message, fields)
}
