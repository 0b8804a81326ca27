// SPDX-License-Identifier: Apache-2.0
import { Database } from './database.ts'
import type { JsonMode } from './json-text.ts'
import { Http } from './requests/http.ts'
import type { Texts } from './requests/statement-types.ts'
import type { Tables } from './requests/table-types.ts'
import { ServerAddress } from './server-address.ts'
import { SharedSocket } from './socket/shared-socket.ts'
import { type TokenGiver, TokenSource } from './token-source.ts'
import type { IntegerMode } from './values.ts'

// The door of the client: everything that may be imported stands here.

export type { Database } from './database.ts'
export { type ClientErrorCode, type ErrorCode, type ErrorFields, PercoliteError } from './errors.ts'
export type { JsonMode } from './json-text.ts'
export { entryKeyPath, type Key, type KeyValue, keyPath } from './key-path.ts'
export type { ObserverEvent } from './observers/observer-event.ts'
export type { ObserverFunction } from './observers/observer-runs.ts'
export type { ObserveOptions, ObserverWorker } from './observers/observer-worker.ts'
export type { RowOf } from './requests/row-of.ts'
export type { TransactionOptions } from './requests/run-transaction.ts'
export type { Texts, TextTypes } from './requests/statement-types.ts'
export type {
  CursorOptions,
  CursorPage,
  Page,
  PageOptions,
  QueryOptions,
  QueryResult,
  ScanOptions,
  ScriptAnswer,
  ScriptOptions,
  ScriptResult,
  ScriptStatement,
  Statement,
  StatementOptions,
  StatementResult,
} from './requests/statements.ts'
export type {
  PutRowOptions,
  ReadRowOptions,
  RowOptions,
  RowsOptions,
  Table,
  VersionedRow,
  WriteRowOptions,
} from './requests/table.ts'
export type { Tables, TableTypes } from './requests/table-types.ts'
export type { BeginOptions, Transaction } from './requests/transaction.ts'
export type { LiveOptions, LiveRows } from './subscriptions/live-rows.ts'
export type {
  ResultOptions,
  ResultSubscription,
  SubscribeOptions,
  Subscription,
} from './subscriptions/subscription.ts'
export type {
  Bookmark,
  Change,
  ResultEvent,
  RowKey,
  SnapshotRow,
  Splice,
  SubscriptionEvent,
  SubscriptionMode,
} from './subscriptions/subscription-event.ts'
export type { TokenGiver } from './token-source.ts'
export type { IntegerMode, Parameter, Parameters, Row, Value } from './values.ts'
export type { ResultColumn, Schemas, TransactionOutcome } from './wire.ts'

export type ConnectOptions = {
  /**
   * The server; else `PERCOLITE_URL` where there is an environment (several with commas between them), else
   * `http://127.0.0.1:4270`. Of several, a primary and its standbys, the one that takes writes is used: the first, or
   * the next where that one cannot be reached or is not the primary.
   */
  readonly url?: string | URL | ReadonlyArray<string | URL>
  /**
   * A token of access, or a function that fetches one, asked again when the last one has expired or is about to; else
   * `PERCOLITE_TOKEN` where there is an environment.
   */
  readonly token?: TokenGiver
  /** Whether a token may be sent to another machine in the clear, over http; not unless it is said. */
  readonly insecure?: boolean
  /**
   * How INTEGER is given: `number` (the default) refuses a value beyond 2^53 − 1 by
   * `integer_out_of_range`, `bigint` makes every INTEGER a bigint. Its type never depends on its value.
   */
  readonly integers?: IntegerMode
  /** What a DECIMAL is in rows, made of the text of its digits: `(text) => new Big(text)`; that text if not given. */
  readonly decimal?: (text: string) => unknown
  /**
   * How JSON columns are given: `number` (the default) as values, and a number in one that JavaScript
   * would round is refused by `json_number_inexact`; `text` as their text, with every digit.
   */
  readonly json?: JsonMode
  /** How long an answer may take, in milliseconds; 60,000 if not given. */
  readonly timeoutMs?: number
  /** Another `fetch`, for a proxy, an agent or a test. */
  readonly fetch?: typeof fetch
  /** Another `WebSocket`, likewise. */
  readonly WebSocket?: typeof WebSocket
}

const DEFAULT_URL = 'http://127.0.0.1:4270'
const TIMEOUT_MS = 60_000

/**
 * Names a server, or a primary and its standbys. Nothing is sent yet. An address that is none is a TypeError, and so is
 * one to which a token would travel in the clear. With the types of its tables,
 * `connect<{ account: { row: Account; key: [id: string] } }>()`, the compiler knows the rows of statements, and the
 * names, keys and columns of `table`.
 */
export function connect<Known extends Tables<Known> = object, Said extends Texts<Said> = object>(
  options: ConnectOptions = {},
): Database<Known, Said> {
  const server = {
    address: new ServerAddress(
      [options.url ?? fromEnvironment('PERCOLITE_URL')?.split(',') ?? DEFAULT_URL].flat(),
    ),
    tokens: new TokenSource(options.token ?? fromEnvironment('PERCOLITE_TOKEN'), options.insecure),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    json: options.json,
  }
  for (const url of server.address.urls) server.tokens.requireSecure(url)
  // Bound, because browsers refuse a `fetch` that is called as a method of something else.
  const http = new Http({ ...server, fetch: options.fetch ?? globalThis.fetch.bind(globalThis) })
  const socket = new SharedSocket({
    ...server,
    WebSocket: options.WebSocket ?? globalThis.WebSocket,
  })
  return new Database<Known, Said>(http, socket, options)
}

function fromEnvironment(name: string): string | undefined {
  const runtime = globalThis as { process?: { env?: Record<string, string | undefined> } }
  try {
    return runtime.process?.env?.[name] || undefined
  } catch {
    // Deno asks for a permission to read the environment, and it was not given.
    return undefined
  }
}
