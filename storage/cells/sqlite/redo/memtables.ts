// SPDX-License-Identifier: Apache-2.0
import type { MemtableUse } from '../../cell-store.ts'
import { Memtable, type SharedMemory } from './memtable.ts'
import type { MemtableRow } from './memtable-row.ts'
import { RECORD_BYTES_MAX } from './record.ts'

/** This many cells are flushed together: the more there are, the more of them share a page. */
const CELLS_MAX = 65_536
/** So many bytes are flushed together, however few cells they are; the second number is for tests with few cells. */
const BYTES_MAX = 12 * 1024 * 1024
const bytesMaxOf = (cellsMax: number) => Math.min(BYTES_MAX, 2 * RECORD_BYTES_MAX + 512 * cellsMax)
/** A memtable may be this much fuller than full, while the one before is being flushed. */
const FILL_MAX = 1.2

/**
 * The cells of answered groups that are in the redo log and perhaps not in the tables: records are added to the
 * *mutable* memtable, while the *immutable* one before it is flushed. That one stays here until its records are
 * deleted, in the tables or not, so that no batch changes their rows past the log (R4).
 */
export class Memtables {
  /** A memtable with this many cells is made immutable. */
  readonly cellsMax: number
  readonly #bytesMax: number
  #mutable: Memtable
  #immutable: Memtable | undefined
  /** Of one that was dropped; the next one takes it. */
  #unusedMemory: SharedMemory | undefined

  constructor(cellsMax = CELLS_MAX) {
    this.cellsMax = cellsMax
    this.#bytesMax = bytesMaxOf(cellsMax)
    this.#mutable = this.#newMemtable()
  }

  get mutable(): Memtable {
    return this.#mutable
  }

  get immutable(): Memtable | undefined {
    return this.#immutable
  }

  /** The newer one first. */
  get both(): readonly Memtable[] {
    return this.#immutable === undefined ? [this.#mutable] : [this.#mutable, this.#immutable]
  }

  get isEmpty(): boolean {
    return this.#immutable === undefined && this.#mutable.cells === 0
  }

  get recordsInFlight(): number {
    return this.both.reduce((sum, one) => sum + one.recordsInFlight, 0)
  }

  /** Whether another record can be added after those in flight; not while more comes than can be flushed. */
  get hasRoom(): boolean {
    if (this.#immutable !== undefined && this.#fill >= FILL_MAX) return false
    return this.#mutable.hasRoomFor((this.#mutable.recordsInFlight + 1) * RECORD_BYTES_MAX)
  }

  /** Whether the mutable one should be made immutable, and can be. */
  get isFull(): boolean {
    return this.#immutable === undefined && this.#fill >= 1
  }

  /** How full the mutable one is: 1 is full. */
  get #fill(): number {
    const { cells, bytes } = this.#mutable
    return Math.max(cells / this.cellsMax, bytes / this.#bytesMax)
  }

  useAt(nowMs: number): MemtableUse {
    const { both } = this
    return {
      bytes: both.reduce((sum, { bytes }) => sum + bytes, 0),
      cells: both.reduce((sum, { cells }) => sum + cells, 0),
      flushLagMs: nowMs - (both.at(-1)?.sinceMs ?? nowMs),
    }
  }

  has(key: string): boolean {
    return this.both.some((one) => one.has(key))
  }

  /** What memtables have of the row, the newer one first. */
  rowsOf(key: string): readonly MemtableRow[] {
    return this.both.flatMap((one) => one.rowOf(key) ?? [])
  }

  /** Makes the mutable one immutable; records that are made from now on are added to a new one. */
  makeImmutable(): void {
    this.#immutable = this.#mutable
    this.#mutable = this.#newMemtable()
    this.#unusedMemory = undefined
  }

  /** The snapshots that are read from now on have all of it. */
  dropImmutable(): void {
    this.#unusedMemory = this.#immutable?.memory
    this.#immutable = undefined
  }

  #newMemtable(): Memtable {
    // With room for the records that are in flight when it is as full as it may be.
    const recordBytes = FILL_MAX * this.#bytesMax + 4 * RECORD_BYTES_MAX
    return Memtable.of(Math.ceil(recordBytes), this.#unusedMemory)
  }
}
