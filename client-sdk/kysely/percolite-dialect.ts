// SPDX-License-Identifier: Apache-2.0
import type { Dialect, DialectAdapter, Driver, Kysely } from 'kysely'
import type { Database } from '../database.ts'
import { PercoliteDriver } from './kysely-driver.ts'
import { StatementCompiler } from './statement-compiler.ts'
import { TableIntrospector } from './table-introspector.ts'

// The door of `@percolite/client/kysely`.

export { NotInDialectError } from './refused-clauses.ts'

/** A database, whatever its tables. */
type AnyDatabase = { query(...call: never): unknown; begin(...call: never): unknown }

export type PercoliteDialectConfig = {
  /** What `connect` has made. It stays the program's: `destroy` of Kysely does not close it. */
  readonly db: AnyDatabase
  /** More rows of a query than this are `result_too_large`; 10,000 where not given. `stream` has no such bound. */
  readonly maxRows?: number
}

/**
 * Percolite for Kysely: `new Kysely<Database>({ dialect: new PercoliteDialect({ db: connect() }) })`. A clause that the
 * language of Percolite lacks is a `NotInDialectError`, thrown before anything is sent.
 */
export class PercoliteDialect implements Dialect {
  readonly #db: Database
  readonly #maxRows: number | undefined

  constructor({ db, maxRows }: PercoliteDialectConfig) {
    this.#db = db as Database
    this.#maxRows = maxRows
  }

  createDriver(): Driver {
    return new PercoliteDriver(this.#db, this.#maxRows)
  }

  createQueryCompiler(): StatementCompiler {
    return new StatementCompiler()
  }

  createAdapter(): DialectAdapter {
    return ADAPTER
  }

  createIntrospector(_: Kysely<unknown>): TableIntrospector {
    return new TableIntrospector(this.#db)
  }
}

const ADAPTER: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsReturning: true,
  // A definition stands alone, with a commit of its own.
  supportsTransactionalDdl: false,
  // No lock outlives the process that holds it, so there is none: migrations are one program's work.
  acquireMigrationLock: async () => undefined,
  releaseMigrationLock: async () => undefined,
}
