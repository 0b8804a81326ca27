// SPDX-License-Identifier: Apache-2.0
import { putCell } from './mutation-application.ts'
import { PackedReader } from './sqlite-packed-buffer.ts'
import { PackedRows } from './sqlite-packed-rows.ts'
import { decodeCells, type RecordedCell } from './sqlite-redo-record.ts'

/** The cells of a row as of one of its entries. */
type ReadRow = { readonly cells: RecordedCell[]; upTo: number }

/**
 * Cells in memory by their rows (Bigtable's memtable; Chang et al., OSDI 2006, section 5.3), as the redo records that
 * brought them: thousands of objects that live for half a second each would cost the garbage collector more than
 * everything else here. Keys are texts as `rowKeyText` makes them.
 */
export class SqlitePackedMemtable {
  readonly #memory: Buffer
  readonly #reader: PackedReader
  readonly #rows: PackedRows
  #used = 0
  /** Of rows that several records have and somebody has read: one that is written and read all the time has thousands. */
  readonly #read = new Map<string, ReadRow>()

  /** Holds records of so many bytes together. */
  constructor(bytesMax: number) {
    this.#memory = Buffer.allocUnsafeSlow(bytesMax)
    this.#reader = new PackedReader(this.#memory)
    this.#rows = new PackedRows(this.#memory)
  }

  get bytes(): number {
    return this.#used
  }

  hasRoomFor(bytes: number): boolean {
    return this.#used + bytes <= this.#memory.length
  }

  /** Takes over a record that there is room for. */
  add(record: Uint8Array): void {
    this.#memory.set(record, this.#used)
    this.#rows.add(this.#used, this.#used + record.length)
    this.#used += record.length
  }

  has(text: string): boolean {
    return this.#rows.find(text) !== undefined
  }

  /**
   * In the order of `compareCells`; of two at the same place, the later one. Empty where there is no such row.
   * Good until the next record comes.
   */
  cellsOf(text: string): readonly RecordedCell[] {
    const newest = this.#rows.find(text)
    if (newest === undefined) return []
    if (this.#rows.earlier(newest) === undefined) return this.#readInto([], newest)
    const row = this.#read.get(text) ?? { cells: [], upTo: NONE }
    if (row.upTo === NONE) this.#read.set(text, row)
    for (const entry of this.#entriesAfter(row.upTo, newest)) this.#readInto(row.cells, entry)
    row.upTo = newest
    return row.cells
  }

  /** In ascending order, from the first that does not come before `text`. No record may come meanwhile. */
  keysFrom(text: string): Generator<string> {
    return this.#rows.keysFrom(text)
  }

  /** In descending order, from the last before `text`, or from the last of all when it is absent. */
  keysBefore(text: string | undefined): Generator<string> {
    return this.#rows.keysBefore(text)
  }

  /** The entries of one row, in the order in which they came. */
  #entriesAfter(known: number, newest: number): number[] {
    const entries: number[] = []
    let entry: number | undefined = newest
    while (entry !== undefined && entry !== known) {
      entries.push(entry)
      entry = this.#rows.earlier(entry)
    }
    return entries.reverse()
  }

  #readInto(cells: RecordedCell[], entry: number): RecordedCell[] {
    for (const cell of decodeCells(this.#reader, this.#rows.placeOf(entry))) putCell(cells, cell)
    return cells
  }
}

/** No entry. */
const NONE = -1
