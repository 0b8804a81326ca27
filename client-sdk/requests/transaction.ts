// SPDX-License-Identifier: Apache-2.0
import { orAborted } from '../backoff.ts'
import { clientError, PercoliteError } from '../errors.ts'
import { isShed } from '../socket/socket-frame.ts'
import type { Parameter, Parameters, Row, ValueModes } from '../values.ts'
import type { OpenedTransaction } from '../wire.ts'
import { isOutcomeUnknown, requestCommit, settleCommit } from './commit-outcome.ts'
import type { Http } from './http.ts'
import type { After, AnyText, Call, RowOfText, Texts, Unsaid } from './statement-types.ts'
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
import type { Tables } from './table-types.ts'

export type BeginOptions = {
  readonly readOnly?: boolean
  /** Reads the past: a stamp in microseconds since 1970, or an ISO time. Implies `readOnly`. */
  readonly asOf?: number | string
  readonly signal?: AbortSignal
  /** How long a commit whose answer was lost is asked after, in milliseconds; 30,000 if not given. */
  readonly settleMs?: number
}

const SETTLE_MS = 30_000
/** An abandoned transaction times out in the server, so telling it is not worth a long wait. */
const ROLLBACK_MS = 5_000

/**
 * A transaction over several requests. Writes are kept apart until `commit`, which is all or nothing;
 * one that is left by `await using` without a commit is rolled back. Requests of one transaction go
 * one after the other, in the order in which they were made.
 */
export class Transaction<Known extends Tables<Known> = object, Said extends Texts<Said> = object>
  implements AsyncDisposable
{
  readonly id: string
  /** The snapshot that it reads, in microseconds since 1970. */
  readonly readTimestamp: number

  readonly #http: Http
  readonly #path: string
  readonly #statements: Statements
  readonly #options: BeginOptions
  #state: 'active' | 'committed' | 'ended' = 'active'
  #commitTimestamp: number | undefined
  #failure: PercoliteError | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    http: Http,
    opened: OpenedTransaction,
    modes: ValueModes,
    options: BeginOptions,
    url: string,
  ) {
    this.id = opened.transaction
    this.readTimestamp = opened.readTimestamp
    this.#http = http.ofTransaction(url)
    this.#path = pathOf(opened)
    this.#statements = new Statements(this.#http, `${this.#path}/query`, modes)
    this.#options = options
  }

  /** When it was committed; undefined before, and when nothing was written. */
  get commitTimestamp(): number | undefined {
    return this.#commitTimestamp
  }

  /** The last conflict or other retryable error that a statement met. */
  get retryableFailure(): PercoliteError | undefined {
    return this.#failure
  }

  query<Sql extends string>(
    sql: Sql,
    ...more: After<Said, Sql, QueryOptions>
  ): Promise<QueryResult<RowOfText<Known, Said, Sql>>>
  query<R = Unsaid>(...call: AnyText<R, Said, QueryOptions>): Promise<QueryResult<R>>
  query<R>(...call: never): Promise<QueryResult<R>> {
    return this.#query<R>(...(call as Call<QueryOptions>))
  }

  #query<R>(sql: string, params?: Parameters, options?: QueryOptions): Promise<QueryResult<R>> {
    return this.#run((own) => this.#statements.query<R>(sql, params, own), options)
  }

  /** `` tx.sql`SET balance = ${balance} ON account WHERE id = ${id}` `` */
  sql<R = Row>(strings: TemplateStringsArray, ...values: Parameter[]): Promise<QueryResult<R>> {
    const { sql, params } = statementOfTemplate(strings, values)
    return this.#query<R>(sql, params)
  }

  execute(
    statements: string | ReadonlyArray<string | Statement>,
    options?: StatementOptions,
  ): Promise<ScriptResult> {
    return this.#run((own) => this.#statements.execute(statements, own), options)
  }

  /** The rows of a SCAN, a page in memory at a time; other statements may run between its pages. */
  scan<Sql extends string>(
    sql: Sql,
    ...more: After<Said, Sql, ScanOptions>
  ): AsyncGenerator<RowOfText<Known, Said, Sql>, void, undefined>
  scan<R = Unsaid>(...call: AnyText<R, Said, ScanOptions>): AsyncGenerator<R, void, undefined>
  async *scan<R>(...call: never): AsyncGenerator<R, void, undefined> {
    const [sql, params, options] = call as Call<ScanOptions>
    const own = this.#withSignal(options)
    const rows = this.#statements.scan<R>(sql, params, own)
    while (true) {
      const next = await this.#run(() => rows.next(), own)
      if (next.done) return
      yield next.value
    }
  }

  /**
   * Makes its writes visible and durable, or none of them. When the answer is lost, the server is
   * asked what became of it. Throws `commit_outcome_unknown` when that cannot be learned: then it
   * must not simply be run again.
   */
  async commit(): Promise<void> {
    const commitTimestamp = await this.#inTurn(() => this.#commit())
    this.#state = 'committed'
    this.#commitTimestamp = commitTimestamp ?? undefined
  }

  async #commit(): Promise<number | null> {
    this.#options.signal?.throwIfAborted()
    this.#state = 'ended'
    try {
      // From here on the signal is not heeded: it could not take back what was sent.
      return await requestCommit(this.#http, this.#path)
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      const { settleMs = SETTLE_MS } = this.#options
      return await settleCommit(this.#http, this.id, error, settleMs)
    }
  }

  /** Drops its writes. Harmless when it has ended; the server finds out by its timeout if it cannot be told. */
  async rollback(): Promise<void> {
    if (this.#state !== 'active') return
    await this.#inTurn(async () => {
      this.#state = 'ended'
      await rollBack(this.#http, this.#path)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rollback()
  }

  /**
   * Runs a statement in its turn. When a signal ends the waiting for its answer, it is not known any more what the
   * transaction holds, so that it ends: it is rolled back, and takes nothing more.
   */
  #run<T, Options extends StatementOptions>(
    statement: (options: Options) => Promise<T>,
    options?: Options,
  ): Promise<T> {
    const own = this.#withSignal(options)
    return this.#inTurn(async () => {
      own.signal?.throwIfAborted()
      try {
        return await statement(own)
      } catch (error) {
        if (own.signal?.aborted) this.#abandon()
        throw error
      }
    })
  }

  /** Ends it without waiting for the server to say so. */
  #abandon(): void {
    this.#state = 'ended'
    void rollBack(this.#http, this.#path)
  }

  /** The server takes one request of a transaction at a time, so they wait for each other here. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => {
      if (this.#state !== 'active') throw closed(this.id)
      return work()
    })
    this.#turn = done.catch((error: unknown) => {
      if (error instanceof PercoliteError && isWorthRerun(error)) this.#failure = error
    })
    return done
  }

  #withSignal<Options extends StatementOptions>(options?: Options): Options {
    return { signal: this.#options.signal, ...options } as Options
  }
}

/**
 * Opens a transaction on the server. A signal ends the waiting, and a transaction that is opened all the same
 * is rolled back as soon as the server says so.
 */
