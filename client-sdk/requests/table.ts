// SPDX-License-Identifier: Apache-2.0

import { clientError, hasCode } from '../errors.ts'
import {
  entryKeyPath,
  type Key,
  type KeyValue,
  keyPath,
  pathPart,
  requireWellFormed,
} from '../key-path.ts'
import {
  decodeRows,
  encodeParameters,
  type Parameter,
  type Row,
  type ValueModes,
} from '../values.ts'
import type { CellsOfRows, DescribedRow, RowCells, RowPage } from '../wire.ts'
import { shown } from './committed.ts'
import { committedAt, type Http, type RequestOptions } from './http.ts'
import type { Chosen, Inserted, KeyOf, OptionalOf, Ordered, TableTypes } from './table-types.ts'

export type RowOptions = {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export type ReadRowOptions<Column extends string = string> = RowOptions & {
  readonly columns?: readonly Column[]
  /** Reads the past: a stamp in microseconds since 1970, or an ISO time. */
  readonly asOf?: number | string
}

export type WriteRowOptions = RowOptions & {
  /** Only if the row is still of this version; else `precondition_failed`. */
  readonly ifVersion?: string
  /** Lets the request be sent again after a lost answer: it is done once, and answers the same. */
  readonly idempotencyKey?: string
}

export type PutRowOptions = WriteRowOptions & {
  /** Only if there is no row yet; else `precondition_failed`. */
  readonly ifAbsent?: boolean
}

export type RowsOptions<
  Column extends string = string,
  Any extends string = string,
> = ReadRowOptions<Column> & {
  /** A condition of the dialect, `:name` for values of `params`. */
  readonly where?: string
  readonly params?: Readonly<Record<string, Parameter>>
  /** The index to walk; `primary` lets a `where` that bounds no key walk the whole table. */
  readonly index?: string
  /** Columns of that key, each perhaps with `desc`, special names in quotes: `['time desc', '"first, last"']`. */
  readonly order?: ReadonlyArray<Ordered<Any>>
  /** Rows a request, at most 10,000; the server's default is 100. */
  readonly pageSize?: number
}

/**
 * A row with its version, which every commit that writes it changes. Where the row that a write has made
 * cannot be shown (an INTEGER that is no number), the write has been committed all the same: then to look at
 * `row` throws the error, which is `committed`.
 */
export type VersionedRow<R> = { readonly row: R; readonly version: string }

/** What is answered, or `missing` where there is no such row. */
function orMissing<Answer, Missing>(
  answer: Promise<Answer>,
  missing: Missing,
): Promise<Answer | Missing> {
  return answer.catch((error: unknown) => {
    if (hasCode(error, 'row_not_found')) return missing
    throw error
  })
}

/**
 * The rows of one table by their keys, each call a transaction of its own. `K`, `Optional` and `Column` are what
 * `connect<Schema>()` tells of its key, of the columns that an insert may leave out, and of all columns.
 */
export class Table<
  R = Row,
  K extends Key = Key,
  Optional = keyof R,
  Column extends string = string,
> {
  readonly #http: Http
  readonly #path: string
  readonly #modes: ValueModes

  constructor(http: Http, name: string, modes: ValueModes) {
    this.#http = http
    this.#path = `/v1/tables/${pathPart(name, 'name of a table')}`
    this.#modes = modes
  }

  /** Undefined where there is no such row. */
  async get<C extends Column = Column>(
    key: K,
    options: ReadRowOptions<C> = {},
  ): Promise<VersionedRow<Chosen<R, Column, C>> | undefined> {
    return orMissing(this.#exchange('GET', this.#rowPath(key), undefined, options), undefined)
  }

  /** A new row, as it is then, defaults included. Throws `already_exists`. */
  insert(row: Inserted<R, Optional>, options: WriteRowOptions = {}): Promise<VersionedRow<R>> {
    return this.#exchange('POST', `${this.#path}/rows`, row, options)
  }

  /** Makes the row, or replaces it whole: columns that are left out take their defaults. */
  put(key: K, row: Partial<R>, options: PutRowOptions = {}): Promise<VersionedRow<R>> {
    return this.#exchange('PUT', this.#rowPath(key), row, options)
  }

  /** Changes the columns that are given. Throws `row_not_found`. */
  patch(key: K, row: Partial<R>, options: WriteRowOptions = {}): Promise<VersionedRow<R>> {
    return this.#exchange('PATCH', this.#rowPath(key), row, options)
  }

  /** The value of a column of type BYTES, without its row; undefined where there is no such row. */
  async bytes(
    key: K,
    column: Column,
    options: Omit<ReadRowOptions, 'columns'> = {},
  ): Promise<Uint8Array | null | undefined> {
    const path = `${this.#columnPath(key, column)}${searchOf(readParameters(options))}`
    const opened = this.#http.open('GET', path, undefined, requestOf(options))
    const answer = await orMissing(opened, undefined)
    return answer?.status === 204 ? null : answer && new Uint8Array(await answer.arrayBuffer())
  }

  /** Sets a column of type BYTES. Throws `row_not_found`. */
  async putBytes(
    key: K,
    column: Column,
    value: Uint8Array,
    options: Omit<WriteRowOptions, 'idempotencyKey'> = {},
  ): Promise<void> {
    const { headers, ...rest } = requestOf(options)
    const typed = { ...headers, 'content-type': 'application/octet-stream' }
    await this.#http.open('PUT', this.#columnPath(key, column), value, { ...rest, headers: typed })
  }

  /** Whether there was a row. */
  async delete(key: K, options: WriteRowOptions = {}): Promise<boolean> {
    const path = this.#rowPath(key)
    const deleted = this.#http.exchange('DELETE', path, undefined, requestOf(options))
    return (await orMissing(deleted, false)) !== false
  }

  /** Any number of rows of one snapshot, a page in memory at a time. */
  async *rows<C extends Column = Column>(
    options: RowsOptions<C, Column> = {},
  ): AsyncGenerator<Chosen<R, Column, C>, void, undefined> {
    const { where, params, index, order, pageSize } = options
    const parameters = {
      ...readParameters(options),
      where,
      params: params && JSON.stringify(encodeParameters(params)),
      index,
      order: order?.join(','),
      limit: pageSize?.toString(),
    }
    let cursor: string | undefined
    do {
      const path = `${this.#path}/rows${searchOf({ ...parameters, cursor })}`
      const page = await this.#http.request<RowPage>('GET', path, undefined, requestOf(options))
      for (const row of decodeRows(page, this.#modes)) {
        options.signal?.throwIfAborted()
        yield row as Chosen<R, Column, C>
      }
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  /**
   * Every version that the store holds of these rows, at most 20, in the order of the keys: see "Below the rows" in
   * `docs/http-api.md`. It needs the right INSPECT.
   */
  cells(keys: readonly K[], options: RowOptions = {}): Promise<CellsOfRows> {
    const search = keys.map((key) => `key=${keyPath(key)}`).join('&')
    return this.#http.request('GET', `${this.#path}/cells?${search}`, undefined, options)
  }

  /**
   * The same of an entry of an index. Its key has the values of the index's columns, and then those of the primary key,
   * unless the index is unique and no value is null.
   */
  entryCells(
    index: string,
    key: readonly (KeyValue | null)[],
    options: RowOptions = {},
  ): Promise<RowCells> {
    const of = pathPart(index, 'name of an index')
    const path = `${this.#path}/indexes/${of}/cells/${entryKeyPath(key)}`
    return this.#http.request('GET', path, undefined, options)
  }

  async #exchange<Shown>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    given: object | undefined,
    options: PutRowOptions & ReadRowOptions,
  ): Promise<VersionedRow<Shown>> {
    const search = searchOf({ ...readParameters(options), described: 'true' })
    const body = given && encodeParameters(given as Record<string, Parameter>)
    const { answer, headers, unreadable } = await this.#http.exchange<DescribedRow>(
      method,
      path + search,
      body,
      requestOf(options),
    )
    const row = shown('row', committedAt(headers), () => {
      if (unreadable !== undefined) throw unreadable.cause
      return this.#decode<Shown>(answer)
    })
    const version = headers.get('etag') ?? ''
    return Object.assign(row, { version })
  }

  /** By the columns that the answer itself names: those of the table may be others by now. */
  #decode<Shown>({ columns, row }: DescribedRow): Shown {
    if (!Array.isArray(columns) || typeof row !== 'object' || row === null) {
      throw clientError('invalid_answer')
    }
    const [decoded] = decodeRows({ columns, rows: [row] }, this.#modes)
    return decoded as Shown
  }

  #rowPath(key: Key): string {
    return `${this.#path}/rows/${keyPath(key)}`
  }

  #columnPath(key: Key, column: string): string {
    return `${this.#rowPath(key)}/${pathPart(column, 'name of a column')}`
  }
}

/** A table as far as the compiler was told of it. */
export type TableOf<Types extends TableTypes> = Table<
  Types['row'],
  KeyOf<Types>,
  OptionalOf<Types>,
  keyof Types['row'] & string
>

function readParameters({ columns, asOf }: ReadRowOptions) {
  return { columns: columns?.map(quotedName).join(','), asOf: asOf?.toString() }
}

/** In the quotes of the dialect, within which commas, blanks and everything else are themselves. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function searchOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    // A URL has no form for half a surrogate pair, and would take another character.
    if (value !== undefined) search.set(name, requireWellFormed(value, name))
  }
  return search.size === 0 ? '' : `?${search}`
}

function requestOf({
  signal,
  timeoutMs,
  ifVersion,
  ifAbsent,
  idempotencyKey,
}: PutRowOptions): RequestOptions {
  return {
    signal,
    timeoutMs,
    headers: {
      'if-match': ifVersion,
      'if-none-match': ifAbsent ? '*' : undefined,
      'idempotency-key': idempotencyKey,
    },
  }
}
