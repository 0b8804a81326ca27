// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Timestamp } from '../cell-store/cell.ts'
import type { CellStore } from '../cell-store/cell-store.ts'
import { decodeLock, isPrimaryOf, type Lock } from './lock.ts'
import { decodeStartTs, decodeWriteRecord, type WrittenContent } from './write-record.ts'

/** A cell with what it means to the protocol. */
export type InspectedCell = Cell & {
  readonly meaning:
    | { readonly kind: 'data' | 'rollback' | 'notify' }
    | { readonly kind: 'lock'; readonly lock: Lock; readonly isPrimary: boolean }
    | { readonly kind: 'write'; readonly startTs: Timestamp; readonly content: WrittenContent }
    | { readonly kind: 'guard'; readonly startTs: Timestamp }
}

/** All cells of one row, as Figure 4 of the paper draws them. Rejects with CellStoreError. */
export async function inspectRow(cellStore: CellStore, key: Uint8Array): Promise<InspectedCell[]> {
  const [row] = await cellStore.readRows(
    [key],
    FAMILIES.map((family) => ({ family })),
  )
  return (row?.cells ?? []).map((cell) => ({ ...cell, meaning: meaningOf(key, cell) }))
}

function meaningOf(row: Uint8Array, cell: Cell): InspectedCell['meaning'] {
  switch (cell.family) {
    case 'lock': {
      const lock = decodeLock(cell.timestamp, cell.value)
      return { kind: 'lock', lock, isPrimary: isPrimaryOf(lock, { row, column: cell.qualifier }) }
    }
    case 'write':
      return { kind: 'write', ...decodeWriteRecord(cell.value) }
    case 'guard':
      return { kind: 'guard', startTs: decodeStartTs(cell.value) }
    default:
      return { kind: cell.family }
  }
}
