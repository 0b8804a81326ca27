// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../client-sdk/client.ts'

/** Rows that a request gives. */
export const PAGE_ROWS = 200
/** Rows that the page keeps at most: a browser lays out 2,000 in a blink, and ten times as many do not fit a screen. */
const WINDOW_ROWS_MAX = 2_000

/** The last rows of those that were read. */
export type RowWindow = {
  /** How many were read before the first one. */
  readonly before: number
  readonly rows: readonly Row[]
}

export const NO_ROWS: RowWindow = { before: 0, rows: [] }

/** With another page at its end, and without what is then too much at its begin. */
export function extended({ before, rows }: RowWindow, page: readonly Row[]): RowWindow {
  const all = [...rows, ...page]
  const left = Math.max(0, all.length - WINDOW_ROWS_MAX)
  return { before: before + left, rows: all.slice(left) }
}
