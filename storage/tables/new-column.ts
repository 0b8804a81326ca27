// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../errors.ts'
import { DECIMAL_PRECISION_MAX, type DecimalSize } from '../values/decimal.ts'
import { SQL_TYPES, type SqlType } from '../values/sql-type.ts'
import { requireValue } from '../values/sql-value.ts'
import { invalidDefinition, requireName } from './definition-name.ts'
import { requireIdentityType } from './identity-column.ts'
import { nearestNames } from './nearest-names.ts'
import type { ColumnDefault, ColumnDefinition } from './table-definition.ts'

/** A column as CREATE TABLE and ALTER TABLE describe it, before it has an id. */
export type NewColumn = {
  readonly name: string
  /** Upper case; refused unless it is one of `SQL_TYPES`. */
  readonly type: string
  /** Of a DECIMAL. */
  readonly size?: DecimalSize | undefined
  readonly notNull: boolean
  readonly default?: ColumnDefault
  /** The first number of an identity; 1 if absent. */
  readonly startWith?: bigint
}

/**
 * The definition with this id. Errors: `invalid_definition` with the fields `table` and `column`;
 * `limit_exceeded` for the length of the name; `out_of_range` for a default that does not fit.
 */
export function defineColumn(
  tableName: string,
  column: NewColumn,
  position: { readonly id: number; readonly inKey: boolean },
): ColumnDefinition {
  const notNull = column.notNull || position.inKey || column.default?.kind === 'identity'
  const type = requireType(tableName, column)
  const size = requireSize(tableName, column)
  const definition = { id: position.id, name: column.name, type, ...(size && { size }), notNull }
  if (column.default === undefined) return definition
  requireDefault(tableName, definition, column.default)
  return { ...definition, default: column.default }
}

/** Names of columns are there once, and differ by more than case. */
export function requireDistinctColumns(
  tableName: string,
  columns: ReadonlyArray<{ readonly name: string }>,
): void {
  const names = new Map<string, string>()
  for (const { name } of columns) {
    const fields = { table: tableName, column: name }
    requireName(name, fields)
    const existing = names.get(name.toLowerCase())
    if (existing === name) throw invalidDefinition(`Column "${name}" is there twice.`, fields)
    if (existing !== undefined) {
      throw invalidDefinition(`Columns "${existing}" and "${name}" differ by case only.`, {
        ...fields,
        existing,
      })
    }
    names.set(name.toLowerCase(), name)
  }
}

function requireType(tableName: string, column: NewColumn): SqlType {
  const type = SQL_TYPES.find((known) => known === column.type)
  if (type !== undefined) return type
  const message = `There is no type ${column.type}; the types are ${SQL_TYPES.join(', ')}.`
  const nearest = nearestNames(column.type, SQL_TYPES)
  throw invalidDefinition(message, { table: tableName, column: column.name, nearest })
}

/** Nobody's guess of how exact an amount is would do for all. */
function requireSize(table: string, { name, type, size }: NewColumn): DecimalSize | undefined {
  if (type !== 'DECIMAL') return undefined
  const fields = { table, column: name }
  if (size === undefined) {
    throw invalidDefinition(
      `Column "${name}" says neither how many digits it has nor how many behind the point.`,
      {
        ...fields,
        hint: 'Write both: DECIMAL(18, 2) has 16 digits before the point and 2 behind.',
      },
    )
  }
  const { precision, scale } = size
  if (precision >= 1 && precision <= DECIMAL_PRECISION_MAX && scale >= 0 && scale <= precision) {
    return size
  }
  const message = `Column "${name}" is DECIMAL(${precision}, ${scale}): a DECIMAL has 1 to ${DECIMAL_PRECISION_MAX} digits, and no more of them behind the point.`
  throw invalidDefinition(message, fields)
}

/** Errors: `invalid_definition` and `out_of_range`. */
export function requireDefault(
  table: string,
  column: ColumnDefinition,
  given: ColumnDefault,
): void {
  const { name, type, size } = column
  const fields = { table, column: name }
  if (given.kind === 'now' && type !== 'TIMESTAMP' && type !== 'DATE') {
    throw invalidDefinition(
      `now() gives TIMESTAMP or DATE, and column "${name}" is ${type}.`,
      fields,
    )
  }
  if (given.kind === 'uuid' && type !== 'TEXT') {
    throw invalidDefinition(`uuid() gives TEXT, and column "${name}" is ${type}.`, fields)
  }
  if (given.kind === 'identity') requireIdentityType(table, column)
  if (given.kind !== 'literal') return
  if (given.value === null && column.notNull) {
    throw invalidDefinition(`Column "${name}" is NOT NULL and has the default NULL.`, fields)
  }
  try {
    requireValue(type, given.value, name, size)
    if (type === 'JSON' && given.value !== null) JSON.parse(given.value as string)
  } catch (error) {
    if (error instanceof StorageError && error.code === 'out_of_range') throw error
    throw invalidDefinition(`The default does not fit: ${(error as Error).message}`, fields)
  }
}
