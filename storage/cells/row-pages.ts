// SPDX-License-Identifier: Apache-2.0
import type { Row } from './cell.ts'
import type { CellStore, KeyRange } from './cell-store.ts'
import type { RowFilter } from './row-filter.ts'
import { keyAfter } from './row-key.ts'

/**
 * All rows of the store, or of a range, in key order, one page in memory at a time. Between two pages nothing of the
 * store is held, so rows may be changed while the caller works on a page. The last page may be empty.
 */
export async function* rowPages(
  cellStore: CellStore,
  scan: {
    /** Inclusive; absent: the beginning of the store. */
    readonly start?: Uint8Array
    /** Exclusive; absent: the end of the store. */
    readonly end?: Uint8Array
    readonly filter: RowFilter
    readonly pageRows: number
    readonly signal?: AbortSignal | undefined
  },
): AsyncGenerator<Row[]> {
  const { end, filter, pageRows, signal } = scan
  let { start = new Uint8Array() } = scan
  for (;;) {
    const rows = cellStore.scanRows({
      start,
      ...(end === undefined ? {} : { end }),
      filter,
      limit: pageRows,
      ...(signal === undefined ? {} : { signal }),
    })
    const page = await Array.fromAsync(rows)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    start = keyAfter(last.key)
  }
}

/** Whether there is a row in these ranges that the filter leaves a cell of. Rejects with CellStoreError. */
export async function hasRow(
  cellStore: CellStore,
  ranges: readonly KeyRange[],
  filter: RowFilter,
): Promise<boolean> {
  for await (const _ of cellStore.scanRanges(ranges, filter)) return true
  return false
}
