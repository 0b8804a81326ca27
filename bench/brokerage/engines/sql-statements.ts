// SPDX-License-Identifier: Apache-2.0
import type { Scan, ScanEach } from '../engine.ts'
import { SCHEMA, type TableName } from '../schema/schema.ts'
import type { TableShape, Value } from '../schema/table-shape.ts'
import { asItIs, type ParameterOf } from './amounts.ts'
import type { AnyRead, AnyRow, Write } from './buffered-transaction.ts'

/** An array where one parameter holds several keys. */
export type SqlParameter = Value | readonly Value[]

/** A statement in SQL as SQLite and PostgreSQL both read it. */
export type SqlStatement = { readonly text: string; readonly values: readonly Value[] }

/** The parameter with this number, counted from 1: `?` or `$1`. */
export type ParameterName = (number: number) => string

export const numbered: ParameterName = (number) => `$${number}`

export type UpdateText = (table: TableName, assignments: string, where: string) => string

export function primaryKeyOf(table: TableName): readonly string[] {
  return (SCHEMA[table] as TableShape).primaryKey
}

export function selectByKey(
  table: TableName,
  columns: readonly string[],
  parameter: ParameterName,
): string {
  return `SELECT ${columns.join(', ')} FROM ${table} WHERE ${keyEquals(table, parameter)}`
}

export function selectRange(
  scan: Scan,
  parameter: ParameterName,
  parameterOf: ParameterOf = asItIs,
): SqlStatement {
  const direction = scan.reverse === true ? ' DESC' : ''
  const order = orderOf(scan).map((column) => `${column}${direction}`)
  return rangeStatement(
    `SELECT ${scan.columns.join(', ')} FROM ${scan.table}`,
    scan,
    order,
    parameter,
    parameterOf,
  )
}

/** What stands behind the columns and the table of a scan. */
export function rangeStatement(
  head: string,
  scan: Scan,
  order: readonly string[],
  parameter: ParameterName,
  parameterOf: ParameterOf = asItIs,
): SqlStatement {
  const conditions = conditionsOf(scan)
  const where = conditions
    .map(({ column, operator }, position) => `${column} ${operator} ${parameter(position + 1)}`)
    .join(' AND ')
  const text = [
    head,
    ...(where === '' ? [] : [`WHERE ${where}`]),
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
    ...(scan.limit === undefined ? [] : [`LIMIT ${scan.limit}`]),
  ].join(' ')
  return {
    text,
    values: conditions.map(({ column, value }) => parameterOf(scan.table, column, value)),
  }
}

const plainUpdate: UpdateText = (table, assignments, where) =>
  `UPDATE ${table} SET ${assignments} WHERE ${where}`

/** `updateText` is how an update is written where SQL's UPDATE is not known. */
export function writeStatement(
  write: Write,
  parameter: ParameterName,
  {
    parameterOf = asItIs,
    updateText = plainUpdate,
  }: { readonly parameterOf?: ParameterOf; readonly updateText?: UpdateText } = {},
): SqlStatement {
  const valuesOf = (row: AnyRow) =>
    Object.entries(row).map(([column, value]) => parameterOf(write.table, column, value))
  switch (write.kind) {
    case 'insert': {
      const columns = Object.keys(write.row)
      const parameters = columns.map((_, position) => parameter(position + 1))
      const text = `INSERT INTO ${write.table} (${columns.join(', ')}) VALUES (${parameters.join(', ')})`
      return { text, values: valuesOf(write.row) }
    }
    case 'update': {
      const set = Object.keys(write.set)
      const add = Object.keys(write.add)
      const assignments = [
        ...set.map((column, position) => `${column} = ${parameter(position + 1)}`),
        ...add.map((column, position) => {
          return `${column} = ${column} + ${parameter(set.length + position + 1)}`
        }),
      ]
      const where = keyEquals(write.table, parameter, assignments.length + 1)
      return {
        text: updateText(write.table, assignments.join(', '), where),
        values: [...valuesOf(write.set), ...valuesOf(write.add), ...write.key],
      }
    }
    case 'delete':
      return {
        text: `DELETE FROM ${write.table} WHERE ${keyEquals(write.table, parameter)}`,
        values: write.key,
      }
  }
}

