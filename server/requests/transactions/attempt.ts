// SPDX-License-Identifier: Apache-2.0

import {
  type Clock,
  type MaybePromise,
  type Randomness,
  type Storage,
  type Timestamp,
  type Transaction,
  unlessAborted,
} from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import type { Access } from '../../guard/access/access.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import { requireMinTimestamp, type SnapshotAsked } from '../prepared/request-snapshot.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import type { EndedTransactions } from './ended-transactions.ts'
import { explained } from './explained-error.ts'
import { retryableCause, runAgain } from './retry.ts'
import { withCreation } from './table-creation.ts'

/** What is noted of conflicts beside that they were there. */
type AttemptNotes = {
  failedAttempt(loser: Timestamp, attempt: number): void
  ranAgain(loser: Timestamp): void
}

export type AttemptParts = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly shares: Shares
  readonly ended: EndedTransactions
  readonly conflicts: AttemptNotes
  readonly access: Pick<Access, 'viewOf' | 'currentCatalog'>
}

/** The transaction of one attempt, and its catalog as the client sees it. */
export type Attempt = {
  readonly transaction: Transaction
  readonly catalog: Catalog
  /** This attempt included. */
  readonly attempts: number
}

/** A request that is a transaction of its own. */
export type AskedTransaction<T> = {
  readonly snapshot: SnapshotAsked
  readonly running: RunningRequest
  /** What it makes undefined has written nothing, and is made in another way: it is not counted. */
  readonly work: (attempt: Attempt) => MaybePromise<T>
  /**
   * The timestamp of its commit: null where it wrote nothing, undefined where its client gave it up. Absent for a
   * transaction that is left open: whoever ends it counts it, and rolls it back.
   */
  readonly commitTsOf?: (result: T) => Timestamp | null | undefined
  /** The transaction of the attempt before. */
  failed?: Timestamp
}

type Begun = {
  readonly transaction: Transaction
  readonly attempts: number
  catalog: Catalog | undefined
}

/**
 * Runs requests that are each a transaction of their own: begins it, finds the catalog of its snapshot, does the work,
 * which commits, and rolls back what it has not committed. Where that met a conflict it is done again.
 */
export class Attempts {
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  /**
   * Returns what the work returns: at once, where nothing has to be waited for. Counted once. Throws or rejects with
   * what is wrong, in words for the client.
   */
  run<T>(asked: AskedTransaction<T>): MaybePromise<T> {
    const beganMs = this.#parts.clock.monotonicMs()
    try {
      const first = this.#attempt(asked, 1)
      if (!(first instanceof Promise)) return first
      return first.catch((error) => this.#again(asked, error, beganMs))
    } catch (error) {
      return this.#again(asked, error, beganMs)
    }
  }

  /** The catalog of a transaction, which is waited for no longer than the request may wait. */
  catalogOf(transaction: Transaction, running: RunningRequest): MaybePromise<Catalog> {
    const known = this.#parts.storage.catalog(transaction)
    return known instanceof Promise
      ? running.beginning(unlessAborted(running.signal, known))
      : known
  }

  #again<T>(asked: AskedTransaction<T>, first: unknown, beganMs: number): MaybePromise<T> {
    const { ended, conflicts } = this.#parts
    const { snapshot, running } = asked
    const isWorthRerun = (error: unknown) => snapshot.asOf === undefined && retryableCause(error)
    const failed = (error: unknown): never => {
      ended.failed(error)
      throw error
    }
    if (!isWorthRerun(first)) return failed(first)
    const around = { ...this.#parts, signal: running.signal, beganMs, isWorthRerun }
    return runAgain(around, first, async (attempts) => {
      if (asked.failed !== undefined) conflicts.ranAgain(asked.failed)
      // Those that met once have slept for about as long.
      await running.turns.rejoin()
      return await this.#attempt(asked, attempts)
    }).catch(failed)
  }

  #attempt<T>(asked: AskedTransaction<T>, attempts: number): MaybePromise<T> {
    const { storage, shares } = this.#parts
    const { snapshot, running } = asked
    const { client, signal } = running
    const begun = storage.begin({ ...snapshot, budget: shares.writtenBy(client), signal })
    return begun instanceof Promise
      ? this.#attemptLater(begun, asked, attempts)
      : this.#within({ transaction: begun, attempts, catalog: undefined }, asked)
  }

  async #attemptLater<T>(
    coming: Promise<Transaction>,
    asked: AskedTransaction<T>,
    attempts: number,
  ): Promise<T> {
    const { running } = asked
    const begun = { transaction: await running.beginning(coming), attempts, catalog: undefined }
    try {
      // Others have waited for the same timestamp.
      await running.turns.rejoin()
    } catch (error) {
      return await this.#failed(begun, asked, error)
    }
    return await this.#within(begun, asked)
  }

  #within<T>(begun: Begun, asked: AskedTransaction<T>): MaybePromise<T> {
    const { transaction } = begun
    const { snapshot, running } = asked
    try {
      if (snapshot.minTimestamp !== undefined) {
        requireMinTimestamp(this.#parts.storage, snapshot, transaction.startTs)
      }
      const catalog = this.catalogOf(transaction, running)
      const worked =
        catalog instanceof Promise
          ? catalog.then((read) => this.#work(read, begun, asked))
          : this.#work(catalog, begun, asked)
      if (!(worked instanceof Promise)) return this.#done(worked, begun, asked)
      return worked.then(
        (result) => this.#done(result, begun, asked),
        (error) => this.#failed(begun, asked, error),
      )
    } catch (error) {
      return this.#failed(begun, asked, error)
    }
  }

  #work<T>(catalog: Catalog, begun: Begun, asked: AskedTransaction<T>): MaybePromise<T> {
    const { running, work } = asked
    const { transaction, attempts } = begun
    const seen = this.#parts.access.viewOf(running.principal, catalog)
    begun.catalog = seen
    return work({ transaction, catalog: seen, attempts })
  }

  #done<T>(result: T, { transaction }: Begun, { commitTsOf }: AskedTransaction<T>): T {
    if (commitTsOf === undefined) return result
    if (result !== undefined) this.#parts.ended.count(commitTsOf(result))
    // Of no effect on a transaction that has committed.
    transaction.rollback()
    return result
  }

  #failed<T>(begun: Begun, asked: AskedTransaction<T>, error: unknown): MaybePromise<never> {
    const { transaction, attempts, catalog } = begun
    const { asOf } = asked.snapshot
    asked.failed = transaction.startTs
    this.#parts.conflicts.failedAttempt(asked.failed, attempts)
    transaction.rollback()
    const told = explained(error, catalog)
    if (asOf === undefined) throw told
    return withCreation(told, this.#parts, asked.running.principal, asOf).then((better) => {
      throw better
    })
  }
}

/**
 * Commits what the transaction has written. Returns the commit timestamp, or null where it has written nothing. Throws
 * as `RunningRequest.commit`. A commit is always finished.
 */
export function commitWritten(
  transaction: Transaction,
  running: RunningRequest,
): MaybePromise<Timestamp | null> {
  if (transaction.hasWrites) return running.commit(transaction).then(({ commitTs }) => commitTs)
  running.signal.throwIfAborted()
  return null
}
