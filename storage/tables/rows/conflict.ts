// SPDX-License-Identifier: Apache-2.0
import type { StorageError } from '../../errors.ts'
import type { ConflictKind } from '../../measures.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { ownerOfRow } from './row-name.ts'

export type Conflict = { readonly kind: ConflictKind; readonly table: string | undefined }

/** On what a refused commit met another transaction; undefined where it was refused for any other reason. */
export function conflictOf(
  { code, fields: { row } }: StorageError,
  catalog: Catalog,
): Conflict | undefined {
  if (code === 'schema_changed') return { kind: 'schema', table: undefined }
  if (code !== 'write_conflict' || !(row instanceof Uint8Array)) return undefined
  const owner = ownerOfRow(catalog, row)
  switch (owner.kind) {
    case 'system':
      return { kind: 'system', table: undefined }
    case 'row':
      return { kind: 'row', table: owner.table?.name }
    case 'indexEntry':
      return { kind: 'index', table: owner.of?.table.name }
  }
}
