// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { type CellStore, requireAnswers } from '../../cells/cell-store.ts'
import { deletePlain, setPlain } from '../../cells/plain-row.ts'
import { type Clock, repeat } from '../../clock.ts'
import { RenewedMap, RenewedSet } from '../../collections/renewed-map.ts'
import { UnchangedValues } from '../../collections/unchanged-values.ts'
import { invariant } from '../../invariant.ts'
import type { Randomness } from '../../randomness.ts'
import type { StorageLog } from '../../storage-log.ts'
import { askedAgain } from '../oracle/asked-again.ts'
import type { TimestampOracle } from '../oracle/timestamp-oracle.ts'
import type { Lock } from '../records/lock.ts'
import { encodeToken, tokenRow } from './tokens/token.ts'
import { TokenWatch } from './tokens/token-watch.ts'

/**
 * Who is alive (Percolator 2.2, "cleanup": the Chubby token and the wall time in the lock). Every run of a process is
 * an incarnation with a random name, written into each lock it takes. Any process that meets a lock may roll it back if
 * its owner is dead.
 *
 * Only progress depends on this, never correctness: rolling back a living transaction aborts it cleanly, because its
 * commit is conditional on its primary lock (I3).
 */
export interface Liveness {
  /** 32 hexadecimal digits. */
  readonly incarnation: string
  /** Of the processes that share the store. */
  readonly tokens?: TokenWatch
  /**
   * A transaction of this process begins or ceases to hold locks. In between, `heartbeat` is called often enough to
   * keep its primary lock alive, where that is needed.
   */
  startedCommit(startTs: Timestamp, heartbeat: Heartbeat): void
  endedCommit(startTs: Timestamp): void
  isOwnerDead(lock: Lock): Promise<boolean>
  /** Where others reach this process; for those who share the store. Rejects with CellStoreError. */
  announce(url: string): Promise<void>
  /** The wall time for a lock or heartbeat that is written now, in microseconds. */
  wallMicros(): number
  stop(): Promise<void>
}

/** Renews the wall time in the primary lock, if that still exists. */
export type Heartbeat = () => Promise<unknown>

/** A lock without a heartbeat for this long is dead, whatever its owner's token says. */
export const LOCK_TTL_MS = 3_000
/** The life of a token while its process commits, or did so just now. */
export const TOKEN_TTL_MS = 2_000
/** That of a process that holds no locks: its first ones die by themselves after `LOCK_TTL_MS`, whatever it says. */
export const IDLE_TOKEN_TTL_MS = 12_000

function newIncarnation(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(16)).toString('hex')
}

/**
 * Liveness for one process that owns the store: every other incarnation is a run that has ended, and a lock of this one
 * is alive exactly while its commit is under way.
 */
export class ExclusiveLiveness implements Liveness {
  readonly incarnation: string
  readonly #clock: Clock
  readonly #committing = new RenewedSet<Timestamp>()

  constructor(deps: { readonly clock: Clock; readonly randomness: Randomness }) {
    this.#clock = deps.clock
    this.incarnation = newIncarnation(deps.randomness)
  }

  startedCommit(startTs: Timestamp): void {
    this.#committing.add(startTs)
  }

  endedCommit(startTs: Timestamp): void {
    this.#committing.delete(startTs)
  }

  async isOwnerDead(lock: Lock): Promise<boolean> {
    return lock.incarnation !== this.incarnation || !this.#committing.has(lock.startTs)
  }

  wallMicros(): number {
    return this.#clock.wallMicros()
  }

  async announce(): Promise<void> {}

  async stop(): Promise<void> {}
}

type SharedLivenessDependencies = {
  readonly cellStore: CellStore
  readonly oracle: TimestampOracle
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: StorageLog
  /** Of the transactions of this process; undefined when none is open. */
  readonly oldestSnapshot: () => Timestamp | undefined
}

/**
 * Liveness for several processes that share the store: each renews a token row `live/<incarnation>` that says for how
 * long it lives, which the others measure on their own clocks (L1): those of different machines are never compared.
 */
export class SharedLiveness implements Liveness {
  readonly incarnation: string
  readonly tokens: TokenWatch
  readonly #deps: SharedLivenessDependencies
  readonly #committing = new RenewedMap<Timestamp, Heartbeat>()
  readonly #stopping = new AbortController()
  /**
   * Locks by transaction and the wall time in them: the primary's is renewed and that of the others is not, so a
   * transaction may be seen with two of them.
   */
  readonly #locks: UnchangedValues
  #renewing: Promise<void> = Promise.resolve()
  #committedMs = -Infinity
  #url = ''
  #renewal = 0
  #written = Buffer.alloc(0)
  /** Until when the others take the process for alive at least, on the monotonic clock. */
  #livesUntilMs = -Infinity

