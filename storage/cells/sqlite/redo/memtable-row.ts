// SPDX-License-Identifier: Apache-2.0

import { positionIn } from '../../../collections/sorted-run.ts'
import type { Cell, Family } from '../../cell.ts'
import { compareColumns, compareFamilies } from '../../cell-order.ts'
import type { CellSelector } from '../../row-filter.ts'
import type { PackedReader } from '../groups/packed-buffer.ts'
import { decodeCell, type RecordedCell, walkCells } from './record.ts'

/** Up to this many columns are searched one by one. */
const FEW_COLUMNS = 8

type Column = {
  readonly family: Family
  readonly qualifier: string
  /** How far the timestamp of each of its cells is from where the cell begins. */
  readonly timestampAt: number
  /** The offsets of its cells in memory, the oldest first: the one that comes is mostly the newest. */
  readonly cells: number[]
}

/**
 * What a memtable has of one row, column by column, as numbers: the offset of each cell. A row that is written all
 * the time has tens of thousands of them; what is asked for is found by halving, and only that becomes objects.
 */
export class MemtableRow {
  readonly #records: PackedReader
  /** In the order of `compareColumns`. */
  readonly #columns: Column[] = []
  #size = 0

  constructor(records: PackedReader) {
    this.#records = records
  }

  /** How many cells it has, at different addresses. */
  get size(): number {
    return this.#size
  }

  /** Adds the cells of the recorded row that begins at this offset. Of two at the same address the later one stays. */
  add(row: number): void {
    walkCells(this.#records, row, (family, qualifier, cell, timestamp) => {
      let column = this.#find(family, qualifier)
      if (column === undefined) {
        column = { family, qualifier, timestampAt: timestamp - cell, cells: [] }
        this.#columns.splice(this.#columnFrom(family, qualifier), 0, column)
      }
      this.#addTo(column, cell)
    })
  }

  /** At most `count` cells in the order of `compareCells`, from this position on. */
  slice(from: number, count: number): RecordedCell[] {
    const found: RecordedCell[] = []
    let passed = from
    for (const { cells } of this.#columns) {
      for (let at = cells.length - 1 - passed; at >= 0; at -= 1) {
        if (found.length === count) return found
        found.push(decodeCell(this.#records, cells[at] as number))
      }
      passed = Math.max(passed - cells.length, 0)
    }
    return found
  }

  /** Of each column that the selector names, the newest cells within its timestamps. Values are not looked at. */
  newestOf({ newest = Infinity, ...selector }: CellSelector): Cell[] {
    const { from = 0, until = Infinity } = selector.timestamps ?? {}
    const found: Cell[] = []
    for (const column of this.#columnsOf(selector)) {
      const { cells } = column
      const end = until === Infinity ? cells.length : this.#positionIn(column, until)
      for (let at = end - 1; at >= Math.max(end - newest, 0); at -= 1) {
        const cell = cells[at] as number
        if (this.#timestampOf(column, cell) < from) break
        // Tombstones come from older servers, and are flushed before the first read.
        found.push(decodeCell(this.#records, cell) as Cell)
      }
    }
    return found
  }

  #addTo(column: Column, cell: number): void {
    const { cells } = column
    const timestamp = this.#timestampOf(column, cell)
    const last = cells.at(-1)
    const isNewest = last === undefined || this.#timestampOf(column, last) < timestamp
    const at = isNewest ? cells.length : this.#positionIn(column, timestamp)
    const isReplaced = !isNewest && this.#timestampOf(column, cells[at] as number) === timestamp
    if (isReplaced) cells[at] = cell
    else cells.splice(at, 0, cell)
    if (!isReplaced) this.#size += 1
  }

  #columnsOf({ family, qualifier }: CellSelector): readonly Column[] {
    if (qualifier === undefined) {
      const isBefore = (column: Column) => compareFamilies(column.family, family) <= 0
      const end = positionIn(this.#columns, isBefore)
      return this.#columns.slice(this.#columnFrom(family, ''), end)
    }
    const column = this.#find(family, qualifier)
    return column === undefined ? [] : [column]
  }

  #find(family: Family, qualifier: string): Column | undefined {
    const isIt = (column: Column) => column.qualifier === qualifier && column.family === family
    if (this.#columns.length <= FEW_COLUMNS) return this.#columns.find(isIt)
    const column = this.#columns[this.#columnFrom(family, qualifier)]
    return column !== undefined && isIt(column) ? column : undefined
  }

  /** The position of the first column that does not come before this one. */
  #columnFrom(family: Family, qualifier: string): number {
    const wanted = { family, qualifier }
    return positionIn(this.#columns, (column) => compareColumns(column, wanted) < 0)
  }

  /** The position of the oldest cell that is not older. */
  #positionIn(column: Column, timestamp: number): number {
    return positionIn(column.cells, (cell) => this.#timestampOf(column, cell) < timestamp)
  }

  #timestampOf({ timestampAt }: Column, cell: number): number {
    this.#records.moveTo(cell + timestampAt)
    return this.#records.number()
  }
}
