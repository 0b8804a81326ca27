// SPDX-License-Identifier: Apache-2.0
import { endOfPrefix } from '../cells/row-key.ts'
import { tableSpace } from '../tables/bytes/key-encoding.ts'
import type { TableObserver } from '../tables/catalog/catalog.ts'
import { isDue } from '../tables/due-index.ts'
import { reading } from '../transactions/own-transactions.ts'
import { readDeadLetters } from './dead-letter.ts'
import { DueLooks } from './due-looks.ts'
import { type LeaseDependencies, LeasedNotification } from './leased-notification.ts'
import { LoggedNotifications } from './notifications/logged-notifications.ts'
import { NotificationQueue } from './notifications/notification-queue.ts'
import { NotificationScanner } from './notifications/notification-scanner.ts'
import type { FoundNotification, NotificationSource } from './notifications/notification-source.ts'
import { ObserverCounters } from './observer-counters.ts'
import type { LeaseOptions, Notification } from './observers.ts'

export type ObserverWorkDependencies = Omit<
  LeaseDependencies,
  'queue' | 'counters' | 'metOthers' | 'observerGone'
> & {
  readonly newLeaseId: () => string
}

type Waiter = {
  readonly leaseMs: number | undefined
  readonly resolve: (notification: Notification) => void
  readonly reject: (reason: unknown) => void
}

/** One observer in this process: its queued notifications, the callers that wait for them, and the search for more. */
export class ObserverWork {
  readonly counters = new ObserverCounters()
  readonly #deps: ObserverWorkDependencies
  readonly #leaseParts: LeaseDependencies
  readonly #queue = new NotificationQueue()
  readonly #source: NotificationSource
  /** The same, where processes share the store; a single owner needs no log. */
  readonly #logged: LoggedNotifications | undefined
  readonly #waiters = new Set<Waiter>()
  /** Of an observer DUE. */
  readonly #dueLooks: DueLooks | undefined
  readonly #gone = new AbortController()
  #found: TableObserver
  /** Whether dead letters have to be read, before the next one is handed out. */
  #isAnew = true
  /** When the store is to be looked at next; at once while it is 0. */
  #scanDueMs = 0

  constructor(deps: ObserverWorkDependencies, found: TableObserver) {
    this.#deps = deps
    this.#found = found
    const start = tableSpace(found.table.id)
    // No table id is FF FF FF FF with a space byte FF, so a table's space always has an end.
    const end = endOfPrefix(start) as Uint8Array
    const range = { observerId: found.observer.id, start, end }
    this.#logged = deps.others === undefined ? undefined : new LoggedNotifications(deps, range)
    this.#source = this.#logged ?? new NotificationScanner(deps.cellStore, deps.randomness, range)
    this.#dueLooks = isDue(found.observer) ? new DueLooks(deps, found.observer.id) : undefined
    this.#leaseParts = {
      ...deps,
      queue: this.#queue,
      counters: this.counters,
      observerGone: this.#gone.signal,
      metOthers: () => this.#logged?.teleport(),
    }
  }

  get name(): string {
    return this.#found.observer.name
  }

  get tableId(): number {
    return this.#found.table.id
  }

  get running(): number {
    return this.#queue.running
  }

  get waiting(): number {
    return this.#waiters.size
  }

  /** The definition that is valid now. RESUME and REPLAY take up what has failed. */
  define(found: TableObserver): void {
    const before = this.#found.observer
    const { epoch, resumedAt, state } = found.observer
    this.#found = found
    if (before.epoch === epoch && before.resumedAt === resumedAt && before.state === state) return
    this.#isAnew = true
    this.#queue.hasten()
    this.walkSoon()
  }

  /** What this process was told of may not be all. */
  walkSoon(): void {
    this.#scanDueMs = 0
    this.#logged?.walkSoon()
  }

  /** Another process may have notified this row. */
  named(key: Uint8Array): void {
    this.#logged?.name(key)
  }

  /** A change that this process has committed. */
  changed(found: FoundNotification): void {
    this.#queue.offer(found, 'isNews')
    this.#serve()
  }

  async next({ signal, leaseMs }: LeaseOptions): Promise<Notification> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Notification>()
    const waiter = { leaseMs, resolve, reject }
    this.#waiters.add(waiter)
    const abort = () => {
      this.#waiters.delete(waiter)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#serve()
    if (this.#waiters.has(waiter)) this.#deps.wake()
    return await promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Of an observer DUE: the key of its index before which nothing waits, but for what was written a moment ago. */
  get handedOut(): Uint8Array | undefined {
    return this.#dueLooks?.handedOut
  }

  /** Ends all waiting, and aborts the notifications that are held. */
  async end(reason: Error): Promise<void> {
    this.#gone.abort(reason)
    for (const { reject } of this.#waiters) reject(reason)
    this.#waiters.clear()
    await this.#dueLooks?.stop()
  }

  /**
   * Looks for notifications for the waiting callers. Resolves to the milliseconds after which there may be more; 0 at
   * once, undefined when no caller waits. Rejects with CellStoreError and StorageError.
   */
  async search(signal: AbortSignal): Promise<number | undefined> {
    const { clock, scanMs } = this.#deps
    if (this.#isAnew) await this.#readDeadLetters()
    const dueMs = this.#queue.turnDue(clock.monotonicMs())
    this.#serve()
    if (this.#waiters.size === 0 || this.#found.observer.state === 'paused') return undefined
    const dueRowsMs = (await this.#dueLooks?.handOut(signal)) ?? Number.POSITIVE_INFINITY
    if (this.#queue.takeHasLeftOut()) this.#scanDueMs = 0
    if (clock.monotonicMs() >= this.#scanDueMs) {
      const { found, isRoundOver } = await this.#source.nextPage(signal)
      for (const one of found) this.#queue.offer(one)
      this.#serve()
      if (!isRoundOver || this.#queue.takeHasLeftOut()) return 0
      this.#scanDueMs = clock.monotonicMs() + scanMs * (0.5 + this.#deps.randomness.fraction())
    }
    const occasion = Math.min(this.#scanDueMs, dueMs ?? this.#scanDueMs)
    return Math.max(1, Math.min(dueRowsMs, occasion - clock.monotonicMs()))
  }

  async #readDeadLetters(): Promise<void> {
    const { observer } = this.#found
    const dead = await reading(this.#deps, (transaction) => readDeadLetters(transaction, observer))
    this.#queue.setDead(dead)
    this.#isAnew = false
  }

  #serve(): void {
    if (this.#isAnew || this.#found.observer.state === 'paused') return
    for (const waiter of this.#waiters) {
      const { leaseMs } = waiter
      const untilMs = leaseMs === undefined ? undefined : this.#deps.clock.monotonicMs() + leaseMs
      const queued = this.#queue.take(untilMs)
      if (queued === undefined) return
      this.#waiters.delete(waiter)
      const id = this.#deps.newLeaseId()
      waiter.resolve(new LeasedNotification(this.#leaseParts, this.#found, { id, queued }))
      if (untilMs !== undefined) this.#deps.wake()
    }
  }
}
