// SPDX-License-Identifier: Apache-2.0

/**
 * What the module of `--observers` is written with; `docs/observers.md` tells how. This file imports
 * nothing, so a module that imports it gets nothing else of the server.
 *
 *     import { defineObserver } from '…/server/observers/define-observer.ts'
 *
 *     export const invert = defineObserver({
 *       observer: 'invert',
 *       run: async (tx, { key, row }) => {
 *         await tx.query('SET words = $1 ON word_count WHERE page = $2', [wordsOf(row), key[0]])
 *       },
 *     })
 */
export function defineObserver<Row extends ObservedRow = ObservedRow>(
  observer: DefinedObserver<Row>,
): DefinedObserver<Row> {
  const problem = problemOfObserver(observer)
  if (problem !== undefined) throw new TypeError(problem)
  return Object.freeze({ ...observer })
}

export type DefinedObserver<Row extends ObservedRow = ObservedRow> = {
  /** The name that CREATE OBSERVER gave it. */
  readonly observer: string
  /**
   * Runs once for all changes of a row that no run has seen, in a transaction of its own that is
   * committed when this resolves. When it throws, or the commit meets a conflict, nothing is kept and
   * it is run again: what it does outside of the transaction happens at least once.
   */
  run(tx: ObserverTransaction, event: ObserverEvent<Row>): Promise<void> | void
  /** How many rows it may be run for at a time; 1 if not given. */
  readonly workers?: number
}

/**
 * A row in the JSON form of its columns: INTEGER is a number within ±(2^53−1) and a string beyond. A number
 * of a JSON column that a double cannot hold is `JSON.rawJSON`, which can be written back as it is.
 */
export type ObservedRow = { readonly [column: string]: unknown }

export type ObserverEvent<Row extends ObservedRow = ObservedRow> = {
  readonly observer: string
  readonly table: string
  /** The primary key, in key order; values as in rows. */
  readonly key: readonly unknown[]
  /** When the newest change that is known of began; in microseconds since 1970. */
  readonly timestamp: number
  /** The row as the transaction reads it; undefined when it is deleted, or never was. */
  readonly row: Row | undefined
}

/** The transaction in which an observer runs. It ends when the function does. */
export interface ObserverTransaction {
  /** The snapshot that it reads, in microseconds since 1970. */
  readonly readTimestamp: number
  /** Aborted when the run has to end early, for whatever it waits for outside. */
  readonly signal: AbortSignal
  /**
   * One statement, as inside a transaction over several requests: no BEGIN, COMMIT or ROLLBACK, and no
   * CREATE, ALTER or DROP. Several at a time run one after the other. Rejects with an error that has a
   * `code` of `docs/errors.md`; a conflict is best left alone, then the whole run is repeated.
   */
  query<Row = ObservedRow>(
    sql: string,
    params?: readonly unknown[] | Readonly<Record<string, unknown>>,
  ): Promise<ObserverQueryResult<Row>>
}

export type ObserverQueryResult<Row = ObservedRow> = {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  readonly rows: Row[]
  /** How many rows the statement wrote or deleted. */
  readonly rowsAffected: number
  /** Why a `SET … IF` wrote nothing. */
  readonly unmet?: string
}

/** What keeps a value from being an observer, as a sentence; undefined when it is one. */
export function problemOfObserver(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'It is not an object.'
  const { observer, run, workers = 1 } = value as Partial<Record<string, unknown>>
  if (typeof observer !== 'string' || observer === '') {
    return 'Its "observer" is not the name of an observer.'
  }
  if (typeof run !== 'function') return `The "run" of observer ${observer} is not a function.`
  const isCount = Number.isSafeInteger(workers) && (workers as number) > 0
  if (!isCount || (workers as number) > OBSERVER_WORKERS_MAX) {
    return `The "workers" of observer ${observer} are not a number from 1 to ${OBSERVER_WORKERS_MAX}.`
  }
  return undefined
}

export const OBSERVER_WORKERS_MAX = 100
