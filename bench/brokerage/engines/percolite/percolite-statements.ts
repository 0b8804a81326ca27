// SPDX-License-Identifier: Apache-2.0
import type { GetMany, Scan, ScanEach } from '../../engine.ts'
import type { Value } from '../../schema/table-shape.ts'
import type { AnyRead, AnyRow, Notified, Write } from '../buffered-transaction.ts'
import { conditionsOf, keyColumns, orderOf } from '../key-order.ts'
import { primaryKeyOf } from '../sql-statements.ts'
import { columnsAndKey, rowsOfFirsts, rowsOfKeys } from './grouped-rows.ts'

/** A statement of the dialect as a request carries it. */
export type PercoliteStatement = {
  readonly sql: string
  readonly params?: readonly (Value | readonly Value[])[]
}

/** The statements of one read; several where its keys fit no single one. */
export function readStatements(read: AnyRead): readonly PercoliteStatement[] {
  switch (read.kind) {
    case 'get':
      return [getStatement(read.table, read.columns, read.key)]
    case 'getMany':
      return getManyStatements(read)
    case 'scan':
      return [scanStatement(read)]
    case 'scanEach':
      return [scanEachStatement(read)]
  }
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
    case 'scanEach':
      return rowsOfFirsts(read.firsts, keyColumns(read.table, read.index)[0] as string, rows)
  }
}

export function writeStatement(write: Write): PercoliteStatement {
  switch (write.kind) {
    case 'insert': {
      const columns = Object.keys(write.row)
      const places = columns.map((_column, place) => `$${place + 1}`)
      return {
        sql: `INSERT INTO ${write.table} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
        params: Object.values(write.row),
      }
    }
    case 'update': {
      const set = Object.keys(write.set)
      const assignments = [
        ...set.map((column, place) => `${column} = $${place + 1}`),
        ...Object.keys(write.add).map((column, place) => {
          return `${column} = ${column} + $${set.length + place + 1}`
        }),
      ]
      const where = keyEquals(write.table, assignments.length)
      // A SET of plain values would make the row where there is none.
      return {
        sql: `SET ${assignments.join(', ')} ON ${write.table} WHERE ${where} IF EXISTS`,
        params: [...Object.values(write.set), ...Object.values(write.add), ...write.key],
      }
    }
    case 'delete':
      return {
        sql: `DELETE FROM ${write.table} WHERE ${keyEquals(write.table, 0)}`,
        params: write.key,
      }
  }
}

/** Each table that is observed has one observer, by this name. */
export function observerOf(table: AnyRead['table']): string {
  return `${table}_observer`
}

export function createObserverStatement(table: AnyRead['table']): PercoliteStatement {
  // It is told by NOTIFY alone: the columns of the key never change.
  const columns = primaryKeyOf(table).join(', ')
  return { sql: `CREATE WEAK OBSERVER IF NOT EXISTS ${observerOf(table)} ON ${table} (${columns})` }
}

export function notifyStatement({ table, key }: Notified): PercoliteStatement {
  return {
    sql: `NOTIFY ${observerOf(table)} ON ${table} WHERE ${keyEquals(table, 0)}`,
    params: key,
  }
}

function getStatement(
  table: AnyRead['table'],
  columns: readonly string[],
  key: readonly Value[],
): PercoliteStatement {
  return {
    sql: `GET ${columns.join(', ')} FROM ${table} WHERE ${keyEquals(table, 0)}`,
    params: key,
  }
}

/**
 * A GET takes the product of its columns' lists. So the keys fit into one when they are just that, as
 * the same day of many securities is; otherwise each has its own.
 */
function getManyStatements({ table, keys, columns }: GetMany): readonly PercoliteStatement[] {
  const key = primaryKeyOf(table)
  const wanted = columnsAndKey(columns, key)
  const lists = key.map((_column, place) => [...new Set(keys.map((one) => one[place] ?? null))])
  const product = lists.reduce((count, list) => count * list.length, 1)
  const isProduct = key.length === 1 || product === new Set(keys.map(String)).size
  if (!isProduct) return keys.map((one) => getStatement(table, wanted, one))
  const where = key.map((column, place) => `${column} IN $${place + 1}`).join(' AND ')
  return [{ sql: `GET ${wanted.join(', ')} FROM ${table} WHERE ${where}`, params: lists }]
}

function scanStatement(scan: Scan): PercoliteStatement {
  const conditions = conditionsOf(scan)
  const where = conditions
    .map(({ column, operator }, place) => `${column} ${operator} $${place + 1}`)
    .join(' AND ')
  const order = orderOf(scan).map((column) => `${column} DESC`)
  const sql = [
    `SCAN ${scan.columns.join(', ')} FROM ${scan.table} USE ${keyName(scan.index)}`,
    ...(where === '' ? [] : [`WHERE ${where}`]),
    ...(scan.reverse === true && order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
    ...(scan.limit === undefined ? [] : [`LIMIT ${scan.limit}`]),
  ].join(' ')
  return { sql, params: conditions.map(({ value }) => value) }
}

function scanEachStatement({ table, index, columns, firsts }: ScanEach): PercoliteStatement {
  const first = keyColumns(table, index)[0] as string
  const wanted = columnsAndKey(columns, [first])
  return {
    sql: `SCAN ${wanted.join(', ')} FROM ${table} USE ${keyName(index)} WHERE ${first} IN $1`,
    params: [[...new Set(firsts)]],
  }
}

/** The whole of a table or an index, for a page after page. */
export function walkStatement(
  table: AnyRead['table'],
  columns: readonly string[],
  index: string | undefined,
): PercoliteStatement {
  return { sql: `SCAN ${columns.join(', ')} FROM ${table} USE ${keyName(index)}` }
}

function keyName(index: string | undefined): string {
  return index === undefined ? 'PRIMARY KEY' : `INDEX ${index}`
}

function keyEquals(table: AnyRead['table'], parametersBefore: number): string {
  return primaryKeyOf(table)
    .map((column, place) => `${column} = $${parametersBefore + place + 1}`)
    .join(' AND ')
}
