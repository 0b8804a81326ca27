// SPDX-License-Identifier: Apache-2.0

import {
  andThen,
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
import { type SnapshotRequest, whenVisible } from '../prepared/request-snapshot.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import type { EndedTransactions } from './ended-transactions.ts'
import { explained } from './explained-error.ts'
import { retryableCause, runAgain } from './retry.ts'
import { RowLines, type Ticket } from './row-lines.ts'
import { withCreation } from './table-creation.ts'

/** What is noted of conflicts beside that they were there. */
type AttemptNotes = {
  failedAttempt(loser: Timestamp, attempt: number): void
  ranAgain(loser: Timestamp): void
}

export type AttemptDependencies = {
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
export type OwnTransaction<T> = {
  readonly snapshot: SnapshotRequest
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
  /** The hashes of the rows that its attempts have lost to others. */
  lostRows?: Set<number>
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
  readonly #deps: AttemptDependencies
  readonly #lines: RowLines

  constructor(deps: AttemptDependencies) {
    this.#deps = deps
    this.#lines = new RowLines(deps.clock)
  }

  /**
   * Returns what the work returns: at once, where nothing has to be waited for. Counted once. Throws or rejects with
   * what is wrong, in words for the client.
   */
  run<T>(request: OwnTransaction<T>): MaybePromise<T> {
    const { snapshot, running } = request
    if (snapshot.minTimestamp === undefined) return this.#run(request)
    return andThen(whenVisible(this.#deps.storage, snapshot, running), () => this.#run(request))
  }

  #run<T>(request: OwnTransaction<T>): MaybePromise<T> {
    const beganMs = this.#deps.clock.monotonicMs()
    try {
      const first = this.#attempt(request, 1)
      if (!(first instanceof Promise)) return first
      return first.catch((error) => this.#again(request, error, beganMs))
    } catch (error) {
      return this.#again(request, error, beganMs)
    }
  }

  /** The catalog of a transaction, which is waited for no longer than the request may wait. */
  catalogOf(transaction: Transaction, running: RunningRequest): MaybePromise<Catalog> {
    const known = this.#deps.storage.catalog(transaction)
    return known instanceof Promise
      ? running.beginning(unlessAborted(running.signal, known))
      : known
  }

  #again<T>(request: OwnTransaction<T>, first: unknown, beganMs: number): MaybePromise<T> {
    const { ended, conflicts } = this.#deps
    const { snapshot, running } = request
    const isWorthRerun = (error: unknown) => snapshot.asOf === undefined && retryableCause(error)
    const failed = (error: unknown): never => {
      ended.failed(error)
      throw error
    }
    if (!isWorthRerun(first)) return failed(first)
    const { signal } = running
    let ticket: Ticket | undefined
    const inLine = (msMax: number) => {
      // One that is first and loses again, to newcomers, goes on before the others.
      if (ticket?.left.aborted === false) return Promise.resolve(true)
      if (request.lostRows === undefined) return undefined
      return this.#lines.first(request.lostRows, { msMax, signal }).then((first) => {
        ticket = first
        return first !== undefined
      })
    }
    const options = { ...this.#deps, signal, beganMs, isWorthRerun, inLine }
    return runAgain(options, first, async (attempts) => {
      if (request.failed !== undefined) conflicts.ranAgain(request.failed)
      // Those that met once have slept for about as long, and who goes on in a line is woken in the turn of another.
      await running.turns.rejoin()
      return await this.#attempt(request, attempts)
    })
      .catch(failed)
      .finally(() => ticket?.leave())
  }

  #attempt<T>(request: OwnTransaction<T>, attempts: number): MaybePromise<T> {
    const { storage, shares } = this.#deps
    const { snapshot, running } = request
    const { client, signal } = running
    const begun = storage.begin({ ...snapshot, budget: shares.writtenBy(client), signal })
    return begun instanceof Promise
      ? this.#attemptLater(begun, request, attempts)
      : this.#within({ transaction: begun, attempts, catalog: undefined }, request)
  }

  async #attemptLater<T>(
    coming: Promise<Transaction>,
    request: OwnTransaction<T>,
    attempts: number,
  ): Promise<T> {
    const { running } = request
    const begun = { transaction: await running.beginning(coming), attempts, catalog: undefined }
    try {
      // Others have waited for the same timestamp.
      await running.turns.rejoin()
    } catch (error) {
      return await this.#failed(begun, request, error)
    }
    return await this.#within(begun, request)
  }

  #within<T>(begun: Begun, request: OwnTransaction<T>): MaybePromise<T> {
    const { transaction } = begun
    const { running } = request
    try {
      const catalog = this.catalogOf(transaction, running)
      const worked =
        catalog instanceof Promise
          ? catalog.then((read) => this.#work(read, begun, request))
          : this.#work(catalog, begun, request)
      if (!(worked instanceof Promise)) return this.#done(worked, begun, request)
      return worked.then(
        (result) => this.#done(result, begun, request),
        (error) => this.#failed(begun, request, error),
      )
    } catch (error) {
      return this.#failed(begun, request, error)
    }
  }

  #work<T>(catalog: Catalog, begun: Begun, request: OwnTransaction<T>): MaybePromise<T> {
    const { running, work } = request
    const { transaction, attempts } = begun
    const seen = this.#deps.access.viewOf(running.principal, catalog)
    begun.catalog = seen
    return work({ transaction, catalog: seen, attempts })
  }

  #done<T>(result: T, { transaction }: Begun, { commitTsOf }: OwnTransaction<T>): T {
    if (commitTsOf === undefined) return result
    if (result !== undefined) this.#deps.ended.count(commitTsOf(result))
    // Of no effect on a transaction that has committed.
    transaction.rollback()
    return result
  }

  #failed<T>(begun: Begun, request: OwnTransaction<T>, error: unknown): MaybePromise<never> {
    const { transaction, attempts, catalog } = begun
    const { asOf } = request.snapshot
    request.failed = transaction.startTs
    this.#deps.conflicts.failedAttempt(request.failed, attempts)
    transaction.rollback()
    for (const { hash } of transaction.lostRows) {
      request.lostRows ??= new Set()
      request.lostRows.add(hash)
    }
    const told = explained(error, catalog)
    if (asOf === undefined) throw told
    return withCreation(told, this.#deps, request.running.principal, asOf).then((better) => {
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
