// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { FAMILIES, type Family } from './cell.ts'
import { CellStoreError, type CheckAndMutate, type Increment } from './cell-store.ts'
import type { Mutation } from './mutation.ts'
import { counterValue, incrementedCell } from './mutation-application.ts'
import { SqliteRowReader } from './sqlite-row-reader.ts'
import { statementTexts } from './sqlite-schema.ts'

/** One atomic step on one row, as data, so that it could be sent to another thread. */
export type RowStep = CheckAndMutateStep | IncrementStep

export type CheckAndMutateStep = {
  readonly kind: 'checkAndMutate'
  readonly row: Uint8Array
} & CheckAndMutate

export type IncrementStep = {
  readonly kind: 'increment'
  readonly row: Uint8Array
  readonly increments: readonly Increment[]
}

/** What a step answered; an error when the row's own content forbade it, and then it changed nothing. */
export type RowStepOutcome = boolean | bigint[] | CellStoreError

/**
 * - `committed`: all steps took effect in their order and are on disk.
 * - `notApplied`: none did, and the connection is as before.
 * - `unknown`: COMMIT itself failed or the disk did; nothing can be trusted until the file is opened anew.
 */
export type GroupResult =
  | { readonly kind: 'committed'; readonly outcomes: readonly RowStepOutcome[] }
  | { readonly kind: 'notApplied'; readonly cause: unknown }
  | { readonly kind: 'unknown'; readonly cause: unknown }

/** Carries out groups of steps. This is all that the writer's queue knows of SQLite. */
export interface GroupApplier {
  applyGroup(steps: readonly RowStep[]): GroupResult
}

type WriteStatements = {
  readonly setCell: Statement<unknown[]>
  readonly deleteFromColumn: Statement<unknown[]>
}

/** The steps of a group run in one SQLite transaction: one sync of the disk for all of them. */
export class SqliteRowSteps implements GroupApplier {
  readonly #database: Database
  readonly #reader: SqliteRowReader
  readonly #statements: Readonly<Record<Family, WriteStatements>>
  readonly #begin: Statement<unknown[]>
  readonly #commit: Statement<unknown[]>
  readonly #rollback: Statement<unknown[]>

  constructor(database: Database) {
    this.#database = database
    this.#reader = new SqliteRowReader(database)
    const entries = FAMILIES.map((family) => [family, prepareWrites(database, family)] as const)
    this.#statements = Object.fromEntries(entries) as Record<Family, WriteStatements>
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#rollback = database.prepare('ROLLBACK')
  }

  applyGroup(steps: readonly RowStep[]): GroupResult {
    const outcomes: RowStepOutcome[] = []
    try {
      this.#begin.run()
      for (const step of steps) outcomes.push(this.#apply(step))
    } catch (cause) {
      return this.#undone() && !isDiskError(cause)
        ? { kind: 'notApplied', cause }
        : { kind: 'unknown', cause }
    }
    try {
      this.#commit.run()
    } catch (cause) {
      // No room for a frame of the log: the one that would have made the group valid comes last.
      if (isFull(cause) && this.#undone()) return { kind: 'notApplied', cause }
      // The log may or may not hold the group, and a second try could not tell (fsync errors are not repeated).
      return { kind: 'unknown', cause }
    }
    return { kind: 'committed', outcomes }
  }

  #apply(step: RowStep): RowStepOutcome {
    if (step.kind === 'increment') return this.#increment(step)
    const matched = this.#reader.matches(step.row, step.when)
    for (const mutation of matched ? step.ifMatched : step.otherwise) {
      this.#mutate(step.row, mutation)
    }
    return matched
  }

  #increment({ row, increments }: IncrementStep): bigint[] | CellStoreError {
    const changed = (increment: Increment) => {
      const { family, qualifier } = increment
      const [newest] = this.#reader.readRow(row, [{ family, qualifier, newest: 1 }])
      return incrementedCell(newest, increment)
    }
    try {
      // All are read before the first is written: one that is no counter leaves the row as it is.
      for (const increment of increments) changed(increment)
    } catch (error) {
      if (error instanceof CellStoreError) return error
      throw error
    }
    return increments.map((increment) => {
      const cell = changed(increment)
      this.#mutate(row, { kind: 'setCell', ...cell })
      return counterValue(cell.value)
    })
  }

  #mutate(row: Uint8Array, mutation: Mutation): void {
    const { setCell, deleteFromColumn } = this.#statements[mutation.family]
    if (mutation.kind === 'setCell') {
      setCell.run(row, mutation.qualifier, mutation.timestamp, mutation.value)
    } else {
      const { from = 0, until = Number.MAX_SAFE_INTEGER + 1 } = mutation.timestamps
      deleteFromColumn.run(row, mutation.qualifier, from, until)
    }
  }

  /** Ends a transaction that failed before its COMMIT; false when even that did not work. */
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

/** After these no answer of this connection can be trusted: the disk failed or the file is damaged. */
export function isDiskError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)
}

/** Of a write only: a sync that finds the disk full is an I/O error to SQLite. */
function isFull(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'SQLITE_FULL'
}

function prepareWrites(database: Database, family: Family): WriteStatements {
  const texts = statementTexts(family)
  return {
    setCell: database.prepare(texts.setCell),
    deleteFromColumn: database.prepare(texts.deleteFromColumn),
  }
}
