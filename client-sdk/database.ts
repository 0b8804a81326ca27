// SPDX-License-Identifier: Apache-2.0
// For the declarations of the package, where a program has older libraries.
/// <reference lib="esnext.disposable" preserve="true" />

import { type KeyValue, pathPart } from './key-path.ts'
import type { ObserverEvent } from './observers/observer-event.ts'
import type { ObserverFunction } from './observers/observer-runs.ts'
import { type ObserveOptions, ObserverWorker } from './observers/observer-worker.ts'
import type { Http } from './requests/http.ts'
import { runTransaction, type TransactionOptions } from './requests/run-transaction.ts'
import type {
  After,
  AfterWith,
  AnyText,
  Call,
  CallWith,
  RowOfText,
  Texts,
  Unsaid,
} from './requests/statement-types.ts'
import {
  type CursorOptions,
  type CursorPage,
  type Page,
  type PageOptions,
  type QueryOptions,
  type QueryResult,
  type ScanOptions,
  type ScriptAnswer,
  type ScriptOptions,
  type ScriptResult,
  type Statement,
  type StatementOptions,
  type StatementResult,
  Statements,
  statementOfTemplate,
} from './requests/statements.ts'
import { Table, type TableOf } from './requests/table.ts'
import type {
  ObserverOf,
  TableOfObserver,
  Tables,
  TableTypes,
  UnknownName,
  UnknownObserver,
} from './requests/table-types.ts'
import { type BeginOptions, beginTransaction, type Transaction } from './requests/transaction.ts'
import type { SharedSocket } from './socket/shared-socket.ts'
import { type LiveOptions, LiveRows } from './subscriptions/live-rows.ts'
import type { SubscribedStatement } from './subscriptions/subscriber.ts'
import {
  type ResultOptions,
  type ResultSubscription,
  type SubscribeOptions,
  Subscription,
} from './subscriptions/subscription.ts'
import type { RowKey } from './subscriptions/subscription-event.ts'
import type { Parameter, Parameters, Row, ValueModes } from './values.ts'
import type { Schemas, TransactionOutcome } from './wire.ts'

/** That of an observer whose table is known: its row and key, and what the transaction reads, have their types. */
type KnownObserverFunction<
  Known extends Tables<Known>,
  Said extends Texts<Said>,
  Types extends TableTypes,
> = (
  tx: Transaction<Known, Said>,
  event: ObserverEvent<
    Types['row'],
    Types extends { readonly key: infer K extends readonly KeyValue[] } ? Readonly<K> : RowKey
  >,
) => Promise<void> | void

/**
 * A Percolite server. Each call is a request of its own; subscriptions and observers share one WebSocket,
 * which is there as long as one of them is.
 */