  private constructor(deps: SharedLivenessDependencies) {
    this.#deps = deps
    this.incarnation = newIncarnation(deps.randomness)
    this.tokens = new TokenWatch(deps, this.incarnation)
    this.#locks = new UnchangedValues(deps.clock)
  }

  /** Resolves when the token is written, which is before the first lock can be. */
  static async start(deps: SharedLivenessDependencies): Promise<SharedLiveness> {
    const liveness = new SharedLiveness(deps)
    await liveness.#renew(IDLE_TOKEN_TTL_MS)
    liveness.#renewing = repeat(deps.clock, {
      everyMs: TOKEN_TTL_MS / 3,
      signal: liveness.#stopping.signal,
      work: async () => {
        await liveness.#renewIfDue()
        await Promise.all([...liveness.#committing.values()].map((heartbeat) => heartbeat()))
      },
      failed: (error) => deps.log.warn({ error: String(error) }, 'liveness token was not renewed'),
    })
    return liveness
  }

  startedCommit(startTs: Timestamp, heartbeat: Heartbeat): void {
    this.#committing.set(startTs, heartbeat)
    this.#committedMs = this.#deps.clock.monotonicMs()
  }

  endedCommit(startTs: Timestamp): void {
    this.#committing.delete(startTs)
  }

  async isOwnerDead(lock: Lock): Promise<boolean> {
    if (lock.incarnation === this.incarnation) return !this.#committing.has(lock.startTs)
    if (this.#seenUnchangedTooLong(lock)) return true
    if (await this.tokens.hasEnded(lock.incarnation)) return true
    return lock.wallMicros + LOCK_TTL_MS * 1000 < (await this.#freshNow())
  }

  /**
   * About the oracle's time, and not the wall clock: one that has jumped ahead would write locks that no process
   * considers old until the others have caught up.
   */
  wallMicros(): number {
    return this.#deps.oracle.approximateNow()
  }

  async announce(url: string): Promise<void> {
    this.#url = url
    await this.#renew(IDLE_TOKEN_TTL_MS)
  }

  /** Takes the token away, so that the others know at once. Without it they find out when it expires. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#renewing
    const { cellStore, log } = this.#deps
    const row = tokenRow(this.incarnation)
    const [error] = await cellStore
      .mutateRows([{ row, mutations: [deletePlain()] }])
      .catch((failure: unknown) => [failure])
    if (error != null) log.warn({ error: String(error) }, 'the token was not taken away')
  }

  /** Where nobody has asked for a while, the first timestamp is of then, and has the next one raised. */
  async #freshNow(): Promise<Timestamp> {
    const { oracle } = this.#deps
    const { timestamp } = await oracle.next()
    const isStale = oracle.approximateNow() - timestamp > STALE_MICROS
    return isStale ? (await oracle.next()).timestamp : timestamp
  }

  /** Whether the lock was seen without a heartbeat for longer than its TTL, on this process' own clock. */
  #seenUnchangedTooLong(lock: Lock): boolean {
    const nowMs = this.#deps.clock.monotonicMs()
    const name = `${lock.incarnation}/${lock.startTs}/${lock.wallMicros}`
    return this.#locks.saw(name, SAME, nowMs) > LOCK_TTL_MS
  }

  /** At each turn while it commits, so that its locks are known to be alive; else seldom. */
  async #renewIfDue(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs()
    const isBusy = this.#committing.size > 0 || nowMs - this.#committedMs < BUSY_MS
    if (isBusy) await this.#renew(TOKEN_TTL_MS)
    else if (this.#livesUntilMs - nowMs < IDLE_TOKEN_TTL_MS / 2)
      await this.#renew(IDLE_TOKEN_TTL_MS)
  }

  async #renew(lifeMs: number): Promise<void> {
    const { cellStore, oracle, clock, oldestSnapshot } = this.#deps
    const livesUntilMs = clock.monotonicMs() + lifeMs
    // Without a stamp: who commits has taken some just now, and nobody waits for the locks of others.
    const renewedAt = oracle.approximateNow()
    this.#renewal += 1
    const token = encodeToken({
      ...{ lifeMs, renewal: this.#renewal, renewedAt },
      ...{ oldestSnapshot: oldestSnapshot(), url: this.#url },
    })
    // The others would take it for one that was not renewed.
    invariant(!this.#written.equals(token), 'L1', { lifeMs, renewedAt })
    this.#written = Buffer.from(token)
    const mutations = [setPlain(token)]
    const row = tokenRow(this.incarnation)
    await askedAgain(clock, this.#stopping.signal, async () => {
      requireAnswers(await cellStore.mutateRows([{ row, mutations }]))
    })
    this.#livesUntilMs = livesUntilMs
  }
}

/** The name of a lock has what changes of it. */
const SAME = new Uint8Array()
/** As far as timestamps may lag the clock. */
const STALE_MICROS = 1_000_000
/** For so long after a commit its process may have another one at any moment. */
const BUSY_MS = 5_000
