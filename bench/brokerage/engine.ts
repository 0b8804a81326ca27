// SPDX-License-Identifier: Apache-2.0
import type { ColumnOf, IndexOf, RowOf, TableName } from './schema/schema.ts'
import type { Value } from './schema/table-shape.ts'

/**
 * What the brokerage's transactions ask of a database, and all that they ask: one TypeScript text for
 * each transaction runs on every engine. There are no joins; a transaction proceeds in steps, and the
 * reads of one step do not depend on each other, so that an engine may send them together.
 */
export interface Engine {
  readonly name: string
  /** What the report says of it: version, durability, isolation, where it runs. */
  readonly description: string
  /** The process trees whose CPU is the system's under test; our own when it works in this process. */
  readonly processIds: readonly number[]
  /** Makes the tables, lets `fill` load them, makes the indexes, and takes work from then on. */
  load(fill: (loader: BulkLoader) => Promise<void>): Promise<void>
  /** One client, with a connection of its own where there is such a thing. */
  connect(): Promise<Session>
  /** Every row in the order of the primary key, or of an index, in batches. For when nothing runs. */
  walk<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    columns: readonly C[],
    options?: { readonly index?: IndexOf<T> },
  ): AsyncIterable<ReadonlyArray<Pick<RowOf<T>, C>>>
  /** Bytes on disk, what is waiting to be checkpointed included. */
  diskBytes(): Promise<number>
  /** How many requests its processes have sent to a store on the network; undefined where there is none. */
  storeRequests?(): Promise<number | undefined>
  /** Ends it with SIGKILL and starts it again; absent where there is no process to kill. */
  killAndRestart?(): Promise<void>
  /** Moves the database elsewhere while it is used; absent where it cannot go. */
  moveAway?(): Promise<void>
  close(): Promise<void>
}

export interface BulkLoader {
  insertRows<T extends TableName>(table: T, rows: ReadonlyArray<RowOf<T>>): Promise<void>
}

/** Has at most one open transaction. */
export interface Session {
  begin(options: BeginOptions): Promise<Transaction>
  close(): Promise<void>
}

export type BeginOptions = {
  /** Writes in it are refused. */
  readonly readOnly?: boolean
  /** All that it writes is new rows, so whatever others wrote since its reads does not concern it. */
  readonly insertsOnly?: boolean
}

/**
 * All reads are of one snapshot and do not see the transaction's own writes. Writes wait until the
 * commit. Every call may reject with TransactionAborted, after which the transaction is over.
 */
export interface Transaction {
  /** One step: the answers in the order of what was asked. */
  read<const Reads extends readonly Read<unknown>[]>(...reads: Reads): Promise<Answers<Reads>>
  /** A row that is not there yet. */
  insert<T extends TableName>(table: T, row: RowOf<T>): void
  /** Some columns of a row that is there; `add` adds to what they hold. */
  update<T extends TableName>(table: T, key: readonly Value[], change: Change<T>): void
  /** A row that is there. */
  delete<T extends TableName>(table: T, key: readonly Value[]): void
  /** Rejects with TransactionAborted: nothing was written, or nobody knows (`outcome`). */
  commit(): Promise<void>
  rollback(): Promise<void>
}

export type Change<T extends TableName> = {
  readonly set?: Partial<RowOf<T>>
  readonly add?: Readonly<Partial<Record<ColumnOf<T>, number>>>
}

/** One read of a step, as data. `Answer` only types what comes back. */
export type Read<Answer> = (GetMany | Get | Scan | ScanEach) & {
  readonly answer?: Answer
}

export type Get = {
  readonly kind: 'get'
  readonly table: TableName
  readonly key: readonly Value[]
  readonly columns: readonly string[]
}

export type GetMany = {
  readonly kind: 'getMany'
  readonly table: TableName
  readonly keys: ReadonlyArray<readonly Value[]>
  readonly columns: readonly string[]
}

export type Scan = {
  readonly kind: 'scan'
  readonly table: TableName
  readonly columns: readonly string[]
  readonly prefix: readonly Value[]
} & ScanOptions

export type ScanEach = {
  readonly kind: 'scanEach'
  readonly table: TableName
  readonly columns: readonly string[]
  readonly index?: string
  /** Values of the key's first column. */
  readonly firsts: readonly Value[]
}

export type ScanOptions = {
  /** The primary key when absent. */
  readonly index?: string
  /** Bounds of the column behind the prefix, both inclusive. */
  readonly atLeast?: Value
  readonly atMost?: Value
  readonly reverse?: boolean
  /** With 0 nothing is asked, and nothing answered. */
  readonly limit?: number
}

export type Answers<Reads extends readonly Read<unknown>[]> = {
  readonly [Place in keyof Reads]: Reads[Place] extends Read<infer Answer> ? Answer : never
}

/** The row with this primary key, or undefined. */
export function get<T extends TableName, C extends ColumnOf<T>>(
  table: T,
  key: readonly Value[],
  columns: readonly C[],
): Read<Pick<RowOf<T>, C> | undefined> {
  return { kind: 'get', table, key, columns }
}

/** For each key its row or undefined, in the order of the keys, which may repeat. */
export function getMany<T extends TableName, C extends ColumnOf<T>>(
  table: T,
  keys: ReadonlyArray<readonly Value[]>,
  columns: readonly C[],
): Read<ReadonlyArray<Pick<RowOf<T>, C> | undefined>> {
  return { kind: 'getMany', table, keys, columns }
}

/** The rows whose key begins with `prefix`, in the order of that key. */
export function scan<T extends TableName, C extends ColumnOf<T>>(
  table: T,
  prefix: readonly Value[],
  columns: readonly C[],
  options: ScanOptions & { readonly index?: IndexOf<T> } = {},
): Read<ReadonlyArray<Pick<RowOf<T>, C>>> {
  return { kind: 'scan', table, prefix, columns, ...options }
}

/** For each value of the key's first column the rows that have it, in the order of that key. */
export function scanEach<T extends TableName, C extends ColumnOf<T>>(
  table: T,
  firsts: readonly Value[],
  columns: readonly C[],
  options: { readonly index?: IndexOf<T> } = {},
): Read<ReadonlyArray<ReadonlyArray<Pick<RowOf<T>, C>>>> {
  return { kind: 'scanEach', table, firsts, columns, ...options }
}

/** Why a transaction ended without being asked to. */
export type AbortCause = 'writeConflict' | 'locked' | 'timeout' | 'connectionLost' | 'other'

export class TransactionAborted extends Error {
  override readonly name = 'TransactionAborted'
  readonly abort: AbortCause
  /** `unknown` when the answer to the commit was lost. */
  readonly outcome: 'rolledBack' | 'unknown'

  constructor(
    abort: AbortCause,
    options: { readonly outcome?: 'rolledBack' | 'unknown'; readonly cause?: unknown } = {},
  ) {
    super(`the transaction was aborted: ${abort}`, { cause: options.cause })
    this.abort = abort
    this.outcome = options.outcome ?? 'rolledBack'
  }

  /** Whether it may simply be run again on the same connection. */
  get retryable(): boolean {
    return this.abort === 'writeConflict' || this.abort === 'locked'
  }
}
