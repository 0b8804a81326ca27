// SPDX-License-Identifier: Apache-2.0
import type { Http } from './http.ts'
import { runTransaction, type TransactionOptions } from './run-transaction.ts'
import {
  type QueryOptions,
  type QueryResult,
  type ScanOptions,
  type ScriptResult,
  type Statement,
  type StatementOptions,
  Statements,
  statementOfTemplate,
} from './statements.ts'
import { Table } from './table.ts'
import { type BeginOptions, beginTransaction, type Transaction } from './transaction.ts'
import type { IntegerMode, Parameter, Parameters, Row } from './values.ts'
import type { TransactionOutcome } from './wire.ts'

/** A Percolite server. It holds no connection and nothing to close: each call is a request of its own. */
export class Database {
  readonly #http: Http
  readonly #integers: IntegerMode
  readonly #statements: Statements

  constructor(http: Http, integers: IntegerMode) {
    this.#http = http
    this.#integers = integers
    this.#statements = new Statements(http, '/v1/query', integers)
  }

  /**
   * Runs one statement as a transaction of its own; the server runs it again on conflicts. A SCAN is
   * read to its end, up to `maxRows`. A write whose answer is lost (`connection_failed`,
   * `request_timed_out`) may have happened.
   */
  query<R = Row>(
    sql: string,
    params?: Parameters,
    options?: QueryOptions,
  ): Promise<QueryResult<R>> {
    return this.#statements.query<R>(sql, params, options)
  }

  /** `` db.sql`GET * FROM account WHERE id = ${id}` ``: what stands in braces becomes a parameter. */
  sql<R = Row>(strings: TemplateStringsArray, ...values: Parameter[]): Promise<QueryResult<R>> {
    const { sql, params } = statementOfTemplate(strings, values)
    return this.query<R>(sql, params)
  }

  /** Runs several statements as one transaction in one request. */
  execute(
    statements: string | ReadonlyArray<string | Statement>,
    options?: StatementOptions,
  ): Promise<ScriptResult> {
    return this.#statements.execute(statements, options)
  }

  /** `for await (const row of db.scan('SCAN * FROM trade'))`: any number of rows of one snapshot. */
  scan<R = Row>(
    sql: string,
    params?: Parameters,
    options?: ScanOptions,
  ): AsyncGenerator<R, void, undefined> {
    return this.#statements.scan<R>(sql, params, options)
  }

  /**
   * Runs `work` in a transaction over several requests, commits it, and runs all of it again while
   * it meets conflicts. A commit whose answer is lost is asked after and never run again blindly.
   */
  transaction<T>(
    work: (tx: Transaction) => Promise<T> | T,
    options: TransactionOptions = {},
  ): Promise<T> {
    return runTransaction(() => this.begin(options), work, options)
  }

  /** Opens a transaction to be committed by hand; `await using tx = await db.begin()` rolls it back. */
  begin(options?: BeginOptions): Promise<Transaction> {
    return beginTransaction(this.#http, this.#integers, options)
  }

  /** The rows of one table by their keys: `await db.table('account').get('bob')`. */
  table<R = Row>(name: string): Table<R> {
    return new Table<R>(this.#http, name, this.#integers)
  }

  /** What became of a transaction, by its id; for one named by `commit_outcome_unknown`. */
  transactionOutcome(
    id: string,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<TransactionOutcome> {
    const path = `/v1/transactions/${encodeURIComponent(id)}`
    return this.#http.request<TransactionOutcome>('GET', path, undefined, options)
  }
}
