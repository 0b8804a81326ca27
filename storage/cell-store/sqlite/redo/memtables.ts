// SPDX-License-Identifier: Apache-2.0
import type { MemtableUse } from '../../cell-store.ts'
import { Memtable } from './memtable.ts'
import type { MemtableRow } from './memtable-row.ts'
import { type FamilySet, RECORD_BYTES_MAX, type RedoRecord } from './record.ts'

/** So many cells are flushed together: the more there are, the more of them share a page. */
const CELLS_MAX = 65_536
/** The records of a memtable together, and of one of few cells; it is made immutable long before. */
const RECORDS_BYTES_MAX = 32 * 1024 * 1024
const recordsBytes = (cellsMax: number) =>
  Math.min(RECORDS_BYTES_MAX, 4 * RECORD_BYTES_MAX + 1024 * cellsMax)

/** A memtable, with what is known of it in the main thread. */
export class CountedMemtable {
  readonly memtable: Memtable
  cells = 0
  /** How many records of it are on their way to the disk. */
  recordsInFlight = 0
  /** When its first record was added; undefined while it is empty. */
  sinceMs: number | undefined
  /** Whether the thread that writes has it. */
  isSent = false

  constructor(cellsMax: number) {
    this.memtable = Memtable.of(recordsBytes(cellsMax))
  }

  add(record: RedoRecord, cells: number, nowMs: number): void {
    this.memtable.add(record)
    this.cells += cells
    this.sinceMs ??= nowMs
  }
}

/**
 * The cells of answered groups that are in the redo log and perhaps not in the tables: records are added to the
 * *mutable* memtable, while the *immutable* one before it is flushed. That one stays here until its records are
 * deleted, in the tables or not, so that nobody changes their rows past the log (R4).
 */
export class Memtables {
  /** From so many cells on a memtable is made immutable. */
  readonly cellsMax: number
  #mutable: CountedMemtable
  #immutable: CountedMemtable | undefined

  constructor(cellsMax = CELLS_MAX) {
    this.cellsMax = cellsMax
    this.#mutable = new CountedMemtable(cellsMax)
  }

  get mutable(): CountedMemtable {
    return this.#mutable
  }

  get immutable(): CountedMemtable | undefined {
    return this.#immutable
  }

  /** The newer one first. */
  get both(): readonly CountedMemtable[] {
    return this.#immutable === undefined ? [this.#mutable] : [this.#mutable, this.#immutable]
  }

  get isEmpty(): boolean {
    return this.#immutable === undefined && this.#mutable.memtable.bytes === 0
  }

  get recordsInFlight(): number {
    return this.#mutable.recordsInFlight + (this.#immutable?.recordsInFlight ?? 0)
  }

  /** Whether another record can be added after those in flight; not while more comes than can be flushed. */
  get hasRoom(): boolean {
    const { memtable, recordsInFlight, cells } = this.#mutable
    if (this.#immutable !== undefined && cells >= 2 * this.cellsMax) return false
    return memtable.hasRoomFor((recordsInFlight + 1) * RECORD_BYTES_MAX)
  }

  /** Whether the mutable one should be made immutable, and can be. */
  get isFull(): boolean {
    if (this.#immutable !== undefined) return false
    const { cells, memtable } = this.#mutable
    return cells >= this.cellsMax || memtable.bytes >= recordsBytes(this.cellsMax) / 2
  }

  useAt(nowMs: number): MemtableUse {
    const sum = (of: (one: CountedMemtable) => number) =>
      this.both.reduce((all, one) => all + of(one), 0)
    const sinceMs = this.both.at(-1)?.sinceMs ?? nowMs
    return {
      bytes: sum(({ memtable }) => memtable.bytes),
      cells: sum(({ cells }) => cells),
      flushLagMs: nowMs - sinceMs,
    }
  }

  has(key: string): boolean {
    return this.both.some(({ memtable }) => memtable.has(key))
  }

  /** What memtables that have cells of these families in the row have of it, the newer one first. */
  rowsOf(key: string, families?: FamilySet): readonly MemtableRow[] {
    return this.both.flatMap(({ memtable }) => memtable.rowOf(key, families) ?? [])
  }

  /** Makes the mutable one immutable; records that are made from now on are added to a new one. */
  makeImmutable(): void {
    this.#immutable = this.#mutable
    this.#mutable = new CountedMemtable(this.cellsMax)
  }

  /** The snapshots that are read from now on have all of it. */
  dropImmutable(): void {
    this.#immutable = undefined
  }
}
