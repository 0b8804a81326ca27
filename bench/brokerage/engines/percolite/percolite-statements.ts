// SPDX-License-Identifier: Apache-2.0
import type { GetMany, Scan, ScanEach } from '../../engine.ts'
import type { Value } from '../../schema/table-shape.ts'
import { withDecimals } from '../amounts.ts'
import type { AnyRead, Write } from '../buffered-transaction.ts'
import {
  columnsAndKey,
  firstColumn,
  keyEquals,
  numbered,
  orderOf,
  primaryKeyOf,
  rangeStatement,
  type SqlStatement,
  writeStatement as sqlWriteStatement,
  type UpdateText,
} from '../sql-statements.ts'

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

export function writeStatement(write: Write): PercoliteStatement {
  // A SET of plain values would make the row where there is none.
  const updateText: UpdateText = (table, assignments, where) =>
    `SET ${assignments} ON ${table} WHERE ${where} IF EXISTS`
  return asked(sqlWriteStatement(write, numbered, { updateText, parameterOf: withDecimals }))
}

function getStatement(
  table: AnyRead['table'],
  columns: readonly string[],
  key: readonly Value[],
): PercoliteStatement {
  return {
    sql: `GET ${columns.join(', ')} FROM ${table} WHERE ${keyEquals(table, numbered)}`,
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
  const head = `SCAN ${scan.columns.join(', ')} FROM ${scan.table} USE ${keyName(scan.index)}`
  const order = scan.reverse === true ? orderOf(scan).map((column) => `${column} DESC`) : []
  return asked(rangeStatement(head, scan, order, numbered, withDecimals))
}

function scanEachStatement(read: ScanEach): PercoliteStatement {
  const { table, index, columns, firsts } = read
  const first = firstColumn(read)
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

function asked({ text, values }: SqlStatement): PercoliteStatement {
  return { sql: text, params: values }
}
