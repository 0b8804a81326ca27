// SPDX-License-Identifier: Apache-2.0
import { invariant } from '../../../invariant.ts'
import { hashOfKey, hashOfText } from '../../row-hash.ts'
import { PackedReader } from '../groups/packed-buffer.ts'
import { MemtableRow } from './memtable-row.ts'
import { type RedoRecord, walkRows } from './record.ts'
import { SortedRows } from './sorted-rows.ts'

/** Of the numbers before each recorded row, four bytes each. */
const HEADER_BYTES = 12
/** The next entry of the same row, 0 in the newest one. */
const NEXT = -12
/** In the oldest entry: the newest one, and the hash of the key. */
const NEWEST = -8
const HASH = -4

/** Of a memtable without a record: many stores are opened and closed without one. */
const NO_MEMORY = Buffer.from(new SharedArrayBuffer(0))

export type SharedMemory = Buffer<SharedArrayBuffer>

/** A row is kept once this many of its entries were read; later only newer entries are read. */
const KEPT_ENTRIES_MIN = 8

/** A row as of one of its entries. */
type KeptRow = { readonly row: MemtableRow; upTo: number }

/** An immutable memtable as it is sent to the thread that writes: its memory, its order, and its last record. */
export type SentMemtable = {
  /** Shared by both threads, and written by neither. */
  readonly memory: SharedArrayBuffer
  readonly runs: readonly Int32Array[]
  readonly lastId: number
}

/**
 * The cells of redo records by their rows (Bigtable's memtable; Chang et al., OSDI 2006, section 5.3). They stay as
 * they were encoded, in one memory, and everything that finds them is a number: thousands of objects that live for
 * half a second each would cost the garbage collector more than everything else here. An entry is one row of one
 * record, by the offset at which it begins; the entries of a row are a list, the oldest first.
 *
 *     memory   … [next 80, newest 80, hash] bob {write @5}   … [next 0] bob {write @8}
 *                                                     ^ 40                        ^ 80
 *     slots    hash of bob -> 40          sorted rows   …, 40, …
 *
 * Keys are strings as `keyString` makes them.
 */
export class Memtable {
  readonly #bytesMax: number
  #memory: SharedMemory
  #reader: PackedReader
  #sorted: SortedRows
  #used = 0
  /** The oldest entry of each row, at its hash or after that; 0 is a free slot. */
  #slots = new Int32Array(2048)
  #rows = 0
  /** By the oldest entry. */
  readonly #kept = new Map<number, KeptRow>()
  /** The last record that was added. */
  lastId = 0
  cells = 0
  /** When the first record was added, by the clock of the main thread. */
  sinceMs: number | undefined
  /** How many more records of it are on their way to the disk. */
  recordsInFlight = 0

  constructor(memory: SharedMemory, runs: readonly Int32Array[] = [], bytesMax = memory.length) {
    this.#bytesMax = bytesMax
    this.#memory = memory
    this.#reader = new PackedReader(memory)
    this.#sorted = new SortedRows(memory, [...runs])
  }

  /**
   * Has room for records of `recordBytes` bytes. The memory is that of another such memtable, which nobody reads any
   * more, or is allocated for the first record.
   */
  static of(recordBytes: number, memory = NO_MEMORY): Memtable {
    // The smallest row of a record is longer than the numbers before it.
    return new Memtable(memory, [], 2 * recordBytes)
  }

  /** In the other thread, where its rows are read in their order; none is found by its key there. */
  static received({ memory, runs, lastId }: SentMemtable): Memtable {
    const memtable = new Memtable(Buffer.from(memory), runs)
    memtable.lastId = lastId
    return memtable
  }

