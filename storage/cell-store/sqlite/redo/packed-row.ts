// SPDX-License-Identifier: Apache-2.0
import type { Cell, Family } from '../../cell.ts'
import { type CellPlace, compareColumns, compareFamilies } from '../../cell-order.ts'
import type { CellSelector } from '../../row-filter.ts'
import { mergeInto, positionIn, putInto } from '../../sorted-run.ts'
import type { PackedReader } from '../groups/packed-buffer.ts'
import { decodeCell, isErasedAt, type RecordedCell, walkCells } from './redo-record.ts'

/** So many entries are taken up one by one. */
const FEW_ENTRIES = 8
/** Among so many columns one is found by walking through them. */
const FEW_COLUMNS = 8

type Column = {
  readonly family: Family
  readonly qualifier: string
  /** How far the timestamp of each of its cells is from where the cell begins. */
  readonly timestampAt: number
  /** Where they begin, the oldest first: the one that comes is mostly the newest. */
  readonly cells: number[]
}

/** Cells of a row in the order of `compareCells`, and how many others had to be passed for them. */
export type NewestCells = { readonly set: readonly Cell[]; readonly erased: number }

/** Cells that have come for a column, in their order. */
type Arrivals = { readonly column: Column; readonly cells: number[] }

/**
 * What redo records have of one row, column by column, as numbers: where in their memory each cell stands. A row that
 * is written all the time has tens of thousands of pending cells; what is asked for is found by halving, and only
 * that becomes objects.
 */
export class PackedRow {
  readonly #records: PackedReader
  /** In the order of `compareColumns`. */
  readonly #columns: Column[] = []
  #size = 0

  constructor(records: PackedReader) {
    this.#records = records
  }

  /** How many places it has cells at. */
  get size(): number {
    return this.#size
  }

  /** Takes up entries of the row, by where they begin. Of two cells at the same place the later one stays. */
  add(entries: readonly number[]): void {
    if (entries.length <= FEW_ENTRIES) this.#addEach(entries)
    else this.#addTogether(entries)
  }

  /** So many cells in the order of `compareCells`, from the one at this position on. */
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

  /**
   * Of each column that the selector names, the newest cells within its timestamps that are set, so many of them, and
   * how many cells between them are erased. Values are not looked at.
   */
  newestOf(selector: CellSelector, newest: number): NewestCells {
    const { from = 0, until = Infinity } = selector.timestamps ?? {}
    const set: Cell[] = []
    let erased = 0
    for (const column of this.#columnsOf(selector)) {
      const { cells } = column
      let left = newest
      let at = until === Infinity ? cells.length : this.#positionIn(column, until)
      while (left > 0 && at > 0) {
        at -= 1
        const cell = cells[at] as number
        if (this.#timestampOf(column, cell) < from) break
        if (isErasedAt(this.#records, cell)) erased += 1
        else {
          set.push(decodeCell(this.#records, cell) as Cell)
          left -= 1
        }
      }
    }
    return { set, erased }
  }

  /** Whether what stands at this place, in older records or in the tables, is erased. */
  erases({ family, qualifier, timestamp }: CellPlace): boolean {
    const column = this.#find(family, qualifier)
    if (column === undefined) return false
    const cell = column.cells[this.#positionIn(column, timestamp)]
    if (cell === undefined || this.#timestampOf(column, cell) !== timestamp) return false
    return isErasedAt(this.#records, cell)
  }

  /** Most rows have an entry or two, and lists of what has come would cost more than all else about them. */
  #addEach(entries: readonly number[]): void {
    for (const entry of entries) {
      walkCells(this.#records, entry, (family, qualifier, cell, timestamp) => {
        let column = this.#find(family, qualifier)
        if (column === undefined) {
          column = { family, qualifier, timestampAt: timestamp - cell, cells: [] }
          putInto(this.#columns, column, compareColumns)
        }
        this.#size -= column.cells.length
        putInto(column.cells, cell, this.#orderOf(column))
        this.#size += column.cells.length
      })
    }
  }

  #addTogether(entries: readonly number[]): void {
    const came = this.#arrivalsOf(entries)
    const begun = came.flatMap(({ column }) => (column.cells.length === 0 ? [column] : []))
    for (const { column, cells } of came) {
      this.#size -= column.cells.length
      mergeInto(column.cells, cells, this.#orderOf(column))
      this.#size += column.cells.length
    }
    mergeInto(this.#columns, begun, compareColumns)
  }

  #arrivalsOf(entries: readonly number[]): readonly Arrivals[] {
    const came = new Map<string, Arrivals>()
    let last: Arrivals | undefined
    for (const entry of entries) {
      walkCells(this.#records, entry, (family, qualifier, cell, timestamp) => {
        // Nearly always they are of one column, or of two by turns.
        if (last?.column.qualifier !== qualifier || last.column.family !== family) {
          const name = `${family} ${qualifier}`
          last = came.get(name)
          if (last === undefined) {
            const begun = { family, qualifier, timestampAt: timestamp - cell, cells: [] }
            last = { column: this.#find(family, qualifier) ?? begun, cells: [] }
            came.set(name, last)
          }
        }
        last.cells.push(cell)
      })
    }
    return [...came.values()]
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

  #orderOf(column: Column) {
    return (a: number, b: number) => this.#timestampOf(column, a) - this.#timestampOf(column, b)
  }

  #timestampOf({ timestampAt }: Column, cell: number): number {
    this.#records.moveTo(cell + timestampAt)
    return this.#records.number()
  }
}
