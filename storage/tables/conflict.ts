// SPDX-License-Identifier: Apache-2.0
import type { StorageError } from '../errors.ts'
import type { ConflictKind } from '../measures.ts'
import type { Catalog } from './catalog.ts'
import { indexIdOf } from './index-key.ts'
import { tableIdOf } from './key-encoding.ts'

export type Conflict = { readonly kind: ConflictKind; readonly table: string | undefined }

/** On what a refused commit met another transaction; undefined where it was refused for any other reason. */
export function conflictOf(
  { code, fields: { row } }: StorageError,
  catalog: Catalog,
): Conflict | undefined {
  if (code === 'schema_changed') return { kind: 'schema', table: undefined }
  if (code !== 'write_conflict' || !(row instanceof Uint8Array)) return undefined
  if (row[0] === 0x00) return { kind: 'system', table: undefined }
  const indexId = indexIdOf(row)
  if (indexId === undefined) {
    const tableId = tableIdOf(row)
    return { kind: 'row', table: catalog.tables().find(({ id }) => id === tableId)?.name }
  }
  const found = catalog.indexes().find(({ index }) => index.id === indexId)
  return { kind: 'index', table: found?.table.name }
}