/** A write named a row that is not there: a fault of the engine, or of this benchmark. */
export function assertOneRow(rows: number | null, statement: SqlStatement): void {
  const { text, values } = statement
  if (rows !== 1) throw new Error(`${text} changed ${rows} rows (${values.join(', ')})`)
}

export function keyEquals(table: TableName, parameter: ParameterName, first = 1): string {
  return primaryKeyOf(table)
    .map((column, position) => `${column} = ${parameter(first + position)}`)
    .join(' AND ')
}

/** The columns of an index, or of the primary key where none is named. Throws when there is none. */
export function keyColumns(table: TableName, index: string | undefined): readonly string[] {
  const shape: TableShape = SCHEMA[table]
  if (index === undefined) return shape.primaryKey
  const found = shape.indexes.find(({ name }) => name === index)
  if (found === undefined) throw new Error(`there is no index ${index} on ${table}`)
  return found.columns
}

/** What a scan compares: equalities, then at most two bounds of the next column. */
type Condition = {
  readonly column: string
  readonly operator: '=' | '>=' | '<='
  readonly value: Value
}

export function conditionsOf(scan: Scan): Condition[] {
  const columns = keyColumns(scan.table, scan.index)
  const conditions: Condition[] = scan.prefix.map((value, position) => {
    return { column: columns[position] as string, operator: '=', value }
  })
  const column = columns[scan.prefix.length] as string
  const { atLeast, atMost } = scan
  if (atLeast !== undefined) conditions.push({ column, operator: '>=', value: atLeast })
  if (atMost !== undefined) conditions.push({ column, operator: '<=', value: atMost })
  return conditions
}

/** The columns that the rows of a scan are still ordered by, those of the prefix being all alike. */
export function orderOf(scan: Scan): readonly string[] {
  return keyColumns(scan.table, scan.index).slice(scan.prefix.length)
}

// Engines that answer many keys by one statement answer the rows that there are, each once. They are
// brought to their keys by the columns of the key, which are therefore asked for as well.

/** What is asked for, and the columns that tell which row it is. */
export function columnsAndKey(
  columns: readonly string[],
  key: readonly string[],
): readonly string[] {
  return [...columns, ...key.filter((column) => !columns.includes(column))]
}

/** The rows of those statements in the form in which the read is answered. */
export function readAnswer(read: AnyRead, rows: readonly AnyRow[]): unknown {
  switch (read.kind) {
    case 'get':
      return rows[0]
    case 'getMany':
      return rowsOfKeys(read.keys, primaryKeyOf(read.table), rows)
    case 'scan':
      return rows
    case 'scanEach': {
      const first = firstColumn(read)
      const byFirst = Map.groupBy(rows, (row) => row[first] as Value)
      return read.firsts.map((value) => byFirst.get(value) ?? [])
    }
  }
}

/** By which the scans of a step differ. */
export function firstColumn({ table, index }: ScanEach): string {
  return keyColumns(table, index)[0] as string
}

/** For each key its row, or undefined. */
function rowsOfKeys(
  keys: ReadonlyArray<readonly Value[]>,
  keyColumns: readonly string[],
  rows: readonly AnyRow[],
): Array<AnyRow | undefined> {
  const byKey = new Map<Value, AnyRow>()
  for (const row of rows) byKey.set(keyText(keyColumns.map((column) => row[column] as Value)), row)
  return keys.map((key) => byKey.get(keyText(key)))
}

function keyText(key: readonly Value[]): Value {
  return key.length === 1 ? (key[0] as Value) : key.join('\u0000')
}
