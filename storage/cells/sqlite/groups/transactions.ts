// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { SqliteCellWrites } from '../cells/cell-writes.ts'
import { isDamage, isDiskError, isFull, sentError } from '../error.ts'
import { BEGIN_WRITE, COMMIT, ROLLBACK } from '../statements.ts'
import type { BatchFailure } from './write-batch.ts'

/** Runs SQLite transactions one after the other, and reports the outcome of each that failed. */
export class SqliteTransactions {
  /** What changes cells in the work of a transaction. */
  readonly writes: SqliteCellWrites
  readonly #database: Database
  readonly #begin: Statement<unknown[]>
  readonly #commit: Statement<unknown[]>
  readonly #rollback: Statement<unknown[]>
  /**
   * Set once the outcome of a COMMIT is unknown: then this connection is not used again, and nothing more is applied.
   */
  #givenUp: BatchFailure | undefined
  #foundNoRoom = false

  constructor(database: Database) {
    this.writes = new SqliteCellWrites(database)
    this.#database = database
    this.#begin = database.prepare(BEGIN_WRITE)
    this.#commit = database.prepare(COMMIT)
    this.#rollback = database.prepare(ROLLBACK)
  }

  /**
   * Whether the outcome of a COMMIT is unknown: then the file and its log are not used through this connection any
   * more.
   */
  get hasGivenUp(): boolean {
    return this.#givenUp !== undefined
  }

  /** Whether a transaction was not applied because there was no room, since this was last asked. */
  takeFoundNoRoom(): boolean {
    const foundNoRoom = this.#foundNoRoom
    this.#foundNoRoom = false
    return foundNoRoom
  }

  /** The result of the work, once it is committed; `done` says whether it was. */
  inOne<T>(work: () => T): Done<T> {
    if (this.#givenUp !== undefined) return { done: false, failure: this.#givenUp }
    const result = this.#runInOne(work)
    if (!result.done) this.#noteFailure(result.failure)
    return result
  }

  #noteFailure(failure: BatchFailure): void {
    if (failure.kind === 'unknown') this.#givenUp = { ...failure, kind: 'notApplied' }
    else if (isFull(failure.cause)) this.#foundNoRoom = true
  }

  #runInOne<T>(work: () => T): Done<T> {
    let answer: T
    try {
      this.#begin.run()
      answer = work()
      this.writes.settle()
    } catch (error) {
      this.writes.forget()
      // A damaged page that was read is refused like a wrong value: nothing of it is in the log, and the rest is whole.
      return failedAs(this.#undone() && (isDamage(error) || !isDiskError(error)), error)
    }
    try {
      this.#commit.run()
    } catch (error) {
      // No space for a frame of the log: the frame that makes the commit valid comes last, so it is not there. After
      // any other error the log may or may not hold it, and a second try could not find out (fsync errors are not
      // repeated).
      return failedAs(isFull(error) && this.#undone(), error)
    }
    return { done: true, answer }
  }

  /** Rolls back a transaction that failed. False when even that failed. */
  #undone(): boolean {
    try {
      // Some errors, such as a full disk, make SQLite roll back on its own.
      if (this.#database.inTransaction) this.#rollback.run()
      return !this.#database.inTransaction
    } catch {
      return false
    }
  }
}

export type Done<T> =
  | { readonly done: true; readonly answer: T }
  | { readonly done: false; readonly failure: BatchFailure }

function failedAs(wasUndone: boolean, error: unknown): Done<never> {
  const kind = wasUndone ? 'notApplied' : 'unknown'
  return { done: false, failure: { kind, cause: sentError(error) } }
}
