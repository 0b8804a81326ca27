// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { writeRefusalOf } from '../../cells/disk-full.ts'
import type { Clock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import type { StorageLog } from '../../storage-log.ts'
import { askedAgain, NEVER_ABORTED } from './asked-again.ts'
import { BoundedWallClock } from './bounded-wall-clock.ts'
import { requirePlausibleClock } from './clock-at-start.ts'
import {
  createOracleRow,
  type OracleCounter,
  type OracleState,
  raiseCounter,
  readOracleState,
  type SchemaFence,
  schemaFenceOf,
  type TakenTimestamps,
  takeTimestamps,
} from './oracle-row.ts'
import {
  CATALOG_SCOPE,
  type ReadStamp,
  type Stamp,
  type TimestampOracle,
} from './timestamp-oracle.ts'
import { TrustedWallClock } from './trusted-wall-clock.ts'

/** How far the counter may lag the wall clock before it is raised to it, in microseconds. */
const BEHIND_MICROS_MAX = 1_000_000
/** So much less that with a counter that is raised by each increment it never lags so far. */
const TOWARDS_MICROS = BEHIND_MICROS_MAX / 2

/** How long a safe point that was read may be relied on, counted from before it was asked for. */
const LEASE_MS = 30_000

/** A lease, and 5 % for clocks that run at different rates: then no process relies on an older one. */
const LEASE_WAITED_OUT_MS = LEASE_MS * 1.05

type Dependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly log: StorageLog
  /** Whether no other process has the store open, and could hold a lease. */
  readonly isOnlyOwner?: boolean
  /** Whether a clock is taken that lies far from the timestamps of the store. */
  readonly acceptClock?: boolean | undefined
  /** Whether other processes may have the store open, whose time counts as well. */
  readonly hasOthers?: boolean
}

/** Requests that share one call of the store. */
type Sharing = {
  count: number
  readonly schemaFences: Set<SchemaFence>
  /** Their timestamps begin with this one. */
  readonly answer: PromiseWithResolvers<TakenTimestamps>
}

/**
 * The oracle of several processes over one store: the counter is in the store, and a stamp is one
 * read-modify-write of the oracle's row, which returns the fences in the same atomic step.
 *
 * Requests that are already waiting share one call, and there is at most one call in progress. No timestamp is
 * ever taken in advance: a spare timestamp could become a commitTs below a startTs that another
 * process has been reading at since.
 */
export class SharedOracle implements TimestampOracle {
  readonly #deps: Dependencies
  readonly wallClock: BoundedWallClock
  readonly #closing = new AbortController()
  #waiting: Sharing | undefined
  #asking: Promise<void> | undefined
  #lastSeen: Timestamp
  /** How far timestamps were ahead of the monotonic clock when they were furthest, in microseconds. */
  #aheadOfClock: number
  /** The largest safe point known, and until when on the monotonic clock no larger one matters. */
  #safePoint: Timestamp
  #leasedUntilMs = -Infinity

  private constructor(deps: Dependencies, { timestamp: lastSeen, safePoint }: OracleState) {
    this.#deps = deps
    this.#safePoint = safePoint
    this.wallClock = new BoundedWallClock(deps.clock, new TrustedWallClock(deps.clock, deps.log))
    // With nobody else, or in a new store, there is nothing to compare the clock with.
    if (deps.hasOthers === true && lastSeen > 0) this.wallClock.reached(lastSeen)
    this.#lastSeen = lastSeen
    this.#aheadOfClock = lastSeen - this.#clockMicros()
  }

  /** Rejects with StorageError `clock_not_plausible`, and with CellStoreError. */
  static async open(deps: Dependencies): Promise<SharedOracle> {
    const state = await askedAgain(deps.clock, NEVER_ABORTED, () => createOracleRow(deps.cellStore))
    if (deps.acceptClock !== true) requirePlausibleClock(deps.clock, state.timestamp)
    const oracle = new SharedOracle(deps, state)
    await oracle.#raiseToWallClock()
    return oracle
  }

  /** Rejects with StorageError `closed`, or with the store's CellStoreError after asking several times. */
  async next(schemaScopes: readonly number[] = []): Promise<Stamp> {
    this.#closing.signal.throwIfAborted()
    this.#waiting ??= { count: 0, schemaFences: new Set(), answer: Promise.withResolvers() }
    const sharing = this.#waiting
    const at = sharing.count++
    const wanted = schemaScopes.map(schemaFenceOf)
    for (const fence of wanted) sharing.schemaFences.add(fence)
    this.#asking ??= this.#answerWaiting()
    const { timestamp: first, schemaFences, ...fences } = await sharing.answer.promise
    const schemaFence = Math.max(0, ...wanted.map((fence) => schemaFences.get(fence) ?? 0))
    return { ...fences, schemaFence, timestamp: first + at }
  }

