// SPDX-License-Identifier: Apache-2.0

import { clientError } from '../errors.ts'
import {
  decodeRows,
  encodeParameters,
  type Parameter,
  type Parameters,
  type Row,
  type ValueModes,
} from '../values.ts'
import type { QueryAnswer, QueryRequest, ResultColumn, Schemas, WireResult } from '../wire.ts'
import { shown } from './committed.ts'
import type { Http, RequestOptions } from './http.ts'

export type StatementOptions = {
  readonly signal?: AbortSignal
  /** How long the statement may run; the server stops it, and the client does not wait much longer. */
  readonly timeoutMs?: number
  /** Reads the past: a stamp in microseconds since 1970, or an ISO time. Not inside a transaction. */
  readonly asOf?: number | string
}

export type QueryOptions = StatementOptions & {
  /** More rows than this are `result_too_large`; 10,000 where not given. */
  readonly maxRows?: number
}

export type ScanOptions = StatementOptions & {
  /** Rows a request, at most 10,000; the server's default is 1,000. */
  readonly pageSize?: number
}

export type StatementResult<R = Row> = {
  readonly columns: readonly ResultColumn[]
  /**
   * Where they cannot be shown and the statement was committed (RETURNING with a value that is no number), to
   * look at them throws the error, which is `committed`.
   */
  readonly rows: R[]
  /** How many rows the statement wrote or deleted. */
  readonly rowsAffected: number
  /** Why a `SET … IF` wrote nothing: `missing`, `exists` or `condition`. */
  readonly unmet?: string
  /** What the rows are where they are not those of a table: `explain`, one plan. */
  readonly kind?: string
  /** What would be better than what was defined. */
  readonly hint?: string
}

type Stamps = {
  /** The snapshot that was read, in microseconds since 1970. */
  readonly readTimestamp: number
  /** Undefined where nothing was written, or nothing is committed yet. */
  readonly commitTimestamp: number | undefined
  /** How often the server ran the transaction; more than 1 after conflicts. */
  readonly attempts: number
}

export type QueryResult<R = Row> = StatementResult<R> &
  Stamps & {
    /**
     * Of each statement, where the text has several; absent for one. Then `rowsAffected` counts those of all, and
     * `rows` and `columns` are of the last one that has columns.
     */
    readonly results?: ReadonlyArray<StatementResult>
  }
export type ScriptResult = Stamps & {
  readonly results: ReadonlyArray<StatementResult>
  /** How many rows all of them wrote or deleted. */
  readonly rowsAffected: number
}

/** What one request was answered: a page of a SCAN, or all of anything else. */
export type Page = ScriptResult & {
  /** Another page follows. */
  readonly hasMore: boolean
  /** The transaction that it has opened, if it was BEGIN. */
  readonly transaction?: string
}

export type PageOptions = ScanOptions & {
  /** The id of an open transaction that it runs in. */
  readonly transaction?: string
}

export type CursorOptions = StatementOptions & {
  /** That of the page before, as it came or out of a web address; the first page where there is none. */
  readonly cursor?: string | null | undefined
  /** Rows of the page, at most 10,000; the server's default is 1,000. */
  readonly size?: number
}

export type CursorPage<R = Row> = StatementResult<R> &
  Stamps & {
    /** Of the page after it, which may stand in a web address as it is; undefined after the last one. */
    readonly cursor: string | undefined
  }

export type ScriptOptions = Omit<StatementOptions, 'asOf'> & {
  /** How many statements are done already. */
  readonly from?: number
  /** Run first in the transaction of each part: see "Scripts" in `docs/http-api.md`. */
  readonly note?: Schemas['ScriptNote']
}

/** A statement of a script, where it stands in the text, and the first of its rows. */
export type ScriptStatement = StatementResult &
  Pick<
    Schemas['ScriptResult'],
    'kind' | 'statement' | 'line' | 'column' | 'moreRows' | 'commitTimestamp'
  >

export type ScriptAnswer = Omit<Schemas['ScriptAnswer'], 'results'> & {
  readonly results: readonly ScriptStatement[]
}

