// SPDX-License-Identifier: Apache-2.0
import {
  awaited,
  type Catalog,
  type Clock,
  type MaybePromise,
  type Randomness,
  type Storage,
  type Timestamp,
  type Transaction,
  unlessAborted,
  type Work,
} from '../../storage/storage.ts'
import type { Access } from '../access/access.ts'
import type { Shares } from '../budgets/shares.ts'
import type { ConflictLog } from '../conflicts/conflict-log.ts'
import { requireMinTimestamp, type SnapshotAsked } from '../requests/request-snapshot.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import type { EndedTransactions } from '../transactions/ended-transactions.ts'
import { withRetries } from '../transactions/retry.ts'
import { explained } from './explained-error.ts'
import { withCreation } from './table-creation.ts'

export type OwnTransactionParts = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly shares: Shares
  readonly ended: EndedTransactions
  readonly conflicts: ConflictLog
  readonly access: Pick<Access, 'viewOf' | 'currentCatalog'>
}

/** The transaction of one attempt, and its catalog. */
export type OwnTransaction = {
  readonly transaction: Transaction
  readonly catalog: Catalog
  /** This attempt included. */
  readonly attempts: number
}

type Asked<T> = {
  readonly work: (own: OwnTransaction) => MaybePromise<T>
  readonly commitTsOf: (result: T) => Timestamp | null | undefined
  /** The transaction of the attempt before. */
  failed: Timestamp | undefined
}

/** Runs requests that are each a transaction of their own. */
export class OwnTransactions {
  readonly #parts: OwnTransactionParts

  constructor(parts: OwnTransactionParts) {
    this.#parts = parts
  }

  /**
   * Returns what `work` returns. It runs again where its transaction met a conflict, and what it has not committed is
   * rolled back. Counted once, by the timestamp of its commit: null where it wrote nothing, undefined where its client
   * gave it up. Throws what is wrong, in words for the client.
   */
  run<T>(
    snapshot: SnapshotAsked,
    running: RunningRequest,
    work: (own: OwnTransaction) => MaybePromise<T>,
    commitTsOf: (result: T) => Timestamp | null | undefined,
  ): Work<T> {
    const { clock, randomness, ended } = this.#parts
    const isRepeatable = snapshot.asOf === undefined
    const around = { clock, randomness, ended, signal: running.signal, isRepeatable }
    const asked: Asked<T> = { work, commitTsOf, failed: undefined }
    return withRetries(around, (attempts) => this.#attempt(snapshot, running, asked, attempts))
  }

  /** The catalog of a transaction, which is waited for no longer than the request may wait. */
  catalogOf(transaction: Transaction, running: RunningRequest): MaybePromise<Catalog> {
    const known = this.#parts.storage.catalog(transaction)
    return known instanceof Promise
      ? running.beginning(unlessAborted(running.signal, known))
      : known
  }

  *#attempt<T>(
    snapshot: SnapshotAsked,
    running: RunningRequest,
    asked: Asked<T>,
    attempts: number,
  ): Work<T> {
    const { storage, shares, ended, access, conflicts } = this.#parts
    if (asked.failed !== undefined) conflicts.ranAgain(asked.failed)
    const { principal, client, signal, turns } = running
    // Those that met once have slept for about as long.
    if (attempts > 1) yield turns.rejoin()
    const begun = storage.begin({ ...snapshot, budget: shares.writtenBy(client), signal })
    const transaction = begun instanceof Promise ? yield* awaited(running.beginning(begun)) : begun
    let catalog: Catalog | undefined
    try {
      if (begun instanceof Promise) yield turns.rejoin()
      requireMinTimestamp(storage, snapshot, transaction.startTs)
      const known = this.catalogOf(transaction, running)
      const read = known instanceof Promise ? yield* awaited(known) : known
      catalog = access.viewOf(principal, read)
      const worked = asked.work({ transaction, catalog, attempts })
      const result = worked instanceof Promise ? yield* awaited(worked) : worked
      ended.count(asked.commitTsOf(result))
      return result
    } catch (error) {
      asked.failed = transaction.startTs
      conflicts.failedAttempt(asked.failed, attempts)
      throw yield* awaited(
        withCreation(explained(error, catalog), this.#parts, principal, snapshot.asOf),
      )
    } finally {
      // Of no effect on a transaction that has committed.
      transaction.rollback()
    }
  }
}

/**
 * Commits what the transaction has written. Returns the commit timestamp, or null where it has written nothing. Up to
 * here a client that went away has changed nothing: throws the signal's reason. A commit is always finished.
 */
export function commitWritten(
  transaction: Transaction,
  running: RunningRequest,
): MaybePromise<Timestamp | null> {
  if (transaction.hasWrites) running.commits()
  running.signal.throwIfAborted()
  return transaction.hasWrites ? running.commit(transaction).then(({ commitTs }) => commitTs) : null
}
