// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer'
import type { Cell, Row, Timestamp } from '../../../cells/cell.ts'
import { hashOfKey, hashOfText } from '../../../cells/row-hash.ts'
import type { RecentWrites } from './recent-writes.ts'
import { RecordMemory } from './record-memory.ts'

/** A write record, and the commit that wrote it. */
export type RecordInMemory = { readonly commitTs: Timestamp; readonly record: Buffer }

/** What a one-phase commit wrote to a row. */
export type CommittedRow = {
  readonly row: Uint8Array
  /** `hashOfKey` of its key. */
  readonly hash: number
  readonly columns: ReadonlyArray<{
    readonly column: string
    readonly family: 'write' | 'guard'
    readonly value: Uint8Array
  }>
}

/**
 * The newest write records of rows that were read or written lately, so that a read of one need not ask
 * the view, whose snapshot and page cache are new with every group of commits.
 *
 *     bob  write "0" @8 -> startTs 7, put, inline "3"
 *     a snapshot at 8 or later takes this record; one at 7 asks the view
 *
 * Each record here is the newest settled one of its column: in the turn that releases the latch of a row, its record is
 * dropped, and one-phase commit stores the new one; it is also dropped when garbage collection has erased something of
 * the row. A newer record that a snapshot must see is latched, with a commitTs that is not above the snapshot, and the
 * latch is checked first.
 *
 * Only records of columns with a one-character name are kept: the rows of tables with one family. For a long value the
 * record says where it is, and the value is read in the view. System rows are not kept, since some are written without
 * a transaction. A row is kept in its slot, which it shares with others, or in a neighbouring one; where all are taken,
 * the newest row replaces the one in its slot.
 */
export class NewestRecords {
  readonly #recentWrites: RecentWrites
  readonly #memory: RecordMemory
  /** By slot, of the record that is kept there. */
  readonly #commitTs: Float64Array
  /** All bits of a hash that say a slot. */
  readonly #slotBits: number
  #earlierEnd: Timestamp = Number.POSITIVE_INFINITY

  constructor(recentWrites: RecentWrites, bytesMax = ROW_CACHE_BYTES) {
    this.#recentWrites = recentWrites
    const slots = 2 ** Math.ceil(Math.log2(Math.max(SLOTS_MIN, bytesMax / BYTES_FOR_A_SLOT)))
    this.#slotBits = slots - 1
    this.#commitTs = new Float64Array(slots)
    this.#memory = new RecordMemory(slots, bytesMax)
  }

  /** No earlier process committed above this timestamp. Until it is known, nothing that is read is kept. */
  earlierEndedAt(timestamp: Timestamp): void {
    this.#earlierEnd = timestamp
  }

  /** The row with the record that a snapshot sees, or undefined. Must be called in the turn that checked the latch. */
  find(key: Uint8Array, column: string, readTs: Timestamp): Row | undefined {
    const found = column.length === 1 ? this.view(key, column.charCodeAt(0), readTs) : undefined
    if (found === undefined) return undefined
    const { commitTs: timestamp, record } = found
    // A copy, because the memory may hold another record before the reader has used it.
    return {
      key,
      cells: [{ family: 'write', qualifier: column, timestamp, value: Buffer.from(record) }],
    }
  }

  /** The same record where it lies, for this turn. The column is its one character. */
  view(key: Uint8Array, column: number, readTs: Timestamp): RecordInMemory | undefined {
    const own = hashOfKey(key) & this.#slotBits
    for (let step = 0; step < PLACES_OF_ROW; step += 1) {
      const record = this.#memory.view(own ^ step, key, column)
      if (record === undefined) continue
      const commitTs = this.#commitTs[own ^ step] as number
      return commitTs > readTs ? undefined : { commitTs, record }
    }
    return undefined
  }

  /**
   * Keeps a record that a snapshot has read in the view, if it is the newest one: no latch of the row was released with
   * a later timestamp, and no earlier process wrote one.
   */
  wasRead({ key, cells }: Row, readTs: Timestamp): void {
    const [cell, another] = cells
    if (cell === undefined || another !== undefined || readTs <= this.#earlierEnd) return
    const hash = hashOfKey(key)
    if (this.#recentWrites.mayBeSince(hash, readTs)) return
    this.#keep(key, hash & this.#slotBits, cell)
  }

  /** Keeps what was committed, in the turn that released its latch. */
  wasCommitted({ row, hash, columns }: CommittedRow, commitTs: Timestamp): void {
    const [first, another] = columns
    if (first === undefined || another !== undefined || first.family !== 'write') return
    const cell = { qualifier: first.column, timestamp: commitTs, value: first.value }
    this.#keep(row, hash & this.#slotBits, cell)
  }

  /** Drops the record of the row with this key (in the form of `keyString`), which may no longer be the newest one. */
  forget(text: string, hash = hashOfText(text)): void {
    const own = hash & this.#slotBits
    for (let step = 0; step < PLACES_OF_ROW; step += 1) {
      if (!this.#memory.isNamed(own ^ step, text)) continue
      this.#memory.drop(own ^ step)
      return
    }
  }

  #keep(key: Uint8Array, own: number, { qualifier, timestamp, value }: Omit<Cell, 'family'>): void {
    if (!this.#memory.fits(key, value)) return
    if (qualifier.length !== 1 || qualifier > '\u007f' || key[0] === SYSTEM_SPACE) return
    const slot = this.#slotFor(key, own)
    this.#commitTs[slot] = timestamp
    this.#memory.set(slot, key, qualifier.charCodeAt(0), value)
  }

  /** The slot that holds the row, so that it is never kept twice; else a free slot, or its own. */
  #slotFor(key: Uint8Array, own: number): number {
    const slot = this.#slotWith(key, own)
    if (slot !== undefined) return slot
    for (let step = 0; step < PLACES_OF_ROW; step += 1) {
      if (!this.#memory.has(own ^ step)) return own ^ step
    }
    return own
  }

  /** The slot that holds the row, or undefined; `own` is the row's own slot. */
  #slotWith(key: Uint8Array, own: number): number | undefined {
    for (let step = 0; step < PLACES_OF_ROW; step += 1) {
      if (this.#memory.isOf(own ^ step, key)) return own ^ step
    }
    return undefined
  }
}

const ROW_CACHE_BYTES = 128 * 1024 * 1024
const SLOTS_MIN = 65_536
/** Slots for rows of a kilobyte or more; with shorter ones they are full before the memory is. */
const BYTES_FOR_A_SLOT = 1024
/** A row is kept in its slot or in a neighbouring one; they differ in the lowest bits. */
const PLACES_OF_ROW = 4
/** The first byte of the keys of system rows. */
const SYSTEM_SPACE = 0x00
