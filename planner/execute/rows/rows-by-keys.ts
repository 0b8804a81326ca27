// SPDX-License-Identifier: Apache-2.0
import { andThen, type Batches, type MaybePromise } from '../../../storage/storage.ts'
import {
  getRows,
  getUniqueEntries,
  type IndexDefinition,
  type IndexEntry,
  type StoredRow,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { BatchSize } from './batch-size.ts'
import type { StatementTransaction } from './execution-context.ts'

type KeyValues = readonly SqlValue[]

/** A key that was asked for, and what is there. */
export type Request<Found> = { readonly key: KeyValues; readonly found: Found | null }

export type RowsWanted = {
  /** The positions of the columns that are wanted, all when absent. */
  readonly columns?: readonly number[]
  /** No multi-get asks for more rows. */
  readonly rowsWanted?: number
}

/** Reads rows by their primary keys, a multi-get at a time. */
export function rowsByKeys(
  transaction: StatementTransaction,
  table: TableDefinition,
  keys: readonly KeyValues[],
  { columns, rowsWanted = keys.length }: RowsWanted = {},
): Batches<ReadonlyArray<Request<StoredRow>>> {
  return inBatches(keys, new BatchSize(rowsWanted), (requested) =>
    getRows(transaction, table, requested, columns),
  )
}

/** Reads entries of a unique index by the values of its columns, a multi-get at a time. */
export function entriesByKeys(
  transaction: StatementTransaction,
  table: TableDefinition,
  index: IndexDefinition,
  keys: readonly KeyValues[],
  { rowsWanted = keys.length }: RowsWanted = {},
): Batches<ReadonlyArray<Request<IndexEntry>>> {
  return inBatches(keys, new BatchSize(rowsWanted), (requested) =>
    getUniqueEntries(transaction, table, index, requested),
  )
}

/** What `read` finds for the keys, of which it is asked for as many at a time as their rows allow. */
export function* inBatches<Found extends Pick<StoredRow, 'key' | 'row'>>(
  keys: readonly KeyValues[],
  size: BatchSize,
  read: (requested: readonly KeyValues[]) => MaybePromise<Array<Found | null>>,
): Generator<MaybePromise<ReadonlyArray<Request<Found>>>, void, undefined> {
  let first = 0
  while (first < keys.length) {
    const requested = keys.slice(first, first + size.rows)
    yield andThen(read(requested), (found) => {
      size.learn(found)
      return requested.map((key, position) => ({ key, found: found[position] ?? null }))
    })
    first += requested.length
  }
}

/** One multi-get of the rows of the entries that are there; null for the others. */
export function rowsOfUniqueEntries(
  transaction: Pick<StatementTransaction, 'getRow' | 'getRows'>,
  table: TableDefinition,
  entries: ReadonlyArray<IndexEntry | null>,
  columns: readonly number[] | undefined,
): MaybePromise<Array<StoredRow | null>> {
  const primaryKeys = entries.flatMap((entry) => (entry === null ? [] : [entry.primaryKey]))
  return andThen(getRows(transaction, table, primaryKeys, columns), (rows) => {
    let next = 0
    return entries.map((entry) => (entry === null ? null : (rows[next++] ?? null)))
  })
}
