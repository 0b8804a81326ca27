// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../client-sdk/client.ts'

/** Rows that a request gives. */
export const PAGE_ROWS = 200
/** Rows that the page keeps at most: ten times as many do not fit a screen. */
const WINDOW_ROWS_MAX = 2_000
/** Values that the page keeps at most, so that a browser lays them out in less than 100 ms. */
const WINDOW_VALUES_MAX = 6_000

/** The last rows of those that were read. */
export type RowWindow = {
  /** How many were read before the first one. */
  readonly before: number
  readonly rows: readonly Row[]
}

export const NO_ROWS: RowWindow = { before: 0, rows: [] }

/** With another page of so many columns at its end, and without what is then too much at its begin. */
export function extended(
  { before, rows }: RowWindow,
  page: readonly Row[],
  columns: number,
): RowWindow {
  const all = [...rows, ...page]
  const left = Math.max(0, all.length - rowsMax(columns))
  return { before: before + left, rows: all.slice(left) }
}

/** Whole pages, and one at least. */
function rowsMax(columns: number): number {
  const pages = Math.floor(WINDOW_VALUES_MAX / Math.max(1, columns) / PAGE_ROWS)
  return Math.min(WINDOW_ROWS_MAX, Math.max(1, pages) * PAGE_ROWS)
}
