// SPDX-License-Identifier: Apache-2.0
import type { Catalog } from './catalog.ts'
import { decodeEntryKey, indexIdOf } from './index-key.ts'
import { decodePrimaryKey, tableIdOf } from './key-encoding.ts'
import type { SqlValue } from './sql-type.ts'
import type { IndexDefinition, TableDefinition } from './table-definition.ts'

/** What a row key means to a user. */
export type RowName =
  | { readonly kind: 'row'; readonly table: TableDefinition; readonly key: readonly SqlValue[] }
  | {
      readonly kind: 'indexEntry'
      readonly table: TableDefinition
      readonly index: IndexDefinition
      /** The values of the index's columns, in its order. */
      readonly values: readonly SqlValue[]
    }
  | { readonly kind: 'system'; readonly path: string }
  | { readonly kind: 'unknown' }

/** Names the table and primary key of a row key, or the index of an entry, for errors about conflicts. */
export function nameOfRow(catalog: Catalog, rowKey: Uint8Array): RowName {
  if (rowKey[0] === 0x00) {
    return { kind: 'system', path: Buffer.from(rowKey.subarray(1)).toString('latin1') }
  }
  return nameOfTableRow(catalog, rowKey) ?? nameOfEntry(catalog, rowKey) ?? { kind: 'unknown' }
}

function nameOfTableRow(catalog: Catalog, rowKey: Uint8Array): RowName | undefined {
  const tableId = tableIdOf(rowKey)
  const table = catalog.tables().find(({ id }) => id === tableId)
  return table && { kind: 'row', table, key: decodePrimaryKey(table, rowKey) }
}

function nameOfEntry(catalog: Catalog, rowKey: Uint8Array): RowName | undefined {
  const indexId = indexIdOf(rowKey)
  if (indexId === undefined) return undefined
  for (const table of catalog.tables()) {
    const index = table.indexes.find(({ id }) => id === indexId)
    if (index === undefined) continue
    const { values } = decodeEntryKey(table, index, rowKey)
    return { kind: 'indexEntry', table, index, values }
  }
  return undefined
}
