// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { StorageError } from '../errors.ts'
import { tableIdOf } from '../tables/bytes/key-encoding.ts'
import { type Catalog, requireObserver, type TableObserver } from '../tables/catalog/catalog.ts'
import type { NotifiedRow } from '../transactions/buffer/buffered-notifications.ts'
import type { FeedFollower, FeedListener } from '../transactions/feed/change-feed.ts'
import { reading } from '../transactions/own-transactions.ts'
import { BackgroundLoop } from '../transactions/protocol/background-loop.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { readDeadLetterPage } from './dead-letter.ts'
import { observerBackfiller } from './observer-backfiller.ts'
import { ObserverCascade } from './observer-cascade.ts'
import type { ObserverDependencies } from './observer-parts.ts'
import { readObserverStatus } from './observer-status.ts'
import { ObserverWork } from './observer-work.ts'
import type {
  DeadLetterPage,
  DeadLettersWanted,
  LeaseOptions,
  Notification,
  ObserverStatus,
  Observers,
} from './observers.ts'

export const OBSERVER_TIMES = {
  /** How often the store is looked at for notifications: the only owner hears of all that it commits. */
  scanMs: { exclusive: 5_000, shared: 500 },
  /** How often a gateway looks for changes of observers by others. */
  lookMs: 2_000,
} as const

/**
 * Hands the notifications of the store to the callers that run them. What this process commits is queued at once;
 * the log of commits and looks into the store find what other processes have written, what was left by those that
 * died, and what did not fit into the queues.
 */
export class StoreObservers implements Observers {
  readonly #deps: ObserverDependencies
  /** By the id of the observer; only those that were asked for. */
  readonly #works = new Map<number, ObserverWork>()
  readonly #cascade = new ObserverCascade()
  readonly #backfiller: BackgroundLoop
  readonly #runs = new WeakMap<Transaction, number>()
  readonly #loop: BackgroundLoop
  /** Of the commits of other processes. */
  #follower: FeedFollower | undefined
  /** The gateways that lived at the last look. */
  #living: ReadonlySet<string> = new Set()
  #livingDueMs = 0
  #lookedAt = 0
  #catalogMayHaveChanged = false
  #leases = 0

