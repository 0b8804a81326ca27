// SPDX-License-Identifier: Apache-2.0
import type { Cell } from './cell.ts'
import { type CellAddress, compareCells } from './cell-order.ts'
import type { CellSelector, RowFilter } from './row-filter.ts'

/** The cells that `filter` leaves of one row. Both lists are in the order of `compareCells`. */
export function chooseCells(cells: readonly Cell[], filter: RowFilter): readonly Cell[] {
  return uniteChosen(filter.map((selector) => chooseBySelector(cells, selector)))
}

/**
 * The union, in order, of what several selectors chose of one row, each cell once. Of two cells at the same address,
 * that of the first list is kept.
 */
export function uniteChosen<T extends CellAddress>(
  parts: ReadonlyArray<readonly T[]>,
): readonly T[] {
  const filled = parts.filter((part) => part.length > 0)
  if (filled.length <= 1) return filled[0] ?? []
  const cells = filled.flat()
  if (isStrictlyAscending(cells)) return cells
  cells.sort(compareCells)
  return cells.filter((cell, at) => at === 0 || compareCells(cells[at - 1] as T, cell) !== 0)
}

/** Whether a value lies in the selector's range of values. */
export function isChosenValue(value: Uint8Array, values: CellSelector['values']): boolean {
  if (values === undefined) return true
  if (Buffer.compare(value, values.start) < 0) return false
  return values.end === undefined || Buffer.compare(value, values.end) < 0
}

/** The index in `cells` of the first cell at `address` or after it, by binary search. */
export function positionOf(cells: readonly CellAddress[], address: CellAddress): number {
  let low = 0
  let high = cells.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareCells(cells[middle] as CellAddress, address) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The cells that one selector chooses, found column by column. A column is entered at its newest timestamp in range and
 * left as soon as it has given enough, so the number of its versions hardly matters.
 */
function chooseBySelector(cells: readonly Cell[], selector: CellSelector): Cell[] {
  const { family, newest = Infinity } = selector
  const from = selector.timestamps?.from ?? 0
  const until = selector.timestamps?.until ?? Infinity
  const chosen: Cell[] = []
  let at = positionOf(cells, {
    family,
    qualifier: selector.qualifier ?? '',
    timestamp: Infinity,
  })
  for (;;) {
    const column = cells[at]
    if (column === undefined || column.family !== family) return chosen
    const { qualifier } = column
    if (selector.qualifier !== undefined && qualifier !== selector.qualifier) return chosen
    if (column.timestamp >= until)
      at = positionOf(cells, { family, qualifier, timestamp: until - 1 })
    for (let left = newest; left > 0; left--, at++) {
      const cell = cells[at]
      if (cell === undefined || cell.family !== family || cell.qualifier !== qualifier) break
      if (cell.timestamp < from) break
      if (isChosenValue(cell.value, selector.values)) chosen.push(cell)
    }
    if (selector.qualifier !== undefined) return chosen
    at = positionOf(cells, { family, qualifier, timestamp: -1 })
  }
}

function isStrictlyAscending(cells: readonly CellAddress[]): boolean {
  for (let at = 1; at < cells.length; at++) {
    if (compareCells(cells[at - 1] as CellAddress, cells[at] as CellAddress) >= 0) return false
  }
  return true
}
