// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/cell-store/cell.ts'
import { type LatchOwner, LatchTable } from '../../storage/transaction/latch-table.ts'
import type { Counters } from './sometimes.ts'

/** The latch table of one process, with a count of who waited for a release, and for what. */
export class WatchedLatches extends LatchTable {
  readonly #counters: Counters
  #met = 'nobody'

  constructor(counters: Counters) {
    super()
    this.#counters = counters
  }

  override ownerOf(text: string): LatchOwner | undefined {
    return this.#noted('commit waited for a latch', super.ownerOf(text))
  }

  override hiding(row: Uint8Array, readTs: Timestamp): LatchOwner | undefined {
    return this.#noted('reader waited for a latch', super.hiding(row, readTs))
  }

  override hidingBetween(
    start: Uint8Array,
    end: Uint8Array | undefined,
    readTs: Timestamp,
  ): LatchOwner | undefined {
    return this.#noted('scan dropped a chunk', super.hidingBetween(start, end, readTs))
  }

  /** Waiting follows in the turn in which the latch was met, so the last one that was met is it. */
  override nextRelease(owner: LatchOwner): Promise<void> {
    this.#counters.count(this.#met)
    if (owner.kind === 'leftOver') this.#counters.count('somebody waited for a left-over lock')
    return super.nextRelease(owner)
  }

  #noted(wait: string, owner: LatchOwner | undefined): LatchOwner | undefined {
    if (owner !== undefined) this.#met = wait
    return owner
  }
}
