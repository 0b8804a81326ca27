// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { writeRefusalOf } from '../../cells/disk-full.ts'
import type { SecondCopyState } from '../../cells/store-replication.ts'
import type { Clock } from '../../clock.ts'
import { noSecondCopy, StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import type { StorageLog } from '../../storage-log.ts'
import { askedAgain } from './asked-again.ts'
import { requirePlausibleClock } from './clock-at-start.ts'
import { lowerCounter, type OracleState, raiseCounter, readOracleState } from './oracle-row.ts'
import type { ReadStamp, Stamp, SynchronousOracle } from './timestamp-oracle.ts'
import { TrustedWallClock } from './trusted-wall-clock.ts'

/**
 * How far the mark is raised above the wall clock. After a crash timestamps go on above it, so this is
 * also how far they may then be ahead of the clock, until the clock has caught up.
 */
const MARK_AHEAD_MICROS = 1_000_000
/**
 * How far it is raised at least above the last timestamp, when that is ahead of the wall clock. Less,
 * because each process that is killed leaves this much unused: with as much as above, a server that is
 * restarted over and over would run further and further ahead of the clock.
 */
const TIMESTAMPS_AHEAD_MIN = 500_000

/** Readers are not held up by trying again more often, and a store that has room again is noticed. */
const NO_ROOM_PAUSE_MS = 1_000
/** How often a reader that waits for a mark looks whether the second copy of that can be had at all. */
const COPY_LOOK_MS = 50

type Dependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly log: StorageLog
  /** Whether a clock is taken that lies far from the timestamps of the store. */
  readonly acceptClock?: boolean | undefined
  /** What a mark waits for before anything beneath it is handed out (S4); absent where nobody can follow. */
  readonly secondCopy?: Pick<SecondCopyState, 'mode' | 'isLacking'> | undefined
}

/**
 * The oracle of a process that owns its store alone (Percolator 2.3): timestamps come from memory,
 * below a high-water mark that is on disk before anything beneath it is handed out.
 *
 *     mark on disk 106   last 100   clock 101   -> 101
 *     the process dies; the next one reads 106  -> 107, or the clock if that is later
 *     it is closed with last 107 instead: the mark becomes 107 again
 *
 * Schema fences are kept by table and in memory only: a restart ends every open transaction anyway.
 */
export class EmbeddedOracle implements SynchronousOracle {
  readonly #deps: Dependencies
  readonly wallClock: TrustedWallClock
  readonly #schemaFences = new Map<number, Timestamp>()
  readonly #closing = new AbortController()
  #last: Timestamp
  #mark: Timestamp
  /** From here on the mark is raised in the background, so that requests rarely wait for it. */
  #renewFrom: Timestamp = 0
  #safePoint: Timestamp
  #renewal: Promise<void> | undefined
  /** The renewal in progress was started before anything waited for it. */
  #isRenewedAhead = false
  /** A request has waited for the mark, and no timestamp has been taken since. */
  #isAwaited = false
  /** The store had no room for a higher mark. Until then no other try is made for a reader. */
  #noRoom: { readonly refusal: StorageError; readonly untilMs: number } | undefined
  /** As in the signal, which is slower to read than the rest of a timestamp takes. */
  #isClosed = false

  private constructor(deps: Dependencies, found: OracleState) {
    this.#deps = deps
    this.wallClock = new TrustedWallClock(deps.clock, deps.log)
    // Whatever an earlier process issued, it was not above its mark.
    this.#last = found.timestamp
    this.#mark = found.timestamp
    this.#safePoint = found.safePoint
  }

