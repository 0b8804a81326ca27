// SPDX-License-Identifier: Apache-2.0
import { positionIn } from '../../collections/sorted-run.ts'

const CHUNK_KEYS_MAX = 1024

/**
 * A set of texts in ascending order, for the keys of rows in memory. They are kept in chunks of bounded size: a new key
 * moves at most one chunk's keys and the list of chunks, not everything.
 */
export class OrderedRowKeys {
  /** No chunk is empty. */
  readonly #chunks: string[][] = []

  /** Adds a key that is not in the set. */
  insert(key: string): void {
    const at = Math.max(0, this.#chunkAt(key))
    const chunk = this.#chunks[at]
    if (chunk === undefined) {
      this.#chunks.push([key])
      return
    }
    chunk.splice(positionOf(chunk, key), 0, key)
    if (chunk.length > CHUNK_KEYS_MAX) this.#split(at, chunk, key)
  }

  /** Removes a key that is in the set. */
  remove(key: string): void {
    const at = this.#chunkAt(key)
    const chunk = this.#chunks[at] as string[]
    chunk.splice(positionOf(chunk, key), 1)
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  firstFrom(key: string): string | undefined {
    const at = Math.max(0, this.#chunkAt(key))
    const chunk = this.#chunks[at]
    if (chunk === undefined) return undefined
    return chunk[positionOf(chunk, key)] ?? this.#chunks[at + 1]?.[0]
  }

  /** The last key before `key`, or the last of all if `key` is undefined. */
  lastBefore(key: string | undefined): string | undefined {
    if (key === undefined) return this.#chunks.at(-1)?.at(-1)
    const at = this.#chunkAt(key)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return undefined
    return chunk[positionOf(chunk, key) - 1] ?? this.#chunks[at - 1]?.at(-1)
  }

  /** The index of the last chunk that starts at `key` or before it; -1 when there is none. */
  #chunkAt(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#chunks[middle]?.[0] as string) <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** Keys often come in ascending order, and then a chunk that is split in half would never fill again. */
  #split(at: number, chunk: string[], inserted: string): void {
    const appended = chunk.at(-1) === inserted && at === this.#chunks.length - 1
    const tail = chunk.splice(appended ? CHUNK_KEYS_MAX : CHUNK_KEYS_MAX >>> 1)
    this.#chunks.splice(at + 1, 0, tail)
  }
}

/** The first position in a sorted list that does not come before `key`. */
function positionOf(keys: readonly string[], key: string): number {
  return positionIn(keys, (one) => one < key)
}
