// SPDX-License-Identifier: Apache-2.0
import {
  entryKeyPath,
  type KeyValue,
  keyPath,
  type Row,
  type Schemas,
} from '../../client-sdk/client.ts'
import { hashOf } from '../page/address.ts'
import { literalOf, quoted } from '../page/statements/sql-text.ts'

type Table = Schemas['Table']

/** The primary key of a row, in key order. */
export function keyOf({ primaryKey }: Table, row: Row): readonly KeyValue[] {
  return primaryKey.map(({ column }) => row[column] as KeyValue)
}

/** Where the cells of a row are shown; its key stands there as in a path of the API, once decoded. */
export function cellsHash(table: Table, row: Row): string {
  return hashOf({ view: 'cells', parts: [table.name, keyText(keyOf(table, row))] })
}

/** The same of the entries that a row has in the indexes of its table, where they are of whole columns. */
export function entryHashes(
  table: Table,
  row: Row,
): ReadonlyArray<{ readonly index: string; readonly hash: string }> {
  return table.indexes
    .filter(
      ({ state, columns }) =>
        state !== 'failed' && columns.every(({ path, each, words }) => !path && !each && !words),
    )
    .map(({ name, unique, columns }) => {
      const values = columns.map(({ column }) => (row[column] ?? null) as KeyValue | null)
      const isAlone = unique && !values.includes(null)
      const key = isAlone ? values : [...values, ...keyOf(table, row)]
      const parts = [table.name, decodeURIComponent(entryKeyPath(key))]
      return { index: name, hash: hashOf({ view: 'cells', parts, query: { index: name } }) }
    })
}

/** Where changes of a row are shown as they come. */
export function watchHash(table: Table, row: Row): string {
  const where = table.primaryKey.map(
    ({ column }) => `${quoted(column)} = ${literalOf(row[column])}`,
  )
  const sql = `GET * FROM ${quoted(table.name)} WHERE ${where.join(' AND ')}`
  return hashOf({ view: 'live', query: { sql } })
}

function keyText(key: readonly KeyValue[]): string {
  return decodeURIComponent(keyPath(key))
}
