// SPDX-License-Identifier: Apache-2.0
import type { NewSecret } from '../../../planner/planner.ts'
import type { Clock, Randomness, Storage } from '../../../storage/storage.ts'
import type { AccessSecret } from '../../../storage/tables/access/access.ts'

const SECRET_BYTES = 32
const MILLISECOND_MICROS = 1_000
/** Other servers may sign with the one from before for so long, until they know of the new one. */
const LEARNING_MS_MAX = 60_000

type Retention = {
  read(): Promise<Pick<Awaited<ReturnType<Storage['retention']['read']>>, 'retentionMs'>>
}

/** What signs cursors, and what has signed those that are still read. */
export class CursorSecrets {
  readonly #first: Uint8Array
  readonly #clock: Clock
  readonly #retention: Retention
  #rotated: AccessSecret | undefined

  /** `first` is what a store begins with. */
  constructor(first: Uint8Array, clock: Clock, retention: Retention) {
    this.#first = first
    this.#clock = clock
    this.#retention = retention
  }

  /** It has been read anew; undefined where there was no rotation. */
  know(rotated: AccessSecret | undefined): void {
    this.#rotated = rotated
  }

  get signing(): Uint8Array {
    return this.#rotated === undefined ? this.#first : bytesOf(this.#rotated)
  }

  /** The one before the last, as long as a snapshot of its cursors can be read. */
  get former(): Uint8Array | undefined {
    const former = this.#rotated?.former
    if (former === undefined || former.until <= this.#clock.wallMicros()) return undefined
    return bytesOf(former)
  }

  /** Rejects with CellStoreError. */
  async next(randomness: Randomness): Promise<NewSecret> {
    const { retentionMs } = await this.#retention.read()
    const formerMicros = (retentionMs + LEARNING_MS_MAX) * MILLISECOND_MICROS
    return { first: this.#first, made: randomness.bytes(SECRET_BYTES), formerMicros }
  }
}

function bytesOf({ secret }: { readonly secret: string }): Uint8Array {
  return Buffer.from(secret, 'base64')
}
