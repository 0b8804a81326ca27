// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { isDiskError, isFull, sentError } from '../error.ts'
import { BEGIN_WRITE, COMMIT, ROLLBACK } from '../statements.ts'
import type { BatchFailure } from './write-batch.ts'

/** What was written within a transaction that fails has to be undone outside of SQLite too. */
export type TransactionWork<T> = {
  readonly run: () => T
  readonly undo: () => void
}

/** Runs one SQLite transaction after the other, and says of each that failed what became of it. */
export class SqliteTransactions {
  readonly #database: Database
  readonly #begin: Statement<unknown[]>
  readonly #commit: Statement<unknown[]>
  readonly #rollback: Statement<unknown[]>
  /** There once a COMMIT was in doubt: this connection is not used again, and nothing is applied any more. */
  #givenUp: BatchFailure | undefined
  #foundNoRoom = false

  constructor(database: Database) {
    this.#database = database
    this.#begin = database.prepare(BEGIN_WRITE)
    this.#commit = database.prepare(COMMIT)
    this.#rollback = database.prepare(ROLLBACK)
  }

  /** Whether a COMMIT was in doubt: then nobody touches the file or its log through this connection any more. */
  get hasGivenUp(): boolean {
    return this.#givenUp !== undefined
  }

  /** Whether a transaction was not applied because there was no room, since this was last asked. */
  takeFoundNoRoom(): boolean {
    const foundNoRoom = this.#foundNoRoom
    this.#foundNoRoom = false
    return foundNoRoom
  }

  /** What the work answers, once it is committed; `done` says whether it was. */
  inOne<T>(work: TransactionWork<T>): Done<T> {
    if (this.#givenUp !== undefined) return { done: false, failure: this.#givenUp }
    const result = this.#runInOne(work)
    if (!result.done) this.#noteFailure(result.failure)
    return result
  }

  #noteFailure(failure: BatchFailure): void {
    if (failure.kind === 'unknown') this.#givenUp = { ...failure, kind: 'notApplied' }
    else if (isFull(failure.cause)) this.#foundNoRoom = true
  }

  #runInOne<T>({ run, undo }: TransactionWork<T>): Done<T> {
    let answer: T
    try {
      this.#begin.run()
      answer = run()
    } catch (error) {
      undo()
      return failedAs(this.#undone() && !isDiskError(error), error)
    }
    try {
      this.#commit.run()
    } catch (error) {
      // No room for a frame of the log: the one that would have made it valid comes last. Otherwise the log
      // may or may not hold it, and a second try could not tell (fsync errors are not repeated).
      return failedAs(isFull(error) && this.#undone(), error)
    }
    return { done: true, answer }
  }

  /** Ends a transaction that failed; false when even that did not work. */
  #undone(): boolean {
    try {
      // Some errors, a full disk among them, make SQLite roll back by itself.
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
