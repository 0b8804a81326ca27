// SPDX-License-Identifier: Apache-2.0
import type { StorageError } from '../../errors.ts'
import type { Conflict, ConflictKind } from '../../measures.ts'
import { WriteConflict } from '../../transactions/protocol/commit-refusal.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { ownerOfRow } from './row-name.ts'

/** On what a refused commit met another transaction; undefined where it was refused for any other reason. */
export function conflictOf(
  reason: StorageError,
  { startTs: loser }: Pick<Transaction, 'startTs'>,
  catalog: Catalog,
): Conflict | undefined {
  if (reason.code === 'schema_changed') return { kind: 'schema', met: 'schema', loser }
  if (!(reason instanceof WriteConflict)) return undefined
  const { row, winner, met } = reason
  return { ...placeOf(catalog, row), met, row, winner, loser }
}

function placeOf(catalog: Catalog, row: Uint8Array): { kind: ConflictKind; table?: string } {
  const owner = ownerOfRow(catalog, row)
  switch (owner.kind) {
    case 'system':
      return { kind: 'system' }
    case 'row':
      return named('row', owner.table?.name)
    case 'indexEntry':
      return named('index', owner.of?.table.name)
  }
}

function named(kind: ConflictKind, table: string | undefined) {
  return table === undefined ? { kind } : { kind, table }
}
