// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import { type CellStore, type RowScan, requireAnswers } from '../../cells/cell-store.ts'
import { noteRowKey } from '../../cells/note.ts'
import { keyAfter } from '../../cells/row-key.ts'

/**
 * Deletes the rows of the log that end at or below the safe point, which has been raised before: no follower continues
 * from a position below it any more. Rejects with CellStoreError, and with the signal's reason.
 */
export async function trimLog(
  cellStore: CellStore,
  safePoint: Timestamp,
  signal?: AbortSignal,
): Promise<void> {
  const end = noteRowKey(safePoint + 1)
  let start: Uint8Array | undefined = noteRowKey(0)
  while (start !== undefined) {
    signal?.throwIfAborted()
    const scan: RowScan = { start, end, filter: [{ family: 'data' }], limit: PAGE_ROWS }
    const page: Row[] = await Array.fromAsync(cellStore.scanRows(scan))
    const answers = await cellStore.mutateRows(
      page.map(({ key, cells }) => ({
        row: key,
        mutations: cells.map(({ family, qualifier }) => {
          return { kind: 'deleteFromColumn', family, qualifier, timestamps: {} } as const
        }),
      })),
    )
    requireAnswers(answers)
    const last = page.at(-1)
    start = last === undefined || page.length < PAGE_ROWS ? undefined : keyAfter(last.key)
  }
}

/** Rows that are deleted together, so that writers get a turn in between. */
const PAGE_ROWS = 500