  /** Rejects with StorageError `clock_not_plausible`, and with CellStoreError. */
  static async open(deps: Dependencies): Promise<EmbeddedOracle> {
    const found = await readOracleState(deps.cellStore)
    if (deps.acceptClock !== true) requirePlausibleClock(deps.clock, found.timestamp)
    const oracle = new EmbeddedOracle(deps, found)
    await oracle.#renewMark().catch((error: unknown) => {
      // The store can still be read.
      if (oracle.#noRoom === undefined) throw error
    })
    return oracle
  }

  /** Rejects with StorageError `closed`, or with a CellStoreError when the mark cannot be raised. */
  async next(schemaScopes: readonly number[] = []): Promise<Stamp> {
    for (;;) {
      const timestamp = this.take()
      if (timestamp !== undefined) {
        // The fences are read in the turn that took the timestamp: no change can come in between.
        const schemaFence = this.schemaFenceOf(schemaScopes)
        return { timestamp, safePoint: this.#safePoint, schemaFence }
      }
      await this.markRaised()
    }
  }

  /** Throws StorageError `closed`. */
  take(): Timestamp | undefined {
    if (this.#isClosed) throw this.#closing.signal.reason
    const wallMicros = this.wallClock.micros()
    // The disk may have taken so long that the clock has passed the new mark already; then the mark
    // itself is as good a timestamp, and waiting for the next one would not end.
    const now = this.#isAwaited ? Math.min(wallMicros, this.#mark) : wallMicros
    // The renewal may have to wait for a group that takes the disk seconds. What is left below the mark
    // is used up one by one until then, so that a snapshot can be begun all the same. So it is while the
    // disk is full, when it has to last for the writers that free room.
    const isScarce = this.#isRenewedAhead || this.#noRoom !== undefined
    const timestamp = isScarce ? this.#last + 1 : Math.max(this.#last + 1, now)
    if (timestamp > this.#mark) return undefined
    this.#last = timestamp
    this.#isAwaited = false
    if (timestamp > this.#renewFrom) this.#renewMarkInBackground()
    return timestamp
  }

  /** Throws StorageError `closed`. */
  takeToRead(): ReadStamp | undefined {
    if (this.#noRoom !== undefined && !this.#isClosed) {
      const { refusal, untilMs } = this.#noRoom
      if (this.#deps.clock.monotonicMs() < untilMs) {
        return { timestamp: this.#last, safePoint: this.#safePoint, writeRefusal: refusal }
      }
    }
    const timestamp = this.take()
    if (timestamp !== undefined) return { timestamp, safePoint: this.#safePoint }
    if (this.#renewal === undefined || this.#deps.secondCopy?.isLacking !== true) return undefined
    // The mark may wait for hours. Reads go on where they are, as while the disk is full.
    return { timestamp: this.#last, safePoint: this.#safePoint, writeRefusal: noSecondCopy() }
  }

  /** Rejects with StorageError `closed`, or with a CellStoreError when the store does not answer. */
  async nextToRead(): Promise<ReadStamp> {
    for (;;) {
      const stamp = this.takeToRead()
      if (stamp !== undefined) return stamp
      const raised = this.markRaised().catch((error: unknown) => {
        if (this.#noRoom === undefined) throw error
      })
      await (this.#deps.secondCopy?.mode === 'required' ? this.#orLook(raised) : raised)
    }
  }

  /** Resolves with the promise, or when it is time to look whether that will. */
  async #orLook(raised: Promise<void>): Promise<void> {
    const ended = new AbortController()
    const look = this.#deps.clock.sleep(COPY_LOOK_MS, ended.signal).catch(() => undefined)
    try {
      await Promise.race([raised, look])
    } finally {
      ended.abort()
    }
  }

  /** Rejects with StorageError `closed`, or with a CellStoreError when the mark cannot be raised. */
  async markRaised(): Promise<void> {
    await this.#renewMark()
    this.#isAwaited = true
  }

  get safePoint(): Timestamp {
    return this.#safePoint
  }

  schemaFenceOf(schemaScopes: readonly number[]): Timestamp {
    let fence = 0
    for (const scope of schemaScopes) fence = Math.max(fence, this.#schemaFences.get(scope) ?? 0)
    return fence
  }

  async currentSafePoint(): Promise<Timestamp> {
    return this.#safePoint
  }

  /** Directly after the start this is the mark that was found: nothing at or below it is issued any more. */
  known(): Pick<Stamp, 'timestamp' | 'safePoint'> {
    return { timestamp: this.#last, safePoint: this.#safePoint }
  }

  lastSeen(): Timestamp {
    return this.#last
  }

  approximateNow(): Timestamp {
    return Math.max(this.#last, this.wallClock.micros())
  }

  async raiseSafePoint(to: Timestamp): Promise<void> {
    this.#assertIssued(to)
    // Memory first: from this turn on no read is answered that the next deletion could spoil.
    this.#safePoint = Math.max(this.#safePoint, to)
    const { cellStore, clock } = this.#deps
    await askedAgain(clock, this.#closing.signal, () => raiseCounter(cellStore, 'safePoint', to))
  }

  async raiseSchemaFence(schemaScopes: readonly number[], to: Timestamp): Promise<void> {
    this.fenceSchemas(schemaScopes, to)
  }

  fenceSchemas(schemaScopes: readonly number[], to: Timestamp): void {
    this.#assertIssued(to)
    for (const scope of schemaScopes) {
      this.#schemaFences.set(scope, Math.max(this.#schemaFences.get(scope) ?? 0, to))
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#closing.abort(new StorageError('closed', 'The timestamp oracle is closed.'))
    await this.#renewal?.catch(() => {})
    await this.#lowerMark()
  }

  /** Those who need it at the same time share one renewal. */
  #renewMark(): Promise<void> {
    this.#renewal ??= this.#raiseMark().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  #renewMarkInBackground(): void {
    if (this.#renewal !== undefined) return
    this.#isRenewedAhead = true
    this.#renewMark()
      .catch((error: unknown) => {
        // A full disk is logged elsewhere.
        if (this.#closing.signal.aborted || this.#noRoom !== undefined) return
        this.#deps.log.warn({ error: String(error) }, 'timestamp mark was not raised ahead')
      })
      .finally(() => {
        this.#isRenewedAhead = false
      })
  }

  async #raiseMark(): Promise<void> {
    const { cellStore, clock } = this.#deps
    const wallMicros = this.wallClock.micros()
    const next = Math.max(this.#last, wallMicros)
    const mark = Math.max(wallMicros + MARK_AHEAD_MICROS, this.#last + TIMESTAMPS_AHEAD_MIN)
    try {
      await askedAgain(clock, this.#closing.signal, () =>
        raiseCounter(cellStore, 'timestamp', mark),
      )
    } catch (error) {
      const refusal = writeRefusalOf(error)
      if (refusal !== undefined) {
        this.#noRoom = { refusal, untilMs: clock.monotonicMs() + NO_ROOM_PAUSE_MS }
        // The next request for one of the timestamps that are left finds out whether there is room again.
        this.#renewFrom = 0
      }
      throw error
    }
    this.#noRoom = undefined
    this.#mark = Math.max(this.#mark, mark)
    this.#renewFrom = next + Math.floor((mark - next) / 2)
  }

  /** The next process continues where this one stopped. If this fails, it only continues somewhat higher. */
  async #lowerMark(): Promise<void> {
    const { cellStore, log } = this.#deps
    const [from, to] = [this.#mark, this.#last]
    if (to >= from) return
    try {
      await lowerCounter(cellStore, 'timestamp', { from, to })
      this.#mark = to
    } catch (error) {
      log.info({ error: String(error) }, 'timestamp mark was not lowered to the last timestamp')
    }
  }

  #assertIssued(to: Timestamp): void {
    // A fence in the future would end transactions that are yet to begin (I8).
    invariant(to <= this.#last, 'I8', { fence: to, lastIssued: this.#last })
  }
}