  async nextToRead(): Promise<ReadStamp> {
    try {
      return await this.next()
    } catch (error) {
      const writeRefusal = writeRefusalOf(error)
      if (writeRefusal === undefined) throw error
      // The counter is the last timestamp that any process was given.
      const { timestamp, safePoint } = await readOracleState(this.#deps.cellStore)
      this.#saw(timestamp)
      return { timestamp, safePoint, writeRefusal }
    }
  }

  known(): Pick<Stamp, 'timestamp' | 'safePoint'> {
    return { timestamp: this.#lastSeen, safePoint: this.#safePoint }
  }

  async currentSafePoint(): Promise<Timestamp> {
    this.#closing.signal.throwIfAborted()
    if (this.#deps.clock.monotonicMs() < this.#leasedUntilMs) return this.#safePoint
    return (await this.nextToRead()).safePoint
  }

  lastSeen(): Timestamp {
    return this.#lastSeen
  }

  approximateNow(): Timestamp {
    return this.#clockMicros() + this.#aheadOfClock
  }

  /**
   * Resolves only when no process can still hold the older safe point under a lease, about half a
   * minute later: the caller is free to delete what lies below `to` then.
   */
  async raiseSafePoint(to: Timestamp, signal?: AbortSignal): Promise<void> {
    await this.#raise('safePoint', to)
    this.#safePoint = Math.max(this.#safePoint, to)
    if (this.#deps.isOnlyOwner) return
    const ending = AbortSignal.any([
      this.#closing.signal,
      ...(signal === undefined ? [] : [signal]),
    ])
    // Also when the store had it already: another process may have raised it only just now.
    await this.#deps.clock.sleep(LEASE_WAITED_OUT_MS, ending)
  }

  async raiseSchemaFence(schemaScopes: readonly number[], to: Timestamp): Promise<void> {
    const fences = schemaScopes.map((scope) =>
      scope === CATALOG_SCOPE ? 'catalogFence' : schemaFenceOf(scope),
    )
    await Promise.all([...new Set(fences)].map((fence) => this.#raise(fence, to)))
  }

  async close(): Promise<void> {
    this.#closing.abort(new StorageError('closed', 'The timestamp oracle is closed.'))
    this.#takeWaiting()?.answer.reject(this.#closing.signal.reason)
    await this.#asking
  }

  /** Serves all waiting requests, call after call, until none is left. */
  async #answerWaiting(): Promise<void> {
    while (this.#waiting !== undefined) {
      let served: Sharing | undefined
      try {
        // The rest of this turn's requests join this call.
        await Promise.resolve()
        served = this.#takeWaiting()
        if (served === undefined) continue
        await this.#askFor(served)
      } catch (error) {
        served?.answer.reject(error)
        // Those that have come since have waited long enough for the same store.
        this.#takeWaiting()?.answer.reject(error)
        continue
      }
      await this.#raiseToWallClock()
    }
    this.#asking = undefined
  }

  #takeWaiting(): Sharing | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }

  async #askFor(served: Sharing): Promise<void> {
    const { cellStore, clock } = this.#deps
    const state = await askedAgain(clock, this.#closing.signal, async () => {
      const askedAtMs = clock.monotonicMs()
      const wanted = { count: served.count, towards: this.#halfSecond() }
      const taken = await takeTimestamps(cellStore, wanted, served.schemaFences)
      // In one turn: a lease that is renewed before its safe point would vouch for the old one.
      this.#safePoint = Math.max(this.#safePoint, taken.safePoint)
      this.#leasedUntilMs = askedAtMs + LEASE_MS
      return taken
    })
    const { timestamp: last, ...fences } = state
    this.#saw(last)
    const first = last - served.count + 1
    served.answer.resolve({ ...fences, timestamp: first })
  }

  /**
   * Keeps timestamps near the wall clock, behind an answer, which need not wait for it. The counter only ever rises, so
   * this cannot disturb the order; other processes may have raised it already, and then the call changes nothing.
   */
  async #raiseToWallClock(): Promise<void> {
    const wallMicros = this.wallClock.micros()
    if (wallMicros - this.#lastSeen <= BEHIND_MICROS_MAX) return
    try {
      await this.#raise('timestamp', wallMicros)
      this.#saw(wallMicros)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      const { log } = this.#deps
      log.warn(
        { error: String(error) },
        'timestamps stay behind the clock: the counter was not raised',
      )
    }
  }

  /** Where an engine may raise the counter: not the clock itself, so that nearly always all gateways mean the same. */
  #halfSecond(): Timestamp {
    return Math.floor(this.wallClock.micros() / TOWARDS_MICROS) * TOWARDS_MICROS
  }

  #saw(timestamp: Timestamp): void {
    this.wallClock.saw(timestamp)
    this.#lastSeen = Math.max(this.#lastSeen, timestamp)
    this.#aheadOfClock = Math.max(this.#aheadOfClock, timestamp - this.#clockMicros())
  }

  #clockMicros(): number {
    return Math.floor(this.#deps.clock.monotonicMs() * 1_000)
  }

  async #raise(counter: OracleCounter, to: Timestamp): Promise<void> {
    const { cellStore, clock } = this.#deps
    this.#closing.signal.throwIfAborted()
    await askedAgain(clock, this.#closing.signal, () => raiseCounter(cellStore, counter, to))
  }
}
