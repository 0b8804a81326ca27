// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { CellStoreError } from '../cells/cell-store.ts'
import { StorageError } from '../errors.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import { familyColumn, familyIds, ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import type { TableObserver } from '../tables/catalog/catalog.ts'
import { isDue } from '../tables/due-index.ts'
import type { ObserverDefinition, TableDefinition } from '../tables/table-definition.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { deadLetterKey, encodeDeadLetter } from './dead-letter.ts'
import { isHandedOut } from './due-rows.ts'
import {
  ackColumn,
  acknowledgedUpTo,
  decodeAck,
  encodeAck,
} from './notifications/acknowledgment.ts'
import { clearNotification, clearWeakNotification } from './notifications/clear-notification.ts'
import { handedOutColumn } from './notifications/handed-out.ts'
import type { NotificationQueue, QueuedNotification } from './notifications/notification-queue.ts'
import { findPendingChange } from './notifications/pending-change.ts'
import type { ObserverCounters } from './observer-counters.ts'
import type { ObserverDependencies } from './observer-parts.ts'
import type { Notification } from './observers.ts'

export type LeaseDependencies = ObserverDependencies & {
  readonly queue: NotificationQueue
  readonly counters: ObserverCounters
  readonly observerGone: AbortSignal
  /** Called with the transaction that runs the observer. */
  readonly runs: (transaction: Transaction, observerId: number) => void
  /** Called when others are at work in the same key range of the store. */
  readonly metOthers: () => void
  /** Called when something in the queue has become ready, or will be. */
  readonly wake: () => void
}

/** One row on its way through an observer; see `Notification`. */
export class LeasedNotification implements Notification {
  readonly id: string
  readonly observer: ObserverDefinition
  readonly table: TableDefinition
  readonly key: Uint8Array
  readonly timestamp: Timestamp
  readonly observerGone: AbortSignal
  readonly #deps: LeaseDependencies
  readonly #queued: QueuedNotification
  #seen: Seen | undefined
  #hasEnded = false

  constructor(
    deps: LeaseDependencies,
    { table, observer }: TableObserver,
    lease: { readonly id: string; readonly queued: QueuedNotification },
  ) {
    this.#deps = deps
    this.#queued = lease.queued
    this.id = lease.id
    this.observer = observer
    this.table = table
    this.key = lease.queued.key
    this.timestamp = lease.queued.timestamp
    this.observerGone = deps.observerGone
  }

