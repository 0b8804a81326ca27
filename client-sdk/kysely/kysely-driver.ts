// SPDX-License-Identifier: Apache-2.0
import type {
  AbortableOperationOptions,
  CompiledQuery,
  DatabaseConnection,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import type { Database } from '../database.ts'
import type { Transaction } from '../requests/transaction.ts'
import { NotInDialectError } from './refused-clauses.ts'

/** Runs the statements of Kysely by the client. A connection is nothing but the transaction that it has open. */
export class PercoliteDriver implements Driver {
  readonly #db: Database
  readonly #maxRows: number | undefined

  constructor(db: Database, maxRows: number | undefined) {
    this.#db = db
    this.#maxRows = maxRows
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ClientConnection> {
    return new ClientConnection(this.#db, this.#maxRows)
  }

  /** Rejects with NotInDialectError for a level of isolation that there is not. */
  async beginTransaction(
    connection: ClientConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    if (isolationLevel !== undefined && isolationLevel !== 'snapshot') {
      throw new NotInDialectError(
        `The isolation level "${isolationLevel}"`,
        'there is one, "snapshot"; against write skew read the rows with forUpdate()',
      )
    }
    connection.transaction = await this.#db.begin({ readOnly: accessMode === 'read only' })
  }

  async commitTransaction(connection: ClientConnection): Promise<void> {
    const { transaction } = connection
    connection.transaction = undefined
    await transaction?.commit()
  }

  async rollbackTransaction(connection: ClientConnection): Promise<void> {
    const { transaction } = connection
    connection.transaction = undefined
    await transaction?.rollback()
  }

  async savepoint(): Promise<void> {
    throw noSavepoint()
  }

  async rollbackToSavepoint(): Promise<void> {
    throw noSavepoint()
  }

  async releaseSavepoint(): Promise<void> {
    throw noSavepoint()
  }

  async releaseConnection(connection: ClientConnection): Promise<void> {
    await this.rollbackTransaction(connection)
  }

  /** The client is closed by the program that has made it. */
  async destroy(): Promise<void> {}
}

function noSavepoint(): NotInDialectError {
  return new NotInDialectError(
    'SAVEPOINT',
    'a statement that fails leaves the transaction as it was before it',
  )
}

class ClientConnection implements DatabaseConnection {
  transaction: Transaction | undefined
  readonly #db: Database
  readonly #maxRows: number | undefined

  constructor(db: Database, maxRows: number | undefined) {
    this.#db = db
    this.#maxRows = maxRows
  }

  async executeQuery<R>(
    { sql, parameters }: CompiledQuery,
    { signal }: AbortableOperationOptions = {},
  ): Promise<QueryResult<R>> {
    const options = {
      ...(signal && { signal }),
      ...(this.#maxRows !== undefined && { maxRows: this.#maxRows }),
    }
    const place = this.transaction ?? this.#db
    const { rows, rowsAffected } = await place.query<R>(sql, parameters, options)
    return { rows, numAffectedRows: BigInt(rowsAffected) }
  }

  async *streamQuery<R>(
    { sql, parameters }: CompiledQuery,
    chunkSize: number,
    { signal }: AbortableOperationOptions = {},
  ): AsyncIterableIterator<QueryResult<R>> {
    const options = { pageSize: Math.min(chunkSize, PAGE_ROWS_MAX), ...(signal && { signal }) }
    const place = this.transaction ?? this.#db
    let rows: R[] = []
    for await (const row of place.scan<R>(sql, parameters, options)) {
      rows.push(row)
      if (rows.length < chunkSize) continue
      yield { rows }
      rows = []
    }
    if (rows.length > 0) yield { rows }
  }
}

/** What the server takes as `pageSize`. */
const PAGE_ROWS_MAX = 10_000