  /**
   * What is sent. No record may be added any more. Violations of R3: a row that no run has would be deleted with its
   * record, and be nowhere.
   */
  sent(): SentMemtable {
    const { runs } = this.#sorted
    const sorted = runs.reduce((sum, { length }) => sum + length, 0)
    invariant(sorted === this.#rows, 'R3', { rows: this.#rows, sorted })
    return { memory: this.#memory.buffer, runs, lastId: this.lastId }
  }

  get memory(): SharedMemory {
    return this.#memory
  }

  get bytes(): number {
    return this.#used
  }

  hasRoomFor(recordBytes: number): boolean {
    return this.#used + 2 * recordBytes <= this.#bytesMax
  }

  /** Copies a record that there is room for. */
  add({ id, packed }: RedoRecord, nowMs = 0): void {
    if (this.#memory.length === 0) this.#allocate()
    const record = Buffer.from(packed.buffer, packed.byteOffset, packed.length)
    walkRows(record, (from, end, cells) => {
      const entry = this.#used + HEADER_BYTES
      record.copy(this.#memory, entry, from, end)
      this.#used = entry + end - from
      this.cells += cells
      this.#link(entry)
    })
    this.lastId = id
    this.sinceMs ??= nowMs
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined
  }

  /** Good until the next record is added. */
  rowOf(key: string): MemtableRow | undefined {
    const oldest = this.#find(key)
    return oldest === undefined ? undefined : this.rowAt(oldest)
  }

  /** The row of which this is the oldest entry. */
  rowAt(oldest: number): MemtableRow {
    const kept = this.#kept.get(oldest)
    const row = kept?.row ?? new MemtableRow(this.#reader)
    let entries = 0
    let upTo = kept?.upTo ?? 0
    let entry = kept === undefined ? oldest : this.#get(kept.upTo, NEXT)
    for (; entry !== 0; entry = this.#get(entry, NEXT)) {
      row.add(entry)
      entries += 1
      upTo = entry
    }
    if (kept !== undefined) kept.upTo = upTo
    else if (entries >= KEPT_ENTRIES_MIN) this.#kept.set(oldest, { row, upTo })
    return row
  }

  /** The oldest entry of each row and its key, in ascending order, from the first key that is not before `key`. */
  *rowsFrom(key: string): Generator<{ readonly key: string; readonly oldest: number }> {
    for (const oldest of this.#sorted.inOrder(key))
      yield { key: this.#sorted.keyOf(oldest), oldest }
  }

  /** The keys of [from, to) in order. No record may be added meanwhile. */
  *keys(from: string, to: string | undefined, reverse: boolean): Generator<string> {
    for (const row of this.#sorted.inOrder(reverse ? to : from, reverse)) {
      const key = this.#sorted.keyOf(row)
      if (key < from || (to !== undefined && key >= to)) return
      yield key
    }
  }

  /** The most that it may need at once, because offsets into it are kept. */
  #allocate(): void {
    this.#memory = Buffer.from(new SharedArrayBuffer(this.#bytesMax))
    this.#reader = new PackedReader(this.#memory)
    this.#sorted = new SortedRows(this.#memory, [])
  }

  #link(entry: number): void {
    const hash = hashOfKey(this.#memory, entry + 4, this.#sorted.keyEnd(entry))
    const slot = this.#slotOf(hash, (oldest) => this.#sorted.isSame(oldest, entry))
    const oldest = this.#slots[slot] as number
    this.#set(entry, NEXT, 0)
    if (oldest === 0) {
      this.#slots[slot] = entry
      this.#set(entry, NEWEST, entry)
      this.#set(entry, HASH, hash)
      this.#sorted.add(entry)
      this.#rows += 1
      if (2 * this.#rows > this.#slots.length) this.#growSlots()
    } else {
      this.#set(this.#get(oldest, NEWEST), NEXT, entry)
      this.#set(oldest, NEWEST, entry)
    }
  }

  /** The oldest entry of the row. */
  #find(key: string): number | undefined {
    const slot = this.#slotOf(hashOfText(key), (oldest) => this.#sorted.hasKey(oldest, key))
    return this.#slots[slot] || undefined
  }

  /** The slot of the row with this hash that is the one, or else a free one. */
  #slotOf(hash: number, isIt: (oldest: number) => boolean): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const oldest = this.#slots[slot] as number
      if (oldest === 0 || (this.#get(oldest, HASH) === hash && isIt(oldest))) return slot
    }
  }

  #growSlots(): void {
    const rows = this.#slots.filter((oldest) => oldest !== 0)
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (const oldest of rows) {
      this.#slots[this.#slotOf(this.#get(oldest, HASH), () => false)] = oldest
    }
  }

  #get(entry: number, field: number): number {
    return this.#memory.readInt32BE(entry + field)
  }

  #set(entry: number, field: number, value: number): void {
    this.#memory.writeInt32BE(value, entry + field)
  }
}
