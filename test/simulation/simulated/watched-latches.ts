// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../storage/cells/cell.ts'
import {
  type LatchOwner,
  type LatchRequest,
  LatchTable,
} from '../../../storage/transactions/one-process/latches/latch-table.ts'
import type { Counters } from '../sometimes.ts'

/**
 * The latch table of one process, with a count of who waited for a release, and for what, and of what
 * stood in the way of commits that latch their rows in several turns.
 */
export class WatchedLatches extends LatchTable {
  readonly #counters: Counters
  readonly #largeStarts: Set<Timestamp>
  readonly #large = new WeakSet<LatchOwner>()
  #met = 'nobody'
  /** Which commit has found in this turn that one of its rows is latched, or may have been written. */
  #foundLatch = false
  #suspiciousStart: Timestamp | undefined

  /** Notes in `largeStarts` which transactions latch their rows in several turns. */
  constructor(counters: Counters, largeStarts: Set<Timestamp>) {
    super()
    this.#counters = counters
    this.#largeStarts = largeStarts
  }

  /** Only a commit of several turns begins without a row. */
  override latch(startTs: Timestamp, rows: readonly LatchRequest[]): LatchOwner {
    const isLarge = rows.length === 0
    const owner = super.latch(startTs, rows)
    if (isLarge) {
      this.#large.add(owner)
      this.#largeStarts.add(startTs)
    }
    return owner
  }

  /** A commit of several turns that has no timestamp so far is refused, or holds nothing while it waits. */
  override release(owner: LatchOwner, rows: readonly LatchRequest[]): void {
    const isGivingUp = owner.commitTs === undefined && rows.length > 0 && this.#large.has(owner)
    super.release(owner, rows)
    if (!isGivingUp) return
    if (this.#foundLatch) this.#counters.count('large commit refused by a latch')
    else if (this.#suspiciousStart === owner.startTs) {
      this.#counters.count('large commit refused by a version')
    }
  }

  override ownerOf(text: string, slot?: number): LatchOwner | undefined {
    const owner = this.#noticed('commit waited for a latch', super.ownerOf(text, slot))
    this.#foundLatch = owner !== undefined
    if (this.#foundLatch) this.#forgetAfterThisTurn()
    return owner
  }

  override mayBeWrittenSince(slot: number, startTs: Timestamp): boolean {
    const may = super.mayBeWrittenSince(slot, startTs)
    if (may) {
      this.#suspiciousStart = startTs
      this.#forgetAfterThisTurn()
    }
    return may
  }

  override hiding(row: Uint8Array, readTs: Timestamp): LatchOwner | undefined {
    return this.#noticed('reader waited for a latch', super.hiding(row, readTs))
  }

  override hidingBetween(
    start: Uint8Array,
    end: Uint8Array | undefined,
    readTs: Timestamp,
  ): LatchOwner | undefined {
    const owner = super.hidingBetween(start, end, readTs)
    if (owner !== undefined && this.#large.has(owner)) {
      this.#counters.count('large commit met by a scan')
    }
    return this.#noticed('scan dropped a chunk', owner)
  }

  /** Waiting follows in the turn in which the latch was met, so the last one that was met is it. */
  override nextRelease(owner: LatchOwner): Promise<void> {
    this.#foundLatch = false
    this.#counters.count(this.#met)
    return super.nextRelease(owner)
  }

  #noticed(wait: string, owner: LatchOwner | undefined): LatchOwner | undefined {
    if (owner !== undefined) this.#met = wait
    return owner
  }

  #forgetAfterThisTurn(): void {
    queueMicrotask(() => {
      this.#foundLatch = false
      this.#suspiciousStart = undefined
    })
  }
}
