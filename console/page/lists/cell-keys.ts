// SPDX-License-Identifier: Apache-2.0

/** What a key does on a cell of a grid whose first column is none that is walked. */
export type CellKey =
  | { readonly to: HTMLTableCellElement }
  | { readonly change: HTMLTableCellElement }
  | undefined

/** Arrows, Home and End go to another cell, Enter and F2 change the one that has the focus. */
export function cellKey({ key, target }: Pick<KeyboardEvent, 'key' | 'target'>): CellKey {
  // What stands in a cell has its own keys.
  if (!(target instanceof HTMLTableCellElement) || target.dataset.column === undefined) return
  if (key === 'Enter' || key === 'F2') return { change: target }
  const to = neighbor(target, key)
  return to?.dataset.column === undefined ? undefined : { to }
}

function neighbor(cell: HTMLTableCellElement, key: string): HTMLTableCellElement | undefined {
  const row = cell.parentElement as HTMLTableRowElement
  const inRow = (other: Element | null) =>
    (other as HTMLTableRowElement | null)?.cells[cell.cellIndex]
  switch (key) {
    case 'ArrowLeft':
      return row.cells[cell.cellIndex - 1]
    case 'ArrowRight':
      return row.cells[cell.cellIndex + 1]
    case 'ArrowUp':
      return inRow(row.previousElementSibling)
    case 'ArrowDown':
      return inRow(row.nextElementSibling)
    case 'Home':
      return row.cells[1]
    case 'End':
      return [...row.cells].findLast(({ dataset }) => dataset.column !== undefined)
    default:
      return undefined
  }
}
