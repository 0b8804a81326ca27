// SPDX-License-Identifier: Apache-2.0
import type { GetMany, ScanEach } from '../engine.ts'
import { SCHEMA, type TableName } from '../schema/schema.ts'
import type { TableShape } from '../schema/table-shape.ts'
import type { AnyRead } from './buffered-transaction.ts'
import { keyColumns } from './key-order.ts'
import { columnsAndKey, firstColumn } from './read-answers.ts'
import {
  numbered,
  primaryKeyOf,
  type SqlParameter,
  selectByKey,
  selectRange,
} from './sql-statements.ts'

export type PostgresStatement = { readonly text: string; readonly values: readonly SqlParameter[] }

/** One statement for each read, however many keys it has: they are one parameter, an array. */
export function postgresQuery(read: AnyRead): PostgresStatement {
  switch (read.kind) {
    case 'get':
      return { text: selectByKey(read.table, read.columns, numbered), values: read.key }
    case 'getMany':
      return selectKeys(read)
    case 'scan':
      return selectRange(read, numbered)
    case 'scanEach':
      return selectFirsts(read)
  }
}

function selectKeys({ table, keys, columns }: GetMany): PostgresStatement {
  const key = primaryKeyOf(table)
  const select = `SELECT ${columnsAndKey(columns, key).join(', ')} FROM ${table}`
  const values = key.map((_column, place) => keys.map((one) => one[place] ?? null))
  if (key.length === 1) return { text: `${select} WHERE ${key[0]} = ANY($1)`, values }
  const arrays = key.map((column, place) => {
    return `$${place + 1}::${isInteger(table, column) ? 'bigint' : 'text'}[]`
  })
  const text = `${select} WHERE (${key.join(', ')}) IN (SELECT * FROM unnest(${arrays.join(', ')}))`
  return { text, values }
}

function selectFirsts(read: ScanEach): PostgresStatement {
  const { table, columns, firsts } = read
  const first = firstColumn(read)
  const text = `SELECT ${columnsAndKey(columns, [first]).join(', ')} FROM ${table} WHERE ${first} = ANY($1) ORDER BY ${keyColumns(table, read.index).join(', ')}`
  return { text, values: [firsts] }
}

function isInteger(table: TableName, column: string): boolean {
  const { columns }: TableShape = SCHEMA[table]
  return columns[column]?.startsWith('integer') === true
}
