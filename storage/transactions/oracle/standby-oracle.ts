// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { Clock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import type { StorageLog } from '../../storage-log.ts'
import { unlessAborted } from '../../unless-aborted.ts'
import type { ReadStamp, Stamp, SynchronousOracle } from './timestamp-oracle.ts'
import { TrustedWallClock } from './trusted-wall-clock.ts'

/**
 * The timestamps of a standby: those up to which it has every commit of its primary. It gives out none of its own,
 * so it only reads.
 *
 *     groups up to number 7 are applied; the primary says that they have all commits up to 120    a read is at 120
 *     groups 8 and 9 are applied, and have commits above 130 of which some may be missing          a read is at 120
 *     the primary says that groups up to 9 have all up to 150                                      a read is at 150
 */
export class StandbyOracle implements SynchronousOracle {
  readonly wallClock: TrustedWallClock
  #visible: Timestamp
  #safePoint: Timestamp
  #catalogFence: Timestamp
  /** Changes of the catalog that are applied are at or below; those above `#visible` come into the view later. */
  #catalogChangedUpTo: Timestamp = 0
  #raised = Promise.withResolvers<void>()
  #isClosed = false

  constructor(
    deps: { readonly clock: Clock; readonly log: StorageLog },
    found: { readonly visible: Timestamp; readonly safePoint: Timestamp },
  ) {
    this.wallClock = new TrustedWallClock(deps.clock, deps.log)
    this.#visible = Math.max(found.visible, found.safePoint)
    this.#safePoint = found.safePoint
    this.#catalogFence = this.#visible
  }

  get safePoint(): Timestamp {
    return this.#safePoint
  }

  /**
   * Every commit up to here is in the view. Never falls back. The catalog may have changed up to a timestamp that is
   * above:
   *
   *     group 8 changes the catalog at 130; reads are at 120       a catalog as of 120 is still the newest
   *     the primary says that groups up to 8 have all up to 150    a read at 150 must not take that one
   */
  show(visible: Timestamp, changed: { readonly catalogUpTo: Timestamp | undefined }): void {
    const isHigher = visible > this.#visible
    if (isHigher) this.#visible = visible
    this.#catalogChangedUpTo = Math.max(this.#catalogChangedUpTo, changed.catalogUpTo ?? 0)
    if (this.#catalogFence < this.#catalogChangedUpTo) this.#catalogFence = this.#visible
    invariant(this.#catalogFence <= this.#visible, 'S3', { fence: this.#catalogFence })
    if (!isHigher) return
    this.#raised.resolve()
    this.#raised = Promise.withResolvers()
  }

  /** Told before what lies below it is deleted: no read is answered that the deletion could spoil (F2). */
  passSafePoint(to: Timestamp): void {
    this.#safePoint = Math.max(this.#safePoint, to)
  }

  /** Resolves when a read sees everything up to this timestamp. Rejects with the signal's reason, and `closed`. */
  async reached(timestamp: Timestamp, signal: AbortSignal): Promise<void> {
    while (this.#visible < timestamp) {
      this.#requireOpen()
      await unlessAborted(signal, this.#raised.promise)
    }
  }

  takeToRead(): ReadStamp {
    this.#requireOpen()
    const [timestamp, safePoint, catalogFence] = [
      this.#visible,
      this.#safePoint,
      this.#catalogFence,
    ]
    return { timestamp, safePoint, catalogFence }
  }

  async nextToRead(): Promise<ReadStamp> {
    return this.takeToRead()
  }

  take(): never {
    throw givesNone()
  }

  async next(): Promise<Stamp> {
    throw givesNone()
  }

  async markRaised(): Promise<void> {
    throw givesNone()
  }

  async raiseSafePoint(): Promise<void> {
    throw givesNone()
  }

  async raiseSchemaFence(): Promise<void> {
    throw givesNone()
  }

  fenceSchemas(): void {
    throw givesNone()
  }

  schemaFenceOf(): Timestamp {
    return this.#catalogFence
  }

  async currentSafePoint(): Promise<Timestamp> {
    return this.#safePoint
  }

  known(): Pick<Stamp, 'timestamp' | 'safePoint'> {
    return { timestamp: this.#visible, safePoint: this.#safePoint }
  }

  lastSeen(): Timestamp {
    return this.#visible
  }

  approximateNow(): Timestamp {
    return Math.max(this.#visible, this.wallClock.micros())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#raised.resolve()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new StorageError('closed', 'The timestamp oracle is closed.')
  }
}

/** The gate refuses all writes before they come here. */
function givesNone(): Error {
  invariant(false, 'I8', { timestamps: 'are not given out by a standby' })
  throw new Error('unreachable')
}
