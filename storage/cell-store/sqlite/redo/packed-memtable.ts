// SPDX-License-Identifier: Apache-2.0
import { PackedReader } from '../groups/packed-buffer.ts'
import { PackedRow } from './packed-row.ts'
import { PackedRows } from './packed-rows.ts'
import { ALL_FAMILIES, type FamilySet } from './redo-record.ts'

/** Where so many entries of a row have been read, it is kept, and only those that come are read then. */
const KEPT_ENTRIES_MIN = 8

/** A row as of one of its entries. */
type KeptRow = { readonly row: PackedRow; upTo: number }

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
  /** Of rows that many records have and somebody has read: one that is written and read all the time has thousands. */
  readonly #kept = new Map<string, KeptRow>()

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

  /** Undefined where nothing of these families has come for the row. Good until the next record comes. */
  rowOf(text: string, families: FamilySet = ALL_FAMILIES): PackedRow | undefined {
    const newest = this.#rows.find(text)
    if (newest === undefined) return undefined
    const isOfAll = families === ALL_FAMILIES
    if (!isOfAll && (this.#rows.familiesOf(newest) & families) === 0) return undefined
    const kept = this.#kept.get(text)
    if (kept?.upTo === newest) return kept.row
    const entries = this.#entriesAfter(kept?.upTo, newest)
    const row = kept?.row ?? new PackedRow(this.#reader)
    row.add(entries)
    if (kept !== undefined) kept.upTo = newest
    else if (entries.length >= KEPT_ENTRIES_MIN) this.#kept.set(text, { row, upTo: newest })
    return row
  }

  /** In ascending order, from the first that does not come before `text`. No record may come meanwhile. */
  keysFrom(text: string): Generator<string> {
    return this.#rows.keysFrom(text)
  }

  /** In descending order, from the last before `text`, or from the last of all when it is absent. */
  keysBefore(text: string | undefined): Generator<string> {
    return this.#rows.keysBefore(text)
  }

  /** Where the entries of one row begin, in the order in which they came. */
  #entriesAfter(known: number | undefined, newest: number): number[] {
    const places: number[] = []
    let entry: number | undefined = newest
    while (entry !== undefined && entry !== known) {
      places.push(this.#rows.placeOf(entry))
      entry = this.#rows.earlier(entry)
    }
    return places.reverse()
  }
}
