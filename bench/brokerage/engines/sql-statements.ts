// SPDX-License-Identifier: Apache-2.0
import type { Scan } from '../engine.ts'
import { SCHEMA, type TableName } from '../schema/schema.ts'
import type { TableShape, Value } from '../schema/table-shape.ts'
import type { Write } from './buffered-transaction.ts'
import { conditionsOf, orderOf } from './key-order.ts'

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

export function selectRange(scan: Scan, parameter: ParameterName): SqlStatement {
  const direction = scan.reverse === true ? ' DESC' : ''
  const order = orderOf(scan).map((column) => `${column}${direction}`)
  return rangeStatement(
    `SELECT ${scan.columns.join(', ')} FROM ${scan.table}`,
    scan,
    order,
    parameter,
  )
}

/** What stands behind the columns and the table of a scan. */
export function rangeStatement(
  head: string,
  scan: Scan,
  order: readonly string[],
  parameter: ParameterName,
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
  return { text, values: conditions.map(({ value }) => value) }
}

/** `updateText` is how an update is written where SQL's UPDATE is not known. */
export function writeStatement(
  write: Write,
  parameter: ParameterName,
  updateText: UpdateText = (table, assignments, where) =>
    `UPDATE ${table} SET ${assignments} WHERE ${where}`,
): SqlStatement {
  switch (write.kind) {
    case 'insert': {
      const columns = Object.keys(write.row)
      const parameters = columns.map((_, position) => parameter(position + 1))
      const text = `INSERT INTO ${write.table} (${columns.join(', ')}) VALUES (${parameters.join(', ')})`
      return { text, values: Object.values(write.row) }
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
        values: [...Object.values(write.set), ...Object.values(write.add), ...write.key],
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
