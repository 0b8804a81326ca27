// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from './errors.ts'
import type { Http, RequestOptions } from './http.ts'
import { type Key, keyPath } from './key-path.ts'
import {
  decodeRows,
  encodeParameters,
  type IntegerMode,
  type Parameter,
  type Row,
} from './values.ts'
import type { ResultColumn, RowPage, TableDefinition } from './wire.ts'

export type RowOptions = {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export type ReadRowOptions = RowOptions & {
  readonly columns?: readonly string[]
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

export type RowsOptions = ReadRowOptions & {
  /** A condition of the dialect, `:name` for values of `params`. */
  readonly where?: string
  readonly params?: Readonly<Record<string, Parameter>>
  /** The index to walk; `primary` lets a `where` that bounds no key walk the whole table. */
  readonly index?: string
  /** Columns of that key, each perhaps with `desc`: `['time desc', 'id']`. */
  readonly order?: readonly string[]
  /** Rows a request, at most 10,000; the server's default is 100. */
  readonly pageSize?: number
}

/** A row with its version, which every commit that writes it changes. */
export type VersionedRow<R> = { readonly row: R; readonly version: string }

/** The rows of one table by their keys, each call a transaction of its own. */
export class Table<R = Row> {
  readonly #http: Http
  readonly #path: string
  readonly #integers: IntegerMode
  #columns: Promise<readonly ResultColumn[]> | undefined

  constructor(http: Http, name: string, integers: IntegerMode) {
    this.#http = http
    this.#path = `/v1/tables/${encodeURIComponent(name)}`
    this.#integers = integers
  }

  /** Undefined where there is no such row. */
  async get(key: Key, options: ReadRowOptions = {}): Promise<VersionedRow<R> | undefined> {
    const search = searchOf(readParameters(options))
    try {
      return await this.#exchange('GET', this.#rowPath(key) + search, undefined, options)
    } catch (error) {
      if (error instanceof PercoliteError && error.code === 'row_not_found') return undefined
      throw error
    }
  }

  /** A new row, as it is then, defaults included. Throws `already_exists`. */
  insert(row: Partial<R>, options: WriteRowOptions = {}): Promise<VersionedRow<R>> {
    return this.#exchange('POST', `${this.#path}/rows`, row, options)
  }

  /** Makes the row, or replaces it whole: columns that are left out take their defaults. */
  put(key: Key, row: Partial<R>, options: PutRowOptions = {}): Promise<VersionedRow<R>> {
    return this.#exchange('PUT', this.#rowPath(key), row, options)
  }

  /** Changes the columns that are given. Throws `row_not_found`. */
  patch(key: Key, row: Partial<R>, options: WriteRowOptions = {}): Promise<VersionedRow<R>> {
    return this.#exchange('PATCH', this.#rowPath(key), row, options)
  }

  /** Whether there was a row. */
  async delete(key: Key, options: WriteRowOptions = {}): Promise<boolean> {
    try {
      await this.#http.exchange('DELETE', this.#rowPath(key), undefined, requestOf(options))
      return true
    } catch (error) {
      if (error instanceof PercoliteError && error.code === 'row_not_found') return false
      throw error
    }
  }

  /** Any number of rows of one snapshot, a page in memory at a time. */
  async *rows(options: RowsOptions = {}): AsyncGenerator<R, void, undefined> {
    const { where, params, index, order, pageSize } = options
    const parameters = {
      ...readParameters(options),
      where,
      params: params === undefined ? undefined : JSON.stringify(encodeParameters(params)),
      index,
      order: order?.join(','),
      limit: pageSize?.toString(),
    }
    let cursor: string | undefined
    do {
      const path = `${this.#path}/rows${searchOf({ ...parameters, cursor })}`
      const page = await this.#http.request<RowPage>('GET', path, undefined, requestOf(options))
      for (const row of decodeRows(page, this.#integers)) {
        options.signal?.throwIfAborted()
        yield row as R
      }
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  async #exchange(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    row: Partial<R> | undefined,
    options: PutRowOptions,
  ): Promise<VersionedRow<R>> {
    const body = row === undefined ? undefined : encodeParameters(row as Record<string, Parameter>)
    const { answer, headers } = await this.#http.exchange<Row>(
      method,
      path,
      body,
      requestOf(options),
    )
    const columns = await this.#columnsOf(answer, options)
    const [decoded] = decodeRows({ columns, rows: [answer] }, this.#integers)
    return { row: decoded as R, version: headers.get('etag') ?? '' }
  }

  /** The types of the row's columns; asked for again when a column is there that was not before. */
  async #columnsOf(row: Row, options: RowOptions): Promise<readonly ResultColumn[]> {
    const names = Object.keys(row)
    const known = await this.#columns?.catch(() => [])
    const isKnown = (name: string) => known?.some((column) => column.name === name)
    if (known === undefined || !names.every(isKnown)) {
      this.#columns = this.#http
        .request<TableDefinition>('GET', this.#path, undefined, waitingOf(options))
        .then(({ columns }) => columns)
    }
    const columns = await (this.#columns as Promise<readonly ResultColumn[]>)
    return columns.filter(({ name }) => Object.hasOwn(row, name))
  }

  #rowPath(key: Key): string {
    return `${this.#path}/rows/${keyPath(key)}`
  }
}

function readParameters({ columns, asOf }: ReadRowOptions) {
  return { columns: columns?.map(escapeName).join(','), asOf: asOf?.toString() }
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll(',', '~1')
}

function searchOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.set(name, value)
  }
  return search.size === 0 ? '' : `?${search}`
}

function waitingOf({ signal, timeoutMs }: RowOptions): RequestOptions {
  return { signal, timeoutMs }
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
      ...(ifVersion === undefined ? {} : { 'if-match': ifVersion }),
      ...(ifAbsent ? { 'if-none-match': '*' } : {}),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
  }
}
