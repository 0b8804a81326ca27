// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import type { ObserverDefinition, TableDefinition } from '../tables/table-definition.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * The observers of the store (Percolator 2.4), for those who run their functions: in this process, or in
 * workers that are connected to it. Each notification is handed to one of them at a time.
 */
export interface Observers {
  /**
   * Waits for a notification of this observer. It is held by this caller only until one of its ends is called, or for
   * `leaseMs`; that is only advisory, and what makes each change observed once is the acknowledgment.
   *
   * Rejects with StorageError `unknown_observer`, also when the observer is dropped while this waits, and
   * `closed`; and with the signal's reason. Of an observer that is paused it waits until it is resumed.
   */
  lease(observerName: string, options?: LeaseOptions): Promise<Notification>

  /** By name. Rejects with CellStoreError. */
  status(): Promise<ObserverStatus[]>

  /** Rejects with StorageError `unknown_observer`, and as `status`. */
  deadLetters(observerName: string, wanted: DeadLettersWanted): Promise<DeadLetterPage>
}

/** At most `limit` dead letters, of the rows after a row key. */
export type DeadLettersWanted = { readonly after?: Uint8Array; readonly limit: number }

/** Fewer than `limit`, or none, may come with a `next`: work on one page has a bound. */
export type DeadLetterPage = {
  /** By row. */
  readonly letters: readonly ObserverDeadLetter[]
  /** The `after` of the next page; undefined for the last one. */
  readonly next: Uint8Array | undefined
}

export type LeaseOptions = {
  readonly signal?: AbortSignal
  /** How long the notification stays with the caller; until it is ended when absent. */
  readonly leaseMs?: number
}

/**
 * A row that has changed since an observer last looked at it. It is run in a transaction of the caller's:
 *
 *     begin; acknowledge; what the observer does; commit        then committed()
 *     begin; acknowledge says 'alreadyObserved'; rollback       then committed()
 *     anything throws                                           then failed(error)
 *
 * One of `committed`, `failed` and `release` ends it; a second one does nothing.
 */
export interface Notification {
  /** Unlike those of all others of this process. */
  readonly id: string
  readonly observer: ObserverDefinition
  readonly table: TableDefinition
  /** The row key. */
  readonly key: Uint8Array
  /** Of the newest notify cell that was seen: a change began then, or with a weak observer was made. */
  readonly timestamp: Timestamp
  /** Aborted with StorageError `unknown_observer` when the observer is dropped, and with `closed`. */
  readonly observerGone: AbortSignal

  /**
   * To be called in the transaction in which the observer runs, before its commit. `pending`: the
   * transaction will acknowledge every change that it sees, when it commits. `alreadyObserved`: it sees
   * none that is not acknowledged, so there is nothing to run. Rejects as reads do.
   */
  acknowledge(transaction: Transaction): Promise<'pending' | 'alreadyObserved'>

  /** The transaction has committed, or there was nothing to run: what it saw is done with. Never rejects. */
  committed(): Promise<void>

  /**
   * The run has failed, and is tried again after a while. After `observerTriesMax` failures of its own, which
   * conflicts and those of the store are not, it becomes a dead letter. Never rejects.
   */
  failed(error: unknown): Promise<void>

  /** Given back, as if nothing had happened. */
  release(): void
}

export type ObserverStatus = {
  readonly observer: string
  readonly table: string
  readonly isWeak: boolean
  readonly state: ObserverDefinition['state']
  /** Whether rows that were there before the observer, or its REPLAY, are still being notified. */
  readonly isBackfilling: boolean
  /** Rows with a notification, dead letters among them; `countedRowsMax` means that many or more. */
  readonly pending: number
  /** The timestamp of the oldest notification among them; null when there is none. */
  readonly oldestPending: Timestamp | null
  /** Of an observer DUE: rows that wait for their time, counted as `pending`, and the earliest, as TIMESTAMP. */
  readonly due: { readonly rows: number; readonly next: number | null } | undefined
  /**
   * How old the oldest notification is, or for how long a row has been due, in milliseconds by the timestamps of the
   * store; 0 when there is neither.
   */
  readonly lagMs: number
  /** What follows is of this process, since it started. */
  readonly running: number
  /** How many callers of `lease` wait for a notification. */
  readonly waiting: number
  /** Runs that have been committed. */
  readonly runs: number
  /** Runs that were not the first for their notification. */
  readonly retries: number
  /** Runs that failed because another transaction wrote what they read or wrote, or the store did not respond. */
  readonly conflicts: number
  /** Runs that failed by themselves. */
  readonly failures: number
  /**
   * Notifications that are tried no more until RESUME, REPLAY or a new change of their row;
   * `countedRowsMax` means at least that many.
   */
  readonly deadLetters: number
  /** The first `deadLettersShownMax` of them, by row. */
  readonly deadLettersShown: readonly ObserverDeadLetter[]
  readonly lastError: ObserverFailure | null
  /** Names of observers whose runs notify each other in a circle with this one; its own when alone. */
  readonly cyclesWith: readonly string[]
}

export type ObserverFailure = {
  readonly message: string
  /** When it failed, in oracle microseconds. */
  readonly timestamp: Timestamp
  readonly key: Uint8Array
}

export type ObserverDeadLetter = {
  /** The row key. */
  readonly key: Uint8Array
  readonly error: string
  readonly tries: number
  /** When it was given up, in oracle microseconds. */
  readonly timestamp: Timestamp
}

/** How many dead letters of an observer `ObserverStatus` has. */
export const deadLettersShownMax = 100

/** `ObserverStatus` counts rows up to here, so that a look at it stays cheap. */
export const countedRowsMax = 1_000