  async acknowledge(transaction: Transaction): Promise<'pending' | 'alreadyObserved'> {
    this.#deps.runs(transaction, this.observer.id)
    const seen = await this.#look(transaction)
    this.#seen = seen
    if (!seen.isPending) {
      if (!this.observer.isWeak) this.#deps.metOthers()
      return 'alreadyObserved'
    }
    if (this.#queued.tries > 0) this.#deps.counters.retries += 1
    if (!this.observer.isWeak) {
      const acknowledged = encodeAck(transaction.startTs)
      transaction.put(this.key, ackColumn(this.observer.id), acknowledged)
    }
    if (seen.wasDead) {
      transaction.delete(deadLetterKey(this.observer.id, this.key), ROW_COLUMN)
    }
    return 'pending'
  }

  async committed(): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const seen = this.#seen
    const { queue, counters, log } = this.#deps
    if (seen?.isPending) counters.runs += 1
    try {
      if (seen !== undefined) await this.#clear(seen)
    } catch (error) {
      // The cell stays, and a run that finds it has nothing to do.
      log.info({ observer: this.observer.name, reason: String(error) }, 'a notification was left')
    }
    // What a writer that has not ended leaves is reported by its commit, or found by a scan.
    if (queue.isHeld(this.#queued)) queue.end(this.#queued)
    this.#deps.wake()
  }

  async failed(error: unknown): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { queue, counters, clock, randomness } = this.#deps
    const isConflict = isLostRace(error)
    if (isConflict) counters.conflicts += 1
    else counters.failures += 1
    const failures = this.#queued.failures + (isConflict ? 0 : 1)
    if (!isConflict) this.#rememberError(error)
    else if (!this.observer.isWeak) this.#deps.metOthers()
    const isDead =
      failures >= STORAGE_LIMITS.observerTriesMax && (await this.#bury(error, failures))
    if (queue.isHeld(this.#queued)) {
      const { firstMs, mostMs } = isConflict ? CONFLICT_BACKOFF : FAILURE_BACKOFF
      const ceilingMs = Math.min(mostMs, firstMs * 2 ** Math.min(this.#queued.tries, 30))
      const dueMs = clock.monotonicMs() + ceilingMs * (0.5 + randomness.fraction() / 2)
      if (isDead) queue.bury(this.#queued)
      else queue.delay(this.#queued, { dueMs, failures })
    }
    this.#deps.wake()
  }

  release(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#deps.queue.isHeld(this.#queued)) this.#deps.queue.giveBack(this.#queued)
    this.#deps.wake()
  }

  /** What the observer has still to see of the row, at the transaction's own snapshot. */
  async #look(transaction: Transaction): Promise<Seen> {
    const { startTs } = transaction
    const { id, name } = this.observer
    const catalog = await this.#deps.catalog(transaction)
    const found = catalog.observer(name)
    const nothing = { isPending: false, isAll: false, wasDead: false, seenAt: startTs, columns: [] }
    // Dropped, or not created yet. Garbage collection takes what is left of an observer.
    if (found === undefined || found.observer.id !== id) return nothing
    const families = familyIds(found.table).map(familyColumn)
    const columns = isDue(found.observer) ? [...families, handedOutColumn(id)] : families
    const deadLetter = deadLetterKey(id, this.key)
    // This settles the locks that the snapshot must see, so what comes after finds their outcome.
    const [row, letter] = await transaction.getRows(
      [this.key, deadLetter],
      [...columns, ackColumn(id)],
    )
    const seen = { seenAt: startTs, columns, wasDead: letter != null }
    if (found.observer.isWeak) return { ...seen, isPending: true, isAll: true }
    // Moved, ended or gone since: where the row has a time there is an entry for it (O4).
    if (isDue(found.observer) && !isHandedOut(found.table, found.observer, row)) {
      return { ...seen, isPending: false, isAll: true }
    }
    const cell = row?.columns.get(ackColumn(id))
    const acknowledged = acknowledgedUpTo(found.observer, cell && decodeAck(cell.value))
    const request = { key: this.key, observerId: id, acknowledged, readTs: startTs }
    const pending = await findPendingChange(this.#deps, request)
    const isPending = pending !== undefined
    return { ...seen, isPending, isAll: isPending || found.observer.isBackfilled }
  }

  async #clear({ isAll, seenAt, columns }: Seen): Promise<void> {
    if (!isAll) return
    const cellStore = this.#deps.storeNow()
    const seen = { key: this.key, observerId: this.observer.id, seenAt, columns }
    if (this.observer.isWeak) await clearWeakNotification(cellStore, seen)
    else await clearNotification(cellStore, seen)
  }

  #rememberError(error: unknown): void {
    const timestamp = this.#deps.oracle.lastSeen()
    this.#deps.counters.lastError = { message: textOf(error), timestamp, key: this.key }
  }

  /** Whether the dead letter is written. */
  async #bury(error: unknown, tries: number): Promise<boolean> {
    const { begin, log } = this.#deps
    const letter = { error: textOf(error), tries, notified: this.timestamp }
    const facts = { observer: this.observer.name, row: Buffer.from(this.key).toString('hex') }
    let transaction: Transaction | undefined
    try {
      transaction = await begin()
      // The next holder after the lease may have succeeded, or the observer is gone.
      if (!(await this.#look(transaction)).isPending) return false
      const key = deadLetterKey(this.observer.id, this.key)
      transaction.put(key, ROW_COLUMN, encodeDeadLetter(letter))
      await transaction.commit()
      log.warn({ ...facts, tries, error: letter.error }, 'an observer failed too often for a row')
      return true
    } catch (reason) {
      log.warn({ ...facts, reason: String(reason) }, 'a dead letter could not be written')
      return false
    } finally {
      transaction?.rollback()
    }
  }
}

type Seen = {
  readonly isPending: boolean
  /**
   * Whether every notify cell up to the run's start is done with. Where nothing was pending while older
   * rows are being notified, one of their cells may have come after the look.
   */
  readonly isAll: boolean
  /** Whether the row has a dead letter of the observer. */
  readonly wasDead: boolean
  readonly seenAt: Timestamp
  /** Those in which a change can notify; none when the observer is gone. */
  readonly columns: readonly string[]
}

/** Whether a rerun may succeed: another came first, or the store did not respond. */
function isLostRace(error: unknown): boolean {
  if (error instanceof CellStoreError) return true
  if (!(error instanceof StorageError)) return false
  return error.isWorthWaiting || error.code === 'closed'
}

/** What an observer's function has thrown may be anything, also what cannot be made a text. */
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error ? `${kindOf(error)}: ${error.message}` : String(error)
    return text.slice(0, ERROR_CHARACTERS_MAX)
  } catch {
    return `a value of type ${typeof error}`
  }
}

/** The code of an error says more than the name of its class, which users do not know. */
function kindOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : error.name
}

const ERROR_CHARACTERS_MAX = 2_000
const CONFLICT_BACKOFF = { firstMs: 4, mostMs: 1_000 }
const FAILURE_BACKOFF = { firstMs: 100, mostMs: 60_000 }