export type Statement = { readonly sql: string; readonly params?: Parameters }

/** What is undefined is not in its JSON. */
type Unsent<Request = QueryRequest> = {
  readonly [Field in keyof Request]: Request[Field] | undefined
}

const MAX_ROWS = 10_000
/** A script ends when its connection does, so that there is no need to give up on one that is long. */
const SCRIPT_MS_MAX = 24 * 60 * 60 * 1000
/** The server's own refusal is worth waiting for: it says for certain that nothing was kept. */
const GRACE_MS = 2_000

/** Runs statements at one place: a whole request as a transaction, or inside an open transaction. */
export class Statements {
  readonly #http: Http
  readonly #path: string
  readonly #modes: ValueModes

  constructor(http: Http, path: string, modes: ValueModes) {
    this.#http = http
    this.#path = path
    this.#modes = modes
  }

  /** One statement, with all its rows; of a text of several, all of them answer, in `results`. */
  async query<R = Row>(
    sql: string,
    params?: Parameters,
    options: QueryOptions = {},
  ): Promise<QueryResult<R>> {
    const maxRows = options.maxRows ?? MAX_ROWS
    const request = this.#request(sql, params, options)
    let answer = await this.#send(request, options)
    const result = this.#decode<R>(answer, shownOf(answer.results ?? []), maxRows)
    if ((answer.results?.length ?? 0) > 1) {
      return Object.assign(result, this.#all(answer, maxRows))
    }
    // Only a read has more pages; what was committed came whole.
    while (answer.cursor !== undefined) {
      const { rows } = result
      if (rows.length >= maxRows) throw tooLarge(maxRows)
      answer = await this.#send({ ...request, cursor: answer.cursor }, options)
      for (const row of this.#decode<R>(answer, 0).rows) rows.push(row)
      if (rows.length > maxRows) throw tooLarge(maxRows)
    }
    // The result keeps its property `rows` as it is.
    return Object.assign(result, stampsOf(answer))
  }

  /** Several statements, all or nothing. */
  async execute(
    statements: string | ReadonlyArray<string | Statement>,
    options: StatementOptions = {},
  ): Promise<ScriptResult> {
    const { timeoutMs, asOf } = options
    const request =
      typeof statements === 'string'
        ? { sql: statements }
        : { statements: statements.map(encodeStatement) }
    const answer = await this.#send({ ...request, timeoutMs, asOf }, options)
    return this.#all(answer)
  }

  /** Definitions and other statements, part by part. */
  async script(sql: string, { signal, ...options }: ScriptOptions = {}): Promise<ScriptAnswer> {
    const answer = await this.#http.request<Schemas['ScriptAnswer']>(
      'POST',
      '/v1/scripts',
      { sql, ...options },
      { signal, timeoutMs: SCRIPT_MS_MAX },
    )
    const results = answer.results.map((result) => this.resultOf(result, result.commitTimestamp))
    return { ...answer, results: results as ScriptStatement[] }
  }

  /** The rows of a SCAN of any length, a page in memory at a time, all of one snapshot. */
  async *scan<R = Row>(
    sql: string,
    params?: Parameters,
    options: ScanOptions = {},
  ): AsyncGenerator<R, void, undefined> {
    for await (const answer of this.#answers(sql, params, options)) {
      for (const row of this.#decode<R>(answer, 0).rows) {
        options.signal?.throwIfAborted()
        yield row
      }
    }
  }

  /** One page of a SCAN. */
  async page<R = Row>(
    sql: string,
    params?: Parameters,
    { cursor, size: pageSize, ...options }: CursorOptions = {},
  ): Promise<CursorPage<R>> {
    const request = this.#request(sql, params, options)
    const answer = await this.#send({ ...request, pageSize, cursor: cursor || undefined }, options)
    return Object.assign(this.#decode<R>(answer, 0), { cursor: answer.cursor, ...stampsOf(answer) })
  }

  /** The results of a text, those of a SCAN a page at a time. */
  async *pages(
    sql: string,
    params?: Parameters,
    options: PageOptions = {},
  ): AsyncGenerator<Page, void, undefined> {
    for await (const answer of this.#answers(sql, params, options)) {
      const { transaction, cursor } = answer
      const page = { ...this.#all(answer), hasMore: cursor !== undefined }
      yield { ...page, ...(transaction === undefined ? {} : { transaction }) }
    }
  }

  async *#answers(
    sql: string,
    params: Parameters | undefined,
    options: PageOptions,
  ): AsyncGenerator<QueryAnswer, void, undefined> {
    const { pageSize, transaction } = options
    const request = { ...this.#request(sql, params, options), pageSize, transaction }
    let answer = await this.#send(request, options)
    yield answer
    while (answer.cursor !== undefined) {
      answer = await this.#send({ ...request, cursor: answer.cursor }, options)
      yield answer
    }
  }

  #request(
    sql: string,
    params: Parameters | undefined,
    { timeoutMs, asOf }: StatementOptions,
  ): Unsent {
    return { sql, params: params && encodeParameters(params), timeoutMs, asOf }
  }

  #send(request: Unsent, options: StatementOptions): Promise<QueryAnswer> {
    const { timeoutMs, signal } = options
    const waiting: RequestOptions = {
      signal,
      timeoutMs: timeoutMs === undefined ? undefined : timeoutMs + GRACE_MS,
    }
    return this.#http.request<QueryAnswer>('POST', this.#path, request, waiting)
  }

  /** A result as it is on the wire, of a transaction that was committed then, if it was. Throws `invalid_answer`. */
  resultOf<R = Row>(
    wire: WireResult | undefined,
    commitTimestamp: number | undefined,
    maxRows = Infinity,
  ): StatementResult<R> {
    const result = requireResult(wire)
    const { rows: _, ...more } = result
    const rows = shown('rows', commitTimestamp, () => {
      if (result.rows.length > maxRows) throw tooLarge(maxRows)
      return decodeRows(result, this.#modes) as R[]
    })
    return Object.assign(rows, more)
  }

  #all(answer: QueryAnswer, maxRows?: number): ScriptResult {
    const results = (answer.results ?? []).map((_, at) => this.#decode<Row>(answer, at, maxRows))
    const rowsAffected = results.reduce((sum, result) => sum + result.rowsAffected, 0)
    return { results, rowsAffected, ...stampsOf(answer) }
  }

  #decode<R>(answer: QueryAnswer, index: number, maxRows?: number): StatementResult<R> {
    return this.resultOf<R>(answer.results?.[index], answer.commitTimestamp, maxRows)
  }
}

/** Throws `invalid_answer` for what is no result of a statement. */
function requireResult(result: WireResult | undefined): WireResult {
  if (Array.isArray(result?.columns) && Array.isArray(result.rows)) return result
  throw clientError('invalid_answer', { httpStatus: 200 })
}

/** The last of several results that has columns: a COMMIT after it has none. */
function shownOf(results: readonly WireResult[]): number {
  return Math.max(
    0,
    results.findLastIndex(({ columns }) => columns?.[0]),
  )
}

function tooLarge(maxRows: number) {
  return clientError('result_too_large', {
    message: `More than ${maxRows} rows: use scan() or LIMIT.`,
    fields: { limit: 'maxRows', limitValue: maxRows },
  })
}

/** `` sql`GET * FROM account WHERE id = ${id}` `` as text with `$1` and its parameters. */
export function statementOfTemplate(
  strings: TemplateStringsArray,
  values: readonly Parameter[],
): Required<Statement> {
  const sql = strings.reduce((text, part, index) => `${text}$${index}${part}`)
  return { sql, params: values }
}

function encodeStatement(statement: string | Statement) {
  if (typeof statement === 'string') return { sql: statement }
  const { sql, params } = statement
  return { sql, ...(params && { params: encodeParameters(params) }) }
}

function stampsOf(answer: QueryAnswer): Stamps {
  const { readTimestamp, commitTimestamp, attempts } = answer
  return { readTimestamp, commitTimestamp, attempts }
}