export async function beginTransaction<Known extends Tables<Known>, Said extends Texts<Said>>(
  http: Http,
  modes: ValueModes,
  options: BeginOptions = {},
): Promise<Transaction<Known, Said>> {
  const { readOnly, asOf, signal } = options
  signal?.throwIfAborted()
  const opening = http
    .exchange<OpenedTransaction>('POST', '/v1/transactions', { readOnly, asOf })
    .then(({ answer, url }) => new Transaction<Known, Said>(http, answer, modes, options, url))
  try {
    return await orAborted(opening, signal)
  } catch (error) {
    if (signal?.aborted) void opening.then((tx) => tx.rollback()).catch(() => undefined)
    throw error
  }
}

/** Throws `invalid_answer` where no transaction is named. */
function pathOf({ transaction }: OpenedTransaction): string {
  if (typeof transaction !== 'string') throw clientError('invalid_answer')
  return `/v1/transactions/${encodeURIComponent(transaction)}`
}

/** Never rejects: the server finds out by its timeout if it cannot be told. */
async function rollBack(http: Http, path: string): Promise<void> {
  await http.request('DELETE', path, undefined, { timeoutMs: ROLLBACK_MS }).catch(() => undefined)
}

/** Before its commit was sent, a transaction of a lost connection has certainly not happened. */
export function isWorthRerun(error: PercoliteError): boolean {
  if (error.committed) return false
  return error.retryable || error.code === 'connection_failed' || isShed(error)
}

function closed(transaction: string): PercoliteError {
  return new PercoliteError({
    code: 'transaction_closed',
    message: 'The transaction has ended.',
    fields: { transaction },
  })
}
