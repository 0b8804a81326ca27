// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto'

const CHARACTERS = 16

/**
 * Ids for clients in place of those that count: from a table's own id everybody could tell how many tables were ever
 * made, those that they may not know of too.
 */
export class OpaqueIds {
  readonly #secret: Uint8Array

  /** The secret lives with the store, so that all its servers give the same ids, also after a restart. */
  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  /** 16 characters, which are the same for the same parts, and different for others. */
  of(...parts: ReadonlyArray<string | number>): string {
    const digest = createHmac('sha256', this.#secret).update(JSON.stringify(parts))
    return digest.digest('base64url').slice(0, CHARACTERS)
  }
}
