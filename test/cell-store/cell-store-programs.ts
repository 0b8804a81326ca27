// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Row } from '../../storage/cells/cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RowMutations,
  type RowScan,
  type RowStep,
} from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import type { NaiveCellStore } from './naive-cell-store.ts'

/** One call of the contract as data. */
export type Operation =
  | { readonly kind: 'checkAndMutateRow'; readonly row: Uint8Array; readonly step: CheckAndMutate }
  | { readonly kind: 'checkAndMutateRows'; readonly steps: readonly RowStep[] }
  | { readonly kind: 'mutateRows'; readonly entries: readonly RowMutations[] }
  | { readonly kind: 'readRows'; readonly keys: readonly Uint8Array[]; readonly filter: RowFilter }
  | { readonly kind: 'scanRows'; readonly scan: RowScan }
  | {
      readonly kind: 'scanRanges'
      readonly ranges: readonly KeyRange[]
      readonly filter: RowFilter
    }
  | {
      readonly kind: 'readModifyWriteRow'
      readonly row: Uint8Array
      readonly increments: readonly Increment[]
    }

/** Runs one operation and tells its answer as text, so that answers compare by their bytes. */
export async function answerOf(store: CellStore | NaiveCellStore, operation: Operation) {
  switch (operation.kind) {
    case 'checkAndMutateRow':
      return `matched ${await store.checkAndMutateRow(operation.row, operation.step)}`
    case 'checkAndMutateRows':
      return `matched ${(await store.checkAndMutateRows(operation.steps)).map(String)}`
    case 'mutateRows':
      return `errors ${(await store.mutateRows(operation.entries)).map(String)}`
    case 'readRows':
      return (await store.readRows(operation.keys, operation.filter)).map(textOfRow).join('\n')
    case 'scanRows': {
      const rows: string[] = []
      for await (const row of store.scanRows(operation.scan)) rows.push(textOfRow(row))
      return rows.join('\n')
    }
    case 'scanRanges': {
      const rows: string[] = []
      const { ranges, filter } = operation
      for await (const row of store.scanRanges(ranges, filter)) rows.push(textOfRow(row))
      return rows.join('\n')
    }
    case 'readModifyWriteRow':
      try {
        return `${await store.readModifyWriteRow(operation.row, operation.increments)}`
      } catch (error) {
        if (error instanceof CellStoreError) return error.kind
        throw error
      }
  }
}

/** Deletes every cell, so that a store can serve many programs: opening one takes longer than they do. */
export async function clear(store: CellStore): Promise<void> {
  const filter = FAMILIES.map((family) => ({ family }))
  const rows = await Array.fromAsync(store.scanRows({ start: new Uint8Array(), filter }))
  await store.mutateRows(
    rows.map(({ key, cells }) => ({
      row: key,
      mutations: cells.map(({ family, qualifier }) => {
        return { kind: 'deleteFromColumn', family, qualifier, timestamps: {} }
      }),
    })),
  )
}

/** A row on one line: `00ff: write "0"@8=6162 lock "0"@7=`. */
export function textOfRow(row: Row | null): string {
  if (row === null) return 'null'
  const cells = row.cells.map(({ family, qualifier, timestamp, value }) => {
    return `${family} ${JSON.stringify(qualifier)}@${timestamp}=${Buffer.from(value).toString('hex')}`
  })
  return `${Buffer.from(row.key).toString('hex')}: ${cells.join(' ')}`
}
