// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer'

/** A longer entry is not kept: key, record and a head. */
const ENTRY_BYTES_MAX = 2_304
const CHUNK_BITS = 18
/** Compacted at once, which takes some ten microseconds. */
const CHUNK_BYTES = 2 ** CHUNK_BITS

// Layout of an entry: its slot as u32, the lengths of key and record and its capacity as u16, the column, key, record.
const KEY_BYTES_AT = 4
const RECORD_BYTES_AT = 6
const CAPACITY_AT = 8
const COLUMN_AT = 10
const HEAD_BYTES = 11

/**
 * One record for each slot of a hash table, with the key of its row, in chunks that are filled one after the other: so
 * records of all lengths share the memory, and none of it is work for JavaScript's garbage collector.
 *
 *     chunk 0  | 17 bob "0" @8 | 4711 ann "0" @5 | 17 bob "0" @9 (longer) |        chunk 1  | …
 *
 * When all chunks are full the oldest is compacted (the CLOCK algorithm, a chunk at a time): records that were read
 * since it was filled stay, up to half of it, and the others are dropped.
 */
export class RecordMemory {
  readonly #chunks: Buffer[] = []
  readonly #chunksMax: number
  /** By slot: where its entry begins, counted through all chunks from 1; 0 where there is none. */
  readonly #entries: Uint32Array
  readonly #wasRead: Uint8Array
  /** Where the entries of each chunk end. */
  readonly #ends: number[] = []
  #current = -1

  constructor(slots: number, bytesMax: number) {
    this.#entries = new Uint32Array(slots)
    this.#wasRead = new Uint8Array(slots)
    this.#chunksMax = Math.floor(bytesMax / CHUNK_BYTES)
  }

  /** Whether a record is short enough to be kept. */
  fits(key: Uint8Array, record: Uint8Array): boolean {
    const length = HEAD_BYTES + key.length + record.length
    return length <= ENTRY_BYTES_MAX && this.#chunksMax > 0
  }

  has(slot: number): boolean {
    return this.#entries[slot] !== 0
  }

  drop(slot: number): void {
    this.#entries[slot] = 0
  }

  /** Keeps a record that fits, of one row and column, in place of what the slot has. */
  set(slot: number, key: Uint8Array, column: number, record: Uint8Array): void {
    const length = HEAD_BYTES + key.length + record.length
    let entry = this.#entries[slot] as number
    if (entry === 0 || lengthAt(this.#chunkOf(entry), inChunk(entry) + CAPACITY_AT) < length) {
      entry = this.#newEntry(slot, length)
      this.#entries[slot] = entry
    }
    const chunk = this.#chunkOf(entry)
    const at = inChunk(entry)
    chunk.writeUInt16LE(key.length, at + KEY_BYTES_AT)
    chunk.writeUInt16LE(record.length, at + RECORD_BYTES_AT)
    chunk[at + COLUMN_AT] = column
    chunk.set(key, at + HEAD_BYTES)
    chunk.set(record, at + HEAD_BYTES + key.length)
  }

  /**
   * The record of this row and column where it lies, for this turn: its memory may hold another one afterwards.
   * Undefined where the slot has none.
   */
  view(slot: number, key: Uint8Array, column: number): Buffer | undefined {
    const keyAt = this.#keyAt(slot, key.length)
    if (keyAt === undefined) return undefined
    const chunk = this.#chunkOf(this.#entries[slot] as number)
    for (let at = 0; at < key.length; at++) if (chunk[keyAt + at] !== key[at]) return undefined
    if (chunk[keyAt - HEAD_BYTES + COLUMN_AT] !== column) return undefined
    this.#wasRead[slot] = 1
    const recordAt = keyAt + key.length
    const length = lengthAt(chunk, keyAt - HEAD_BYTES + RECORD_BYTES_AT)
    return chunk.subarray(recordAt, recordAt + length)
  }

  /** Whether the slot has a record of the row with this key. */
  isOf(slot: number, key: Uint8Array): boolean {
    const keyAt = this.#keyAt(slot, key.length)
    if (keyAt === undefined) return false
    const chunk = this.#chunkOf(this.#entries[slot] as number)
    for (let at = 0; at < key.length; at++) if (chunk[keyAt + at] !== key[at]) return false
    return true
  }

  /** As `isOf`, by the key in the form of `keyString`. */
  isNamed(slot: number, key: string): boolean {
    const keyAt = this.#keyAt(slot, key.length)
    if (keyAt === undefined) return false
    const chunk = this.#chunkOf(this.#entries[slot] as number)
    for (let at = 0; at < key.length; at++) {
      if (chunk[keyAt + at] !== key.charCodeAt(at)) return false
    }
    return true
  }

  /** Where the key of the slot's entry begins in its chunk, if it is this long. */
  #keyAt(slot: number, bytes: number): number | undefined {
    const entry = this.#entries[slot] as number
    if (entry === 0) return undefined
    const at = inChunk(entry)
    if (lengthAt(this.#chunkOf(entry), at + KEY_BYTES_AT) !== bytes) return undefined
    return at + HEAD_BYTES
  }

  #chunkOf(entry: number): Buffer {
    return this.#chunks[(entry - 1) >>> CHUNK_BITS] as Buffer
  }

  #newEntry(slot: number, length: number): number {
    if (this.#current < 0 || (this.#ends[this.#current] as number) + length > CHUNK_BYTES) {
      this.#nextChunk()
    }
    const chunk = this.#chunks[this.#current] as Buffer
    const at = this.#ends[this.#current] as number
    chunk.writeUInt32LE(slot, at)
    chunk.writeUInt16LE(length, at + CAPACITY_AT)
    this.#ends[this.#current] = at + length
    this.#wasRead[slot] = 0
    return this.#current * CHUNK_BYTES + at + 1
  }

  #nextChunk(): void {
    this.#current = (this.#current + 1) % this.#chunksMax
    if (this.#current < this.#chunks.length) {
      this.#compact()
      return
    }
    this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK_BYTES))
    this.#ends.push(0)
  }

  #compact(): void {
    const chunk = this.#chunks[this.#current] as Buffer
    const first = this.#current * CHUNK_BYTES + 1
    const end = this.#ends[this.#current] as number
    let kept = 0
    for (let at = 0; at < end; ) {
      const slot = chunk.readUInt32LE(at)
      const next = at + lengthAt(chunk, at + CAPACITY_AT)
      if (this.#entries[slot] === first + at) {
        const stays = this.#wasRead[slot] === 1 && kept + next - at <= CHUNK_BYTES / 2
        this.#wasRead[slot] = 0
        this.#entries[slot] = stays ? first + kept : 0
        if (stays) {
          chunk.copyWithin(kept, at, next)
          kept += next - at
        }
      }
      at = next
    }
    this.#ends[this.#current] = kept
  }
}

function inChunk(entry: number): number {
  return (entry - 1) & (CHUNK_BYTES - 1)
}

/** Byte by byte: two lengths are read for each row that is searched, and `readUInt16LE` checks its arguments. */
function lengthAt(chunk: Buffer, at: number): number {
  return (chunk[at] as number) | ((chunk[at + 1] as number) << 8)
}