export class Database<Known extends Tables<Known> = object, Said extends Texts<Said> = object>
  implements AsyncDisposable
{
  readonly #http: Http
  readonly #socket: SharedSocket
  readonly #modes: ValueModes
  readonly #statements: Statements

  constructor(http: Http, socket: SharedSocket, modes: ValueModes) {
    this.#http = http
    this.#socket = socket
    this.#modes = modes
    this.#statements = new Statements(http, '/v1/query', modes)
  }

  /** For what is in an entry of its own. Throws TypeError for what `connect` has not made. */
  static socketOf(database: object): SharedSocket {
    if (#socket in database) return database.#socket
    throw new TypeError('No database of connect().')
  }

  /**
   * Runs one statement as a transaction of its own; the server runs it again on conflicts. A SCAN is
   * read to its end, up to `maxRows`. A write whose answer is lost (`connection_failed`,
   * `request_timed_out`) may have happened.
   */
  query<Sql extends string>(
    sql: Sql,
    ...more: After<Said, Sql, QueryOptions>
  ): Promise<QueryResult<RowOfText<Known, Said, Sql>>>
  query<R = Unsaid>(...call: AnyText<R, Said, QueryOptions>): Promise<QueryResult<R>>
  query<R>(...call: never): Promise<QueryResult<R>> {
    return this.#statements.query<R>(...(call as Call<QueryOptions>))
  }

  /** `` db.sql`GET * FROM account WHERE id = ${id}` ``: what stands in braces becomes a parameter. */
  sql<R = Row>(strings: TemplateStringsArray, ...values: Parameter[]): Promise<QueryResult<R>> {
    const { sql, params } = statementOfTemplate(strings, values)
    return this.#statements.query<R>(sql, params)
  }

  /** Runs several statements as one transaction in one request. */
  execute(
    statements: string | ReadonlyArray<string | Statement>,
    options?: StatementOptions,
  ): Promise<ScriptResult> {
    return this.#statements.execute(statements, options)
  }

  /**
   * Runs a text of definitions and other statements as `POST /v1/scripts` does: part by part, each a transaction of its
   * own. An error says in its `fields` how many statements are `done`, and stay, of the `total`.
   */
  script(sql: string, options?: ScriptOptions): Promise<ScriptAnswer> {
    return this.#statements.script(sql, options)
  }

  /** `for await (const row of db.scan('SCAN * FROM trade'))`: any number of rows of one snapshot. */
  scan<Sql extends string>(
    sql: Sql,
    ...more: After<Said, Sql, ScanOptions>
  ): AsyncGenerator<RowOfText<Known, Said, Sql>, void, undefined>
  scan<R = Unsaid>(...call: AnyText<R, Said, ScanOptions>): AsyncGenerator<R, void, undefined>
  scan<R>(...call: never): AsyncGenerator<R, void, undefined> {
    return this.#statements.scan<R>(...(call as Call<ScanOptions>))
  }

  /**
   * One page of a SCAN, with the `cursor` of the next one: of the same text and parameters, and of the same snapshot.
   * A cursor that is older than the server keeps versions is `snapshot_too_old`: begin again without it.
   */
  page<Sql extends string>(
    sql: Sql,
    ...more: After<Said, Sql, CursorOptions>
  ): Promise<CursorPage<RowOfText<Known, Said, Sql>>>
  page<R = Unsaid>(...call: AnyText<R, Said, CursorOptions>): Promise<CursorPage<R>>
  page<R>(...call: never): Promise<CursorPage<R>> {
    return this.#statements.page<R>(...(call as Call<CursorOptions>))
  }

  /**
   * What a text of statements is answered, a SCAN of any length by the page: for tools that do not know what they run.
   * With `transaction` it runs in one that a page of BEGIN has named; it ends by COMMIT or ROLLBACK.
   */
  pages(
    sql: string,
    params?: Parameters,
    options?: PageOptions,
  ): AsyncGenerator<Page, void, undefined> {
    return this.#statements.pages(sql, params, options)
  }

  /**
   * Any other request of `openapi.yaml`, by its method and path, with the token, the history and the errors of all
   * others. `await db.request<Schemas['Status']>('GET', '/v1/status')`.
   */
  request<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options?: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
  ): Promise<Answer> {
    return this.#http.request<Answer>(method, path, body, options)
  }

  /**
   * A result of a statement as `request` has it, such as those of `POST /v1/scripts`, with its values as `query` gives
   * them. Throws `invalid_answer` for what is none.
   */
  resultOf(
    result: Schemas['StatementResult'] & { readonly commitTimestamp?: number },
  ): StatementResult {
    return this.#statements.resultOf(result, result.commitTimestamp)
  }

  /**
   * The same as `request`, with the answer as it comes: for its headers, and for rows that are streamed. A body of
   * bytes is JSON text and sent as it is. `timeoutMs` ends where the answer begins; its body is read for as long as
   * `signal` lets it.
   */
  open(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options?: {
      readonly headers?: Readonly<Record<string, string>>
      readonly signal?: AbortSignal
      readonly timeoutMs?: number
    },
  ): Promise<Response> {
    return this.#http.open(method, path, body, options)
  }

  /**
   * Runs `work` in a transaction over several requests, commits it, and runs all of it again while
   * it meets conflicts. A commit whose answer is lost is asked after and never run again blindly.
   */
  transaction<T>(
    work: (tx: Transaction<Known, Said>) => Promise<T> | T,
    options: TransactionOptions = {},
  ): Promise<T> {
    return runTransaction(() => this.begin(options), work, options)
  }

  /** Opens a transaction to be committed by hand; `await using tx = await db.begin()` rolls it back. */
  begin(options?: BeginOptions): Promise<Transaction<Known, Said>> {
    return beginTransaction(this.#http, this.#modes, options)
  }

  /** The rows of one table by their keys: `await db.table('account').get('bob')`. */
  table<R = Row>(name: UnknownName<Known>): Table<R>
  table<Name extends keyof Known & string>(name: Name): TableOf<Known[Name]>
  table(name: string): unknown {
    return new Table(this.#http, name, this.#modes)
  }

  /**
   * `for await (const event of db.subscribe('SCAN * FROM trade'))`: what commits change of the rows of a
   * GET or SCAN, whole commits in their order, none left out and none twice, over any loss of the
   * connection. With `snapshot` the rows themselves come first. With the mode `result`, patches of the list that the
   * statement answers; so is every statement told whose rows depend on others, and to say so gives them their types.
   */
  subscribe<Sql extends string>(
    sql: Sql,
    ...more: AfterWith<Said, Sql, ResultOptions>
  ): ResultSubscription<RowOfText<Known, Said, Sql>>
  subscribe<R = Unsaid>(
    ...call: AnyText<R, Said, ResultOptions, CallWith<ResultOptions>>
  ): ResultSubscription<R>
  subscribe<Sql extends string>(
    sql: Sql,
    ...more: After<Said, Sql, SubscribeOptions>
  ): Subscription<RowOfText<Known, Said, Sql>>
  subscribe<R = Unsaid>(...call: AnyText<R, Said, SubscribeOptions>): Subscription<R>
  subscribe(...call: never): unknown {
    return new Subscription(...this.#subscribed(call as Call<SubscribeOptions>))
  }

  /** The rows of a GET or SCAN as they are: the whole array, and again after each commit that changes it. */
  live<Sql extends string>(
    sql: Sql,
    ...more: After<Said, Sql, LiveOptions>
  ): LiveRows<RowOfText<Known, Said, Sql>>
  live<R = Unsaid>(...call: AnyText<R, Said, LiveOptions>): LiveRows<R>
  live<R>(...call: never): LiveRows<R> {
    return new LiveRows<R>(...this.#subscribed(call as Call<LiveOptions>))
  }

  /**
   * Runs `work` for each row that the observer of this name is notified of, in a transaction that
   * acknowledges the change; again while it meets conflicts, and after a while when it throws. Goes on
   * until it is stopped.
   */
  observe<Name extends ObserverOf<Known>>(
    name: Name,
    work: KnownObserverFunction<Known, Said, TableOfObserver<Known, Name>>,
    options?: ObserveOptions<TableOfObserver<Known, Name>['row']>,
  ): ObserverWorker<TableOfObserver<Known, Name>['row']>
  observe<R = Row>(
    name: UnknownObserver<Known>,
    work: ObserverFunction<R>,
    options?: ObserveOptions<R>,
  ): ObserverWorker<R>
  observe(name: string, work: never, options: ObserveOptions = {}): unknown {
    const parts = { http: this.#http, socket: this.#socket, modes: this.#modes }
    return new ObserverWorker(parts, name, work, options)
  }

  /** Ends the subscriptions and observers that are left, with `client_closed`. */
  close(): void {
    this.#socket.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  #subscribed<Options extends object>([sql, params, options]: Call<Options>) {
    const statement: SubscribedStatement = { sql, params, modes: this.#modes }
    return [this.#socket, statement, options ?? ({} as Options)] as const
  }

  /** What became of a transaction, by its id; for one named by `commit_outcome_unknown`. */
  transactionOutcome(
    id: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<TransactionOutcome> {
    const path = `/v1/transactions/${pathPart(id, 'id')}`
    return this.#http.request<TransactionOutcome>('GET', path, undefined, options)
  }
}
