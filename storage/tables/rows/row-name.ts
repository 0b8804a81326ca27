// SPDX-License-Identifier: Apache-2.0

import type { SqlValue } from '../../values/sql-type.ts'
import { decodeEntryKey, indexIdOf } from '../bytes/index-key.ts'
import { decodePrimaryKey, tableIdOf } from '../bytes/key-encoding.ts'
import type { Catalog, TableIndex } from '../catalog/catalog.ts'
import type { IndexDefinition, TableDefinition } from '../table-definition.ts'

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

/** Whose row it is, without a look at the values in its key; a table or an index that is not there is undefined. */
export type RowOwner =
  | { readonly kind: 'row'; readonly table: TableDefinition | undefined }
  | { readonly kind: 'indexEntry'; readonly of: TableIndex | undefined }
  | { readonly kind: 'system' }

export function ownerOfRow(catalog: Catalog, rowKey: Uint8Array): RowOwner {
  if (rowKey[0] === 0x00) return { kind: 'system' }
  const indexId = indexIdOf(rowKey)
  if (indexId !== undefined) {
    return {
      kind: 'indexEntry',
      of: catalog.entryIndexes().find(({ index }) => index.id === indexId),
    }
  }
  const tableId = tableIdOf(rowKey)
  return { kind: 'row', table: catalog.tables().find(({ id }) => id === tableId) }
}

/** Names the table and primary key of a row key, or the index of an entry, for errors about conflicts. */
export function nameOfRow(catalog: Catalog, rowKey: Uint8Array): RowName {
  const owner = ownerOfRow(catalog, rowKey)
  switch (owner.kind) {
    case 'system':
      return { kind: 'system', path: Buffer.from(rowKey.subarray(1)).toString('latin1') }
    case 'row': {
      const { table } = owner
      if (table === undefined) return { kind: 'unknown' }
      return { kind: 'row', table, key: decodePrimaryKey(table, rowKey) }
    }
    case 'indexEntry': {
      if (owner.of === undefined) return { kind: 'unknown' }
      const { table, index } = owner.of
      const { values } = decodeEntryKey(table, index, rowKey)
      return { kind: 'indexEntry', table, index, values }
    }
  }
}
