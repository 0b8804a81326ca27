// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto'

/** Where the storage layer's randomness comes from; handed in, so that a test can seed it. */
export interface Randomness {
  /** Uniform in [0, 1), for jitter. */
  fraction(): number
  /** Unpredictable bytes, for transaction ids and incarnations. */
  bytes(length: number): Uint8Array
}

export const systemRandomness: Randomness = {
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  bytes: (length) => randomBytes(length),
}