  constructor(deps: ObserverDependencies) {
    this.#deps = deps
    this.#backfiller = observerBackfiller(deps)
    this.#loop = new BackgroundLoop(deps, {
      pass: (signal) => this.#serveAll(signal),
      failureMessage: 'looking for observers was interrupted',
    })
  }

  start(): void {
    this.#backfiller.start()
  }

  async lease(observerName: string, options: LeaseOptions = {}): Promise<Notification> {
    this.#checkOpen()
    options.signal?.throwIfAborted()
    const found = await this.#read((catalog) => requireObserver(catalog, observerName))
    this.#checkOpen()
    const work = this.#workOf(found)
    this.#loop.start()
    return await work.next(options)
  }

  async status(): Promise<ObserverStatus[]> {
    const observers = await this.#read((catalog) => catalog.observers())
    const names = new Map(observers.map(({ observer }) => [observer.id, observer.name]))
    const statuses: ObserverStatus[] = []
    for (const found of observers) {
      const work = this.#works.get(found.observer.id)
      const cycle = this.#cascade.cycleOf(found.observer.id)
      const cyclesWith = cycle.flatMap((id) => names.get(id) ?? [])
      statuses.push(await readObserverStatus(this.#deps, found, { work, cyclesWith }))
    }
    return statuses.sort((a, b) => (a.observer < b.observer ? -1 : 1))
  }

  async deadLetters(observerName: string, wanted: DeadLettersWanted): Promise<DeadLetterPage> {
    const { catalog } = this.#deps
    return await reading(this.#deps, async (transaction) => {
      const { observer } = requireObserver(await catalog(transaction), observerName)
      return await readDeadLetterPage(transaction, observer, wanted)
    })
  }

  /** A transaction of this process has committed, and notified these. */
  committed(rows: readonly NotifiedRow[], transaction: Transaction, commitTs: Timestamp): void {
    const from = this.#runs.get(transaction)
    for (const { key, observerId, at } of rows) {
      if (from !== undefined && this.#cascade.notified(from, observerId)) this.#warnOfCircle(from)
      const timestamp = at === 'start' ? transaction.startTs : commitTs
      this.#works.get(observerId)?.changed({ key, timestamp })
    }
  }

  /** To be called when a transaction that has changed the catalog has ended. */
  catalogChanged(): void {
    this.#catalogMayHaveChanged = true
    this.#loop.wake()
    this.#backfiller.wake()
  }

  /** Ends all waiting with StorageError `closed`. What is being run may still be ended by its holder. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#backfiller.stop()])
    this.#follower?.stop()
    await Promise.all([...this.#works.values()].map((work) => work.end(stopped())))
  }

  /** All of a circle have been run by this process, so their names are known. */
  #warnOfCircle(observerId: number): void {
    const observers = this.#cascade
      .cycleOf(observerId)
      .flatMap((id) => this.#works.get(id)?.name ?? [])
    this.#deps.log.warn({ observers }, 'observers notify each other in a circle, or one itself')
  }

  #workOf(found: TableObserver): ObserverWork {
    const known = this.#works.get(found.observer.id)
    if (known !== undefined) return known
    // The definition may have been changed since it was read.
    this.#catalogMayHaveChanged = true
    const work = new ObserverWork(
      {
        ...this.#deps,
        wake: () => this.#loop.wake(),
        runs: (transaction, observerId) => this.#runs.set(transaction, observerId),
        newLeaseId: () => {
          this.#leases += 1
          return `${found.observer.name}-${this.#leases}`
        },
      },
      found,
    )
    this.#works.set(found.observer.id, work)
    return work
  }

  /** Resolves to the milliseconds after which there may be something to do; undefined: when woken. */
  async #serveAll(signal: AbortSignal): Promise<number | undefined> {
    await this.#lookAtCatalog()
    await this.#followOthers()
    await this.#lookForEnded()
    let waitMs = this.#deps.lookMs
    for (const work of this.#works.values()) {
      const next = await this.#search(work, signal)
      if (next !== undefined) waitMs = Math.min(waitMs ?? next, next)
    }
    return waitMs
  }

  /** A commit whose timestamp is older set its notify cells before this one was taken: a walk finds them. */
  async #followOthers(): Promise<void> {
    const { others, oracle, log, scanMs } = this.#deps
    if (others === undefined || this.#follower !== undefined || this.#works.size === 0) return
    const { timestamp } = await oracle.nextToRead()
    const listener: FeedListener = {
      commit: ({ rows }) => this.#named(rows.map(({ key }) => key)),
      hinted: (keys) => this.#named(keys),
      failed: (error) => {
        log.warn({ error: String(error) }, 'following the notifications was interrupted')
        this.#follower = undefined
      },
    }
    this.#follower = others.feed.follow(timestamp, listener, { everyMs: scanMs })
    for (const work of this.#works.values()) work.walkSoon()
  }

  /**
   * What a gateway had notified that has ended in the middle of a commit is in no log. A walk finds it, and the run
   * settles its locks.
   */
  async #lookForEnded(): Promise<void> {
    const { others, clock } = this.#deps
    if (others === undefined || this.#works.size === 0) return
    if (clock.monotonicMs() < this.#livingDueMs) return
    const found = await others.gateways.living(GATEWAYS_MAX)
    const living = new Set(found.map(({ incarnation }) => incarnation))
    const hasEnded = [...this.#living].some((incarnation) => !living.has(incarnation))
    this.#living = living
    this.#livingDueMs = clock.monotonicMs() + LIVING_LOOK_MS
    if (hasEnded) for (const work of this.#works.values()) work.walkSoon()
  }

  #named(keys: readonly Uint8Array[]): void {
    for (const key of keys) {
      const tableId = tableIdOf(key)
      for (const work of this.#works.values()) if (work.tableId === tableId) work.named(key)
    }
  }

  /** One that cannot go on does not keep the others from being served. */
  async #search(work: ObserverWork, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await work.search(signal)
    } catch (error) {
      if (signal.aborted) throw error
      this.#deps.log.warn({ error: String(error) }, 'looking for notifications was interrupted')
      return RETRY_MS
    }
  }

  async #lookAtCatalog(): Promise<void> {
    const { clock, lookMs } = this.#deps
    const isDue = lookMs !== undefined && clock.monotonicMs() >= this.#lookedAt + lookMs
    if (!this.#catalogMayHaveChanged && !isDue) return
    // Nothing of this process could be changed by it.
    if (this.#works.size === 0) return
    this.#catalogMayHaveChanged = false
    this.#lookedAt = clock.monotonicMs()
    const observers = await this.#read((catalog) => catalog.observers()).catch((error: unknown) => {
      this.#catalogMayHaveChanged = true
      throw error
    })
    const byId = new Map(observers.map((found) => [found.observer.id, found]))
    for (const [id, work] of this.#works) {
      const found = byId.get(id)
      if (found !== undefined) {
        work.define(found)
        continue
      }
      this.#works.delete(id)
      await work.end(dropped())
    }
  }

  async #read<T>(look: (catalog: Catalog) => T): Promise<T> {
    const { catalog } = this.#deps
    return await reading(this.#deps, async (transaction) => look(await catalog(transaction)))
  }

  #checkOpen(): void {
    if (this.#loop.isStopped) throw stopped()
    const refusal = this.#deps.refusal()
    if (refusal?.code === 'not_primary') throw refusal
  }
}

function dropped(): StorageError {
  return new StorageError('unknown_observer', 'The observer has been dropped.')
}

function stopped(): StorageError {
  return new StorageError('closed', 'The store is being closed.')
}

const RETRY_MS = 1_000
const LIVING_LOOK_MS = 5_000
const GATEWAYS_MAX = 20_000
