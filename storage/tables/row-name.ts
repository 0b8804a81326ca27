// SPDX-License-Identifier: Apache-2.0
import type { Catalog } from './catalog.ts'
import { decodePrimaryKey, tableIdOf } from './key-encoding.ts'
import type { SqlValue } from './sql-type.ts'
import type { TableDefinition } from './table-definition.ts'

/** What a row key means to a user. */
export type RowName =
  | { readonly kind: 'row'; readonly table: TableDefinition; readonly key: readonly SqlValue[] }
  | { readonly kind: 'system'; readonly path: string }
  | { readonly kind: 'unknown' }

/** Names the table and primary key of a row key, for errors about rows that conflict. */
export function nameOfRow(catalog: Catalog, rowKey: Uint8Array): RowName {
  if (rowKey[0] === 0x00) {
    return { kind: 'system', path: Buffer.from(rowKey.subarray(1)).toString('latin1') }
  }
  const tableId = tableIdOf(rowKey)
  const table = catalog.tables().find(({ id }) => id === tableId)
  return table === undefined
    ? { kind: 'unknown' }
    : { kind: 'row', table, key: decodePrimaryKey(table, rowKey) }
}
