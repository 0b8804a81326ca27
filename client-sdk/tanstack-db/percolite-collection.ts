// SPDX-License-Identifier: Apache-2.0
import type { BaseCollectionConfig, CollectionConfig } from '@tanstack/db'
import type { Database } from '../database.ts'
import type { RowOfText, Texts } from '../requests/statement-types.ts'
import { quotedName } from '../requests/table.ts'
import type { Tables } from '../requests/table-types.ts'
import type { Parameters, Row } from '../values.ts'
import { KeyColumns } from './key-columns.ts'
import { statementOf } from './mutation-statement.ts'
import { type RowSource, RowSync } from './row-sync.ts'
import type { CollectionKey } from './synced-rows.ts'
import { type PercoliteUtils, writeTransaction } from './write-transaction.ts'

// The door of `@percolite/client/tanstack-db`.

export { type PercoliteUtils, type Written, writeTransaction } from './write-transaction.ts'

type Base<R extends object> = BaseCollectionConfig<R, CollectionKey, never, PercoliteUtils>

/** The options of the library that are passed on. */
type OfLibrary<R extends object> = Partial<
  Pick<
    Base<R>,
    | 'id'
    | 'gcTime'
    | 'startSync'
    | 'autoIndex'
    | 'defaultIndexType'
    | 'compare'
    | 'defaultStringCollation'
    | 'onInsert'
    | 'onUpdate'
    | 'onDelete'
  >
>

/** Which rows the collection has, and where its writes go. */
type OfRows<R extends object> = {
  /** Its rows, unless there is a statement; and where inserts, updates and deletes go. */
  readonly table?: string
  /** A GET or SCAN whose rows it has. */
  readonly sql?: string
  readonly params?: Parameters
  /** The column of the primary key, or all of them in their order; `id` where neither this nor `getKey` is given. */
  readonly key?: string | readonly string[]
  /** What tells the rows apart, where it is not the primary key. Writes still need `key` for theirs. */
  readonly getKey?: (row: R) => CollectionKey
  /** How long a write is waited for, until it is in the rows, in milliseconds; 60,000 where not given. */
  readonly waitMs?: number
}

type Options<R extends object> = OfRows<R> & OfLibrary<R>

/** A database, whatever its tables. */
type AnyDatabase = Pick<Database, 'open'> & { subscribe(...call: never): unknown }

/** What `createCollection` takes. */
type Made<R extends object> = Omit<
  CollectionConfig<R, CollectionKey, never, PercoliteUtils>,
  'utils'
> & { readonly utils: PercoliteUtils; schema?: never; singleResult?: never }

type AsRow<Found> = Found extends object ? Found : Row

const WAIT_MS = 60_000

/**
 * The options of a collection whose rows are those of a table or a statement, as commits change them. What is inserted,
 * updated and deleted is shown at once and sent as one transaction; it stays shown until the rows are as of its commit,
 * and goes when the server refuses it. What ends the subscription is the error of the collection. Throws TypeError
 * where neither a table nor a statement is named.
 */
export function percoliteCollection<
  Known extends Tables<Known>,
  Said extends Texts<Said>,
  Name extends keyof Known & string,
>(
  options: {
    readonly db: Database<Known, Said>
    readonly table: Name
    readonly sql?: never
  } & Options<Known[Name]['row']>,
): Made<Known[Name]['row']>
export function percoliteCollection<
  Known extends Tables<Known>,
  Said extends Texts<Said>,
  Sql extends string,
>(
  options: { readonly db: Database<Known, Said>; readonly sql: Sql } & Options<
    AsRow<RowOfText<Known, Said, Sql>>
  >,
): Made<AsRow<RowOfText<Known, Said, Sql>>>
export function percoliteCollection<R extends object = Row>(
  options: { readonly db: AnyDatabase } & Options<R>,
): Made<R>
export function percoliteCollection<R extends object>({
  db: anyDatabase,
  table,
  sql = textOf(table),
  params,
  getKey,
  key = getKey === undefined || table !== undefined ? 'id' : undefined,
  waitMs = WAIT_MS,
  ...ofLibrary
}: { readonly db: AnyDatabase } & Options<R>): Made<R> {
  const db = anyDatabase as Database
  const columns = key === undefined ? undefined : new KeyColumns(key)
  const keyOf = getKey ?? ((row: R) => (columns as KeyColumns).keyOf(row))
  let current: RowSync<R> | undefined
  const handlers =
    table === undefined
      ? {}
      : { onInsert: writeTransaction, onUpdate: writeTransaction, onDelete: writeTransaction }
  return {
    // As the server compares texts.
    defaultStringCollation: { stringSort: 'lexical' },
    ...handlers,
    ...ofLibrary,
    getKey: keyOf,
    sync: {
      rowUpdateMode: 'full',
      sync: (collection) => {
        const subscribe: RowSource<R>['subscribe'] = (options) =>
          db.subscribe<R>(sql, params, options)
        const ofPrimaryKey = getKey === undefined ? columns : undefined
        const sync = new RowSync<R>({ subscribe, keyOf, key: ofPrimaryKey }, collection)
        current = sync
        void sync.run()
        return () => sync.stop()
      },
    },
    utils: {
      db,
      waitMs,
      reached: async (stamp) => current?.reached(stamp, waitMs),
      statementOf: (mutation) => {
        if (table !== undefined && columns !== undefined)
          return statementOf(table, columns, mutation)
        throw new TypeError('The collection has no `table` that could be written.')
      },
    },
  }
}

function textOf(table: string | undefined): string {
  if (table !== undefined) return `SCAN * FROM ${quotedName(table)} USE PRIMARY KEY`
  throw new TypeError('Neither `table` nor `sql` says which rows the collection has.')
}
