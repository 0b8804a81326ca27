// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto'

/** Where the storage layer's randomness comes from; handed in, so that a test can seed it. */
export interface Randomness {
  /** Uniform in [0, 1), for jitter. */
  fraction(): number
  /** Unpredictable bytes, for transaction ids and incarnations. */
  bytes(length: number): Uint8Array
}

/** The operating system's randomness, fetched a few kilobytes at a time; no byte is given out twice. */
class SystemRandomness implements Randomness {
  #pool = Buffer.alloc(0)

  fraction(): number {
    return Buffer.from(this.bytes(4)).readUInt32BE() / 2 ** 32
  }

  bytes(length: number): Uint8Array {
    if (this.#pool.length < length) this.#pool = randomBytes(Math.max(length, POOL_BYTES))
    const bytes = Uint8Array.prototype.slice.call(this.#pool, 0, length)
    this.#pool = this.#pool.subarray(length)
    return bytes
  }
}

const POOL_BYTES = 4096

export const systemRandomness: Randomness = new SystemRandomness()
