// SPDX-License-Identifier: Apache-2.0
import { endOfPrefix } from '../../cells/row-key.ts'
import { invariant } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { andThen, batchesOf, type MaybePromise, waitedFor } from '../../maybe-promise.ts'
import type { SnapshotRow } from '../../transactions/records/version.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { decodeEntry, type IndexEntry } from '../bytes/index-entry.ts'
import { encodeIndexKey, indexSpace } from '../bytes/index-key.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import type { IndexDefinition, TableDefinition } from '../table-definition.ts'

export type IndexScan = {
  /** A key in this index's space, inclusive; absent: its beginning. */
  readonly start?: Uint8Array
  /** Exclusive; absent: the end of the index. */
  readonly end?: Uint8Array
  readonly reverse?: boolean
  /** At most so many entries. */
  readonly limit?: number
  /** Entries of one batch at most, `scanPageRows` when nothing is said. */
  readonly batchEntries?: number
  readonly signal?: AbortSignal
}

/**
 * The entries of a range in their order or reversed, in batches, so that the rows of a batch can be
 * fetched by one multi-get. Only a `ready` index has an entry for each row.
 */
export function* scanIndexEntries(
  transaction: Pick<Transaction, 'scanBatches'>,
  table: TableDefinition,
  index: IndexDefinition,
  scan: IndexScan,
): Generator<MaybePromise<readonly IndexEntry[]>, void, undefined> {
  const space = indexSpace(index.id)
  const { batchEntries = STORAGE_LIMITS.scanPageRows, start = space, ...given } = scan
  // No index id is FF FF FF FF with a space byte FF, so an index's space always has an end.
  const end = scan.end ?? (endOfPrefix(space) as Uint8Array)
  let batch: IndexEntry[] = []
  const range = { ...given, start, end, columns: [ROW_COLUMN] }
  for (const next of batchesOf(transaction.scanBatches(range))) {
    for (const row of yield* waitedFor(next)) {
      const entry = entryOf(table, index, row)
      if (entry !== null) batch.push(entry)
      if (batch.length < batchEntries) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/**
 * For each tuple of values of a unique index's columns, none of them NULL, its entry or null. One
 * round trip.
 */
export function getUniqueEntries(
  transaction: Pick<Transaction, 'getRows'>,
  table: TableDefinition,
  index: IndexDefinition,
  tuples: ReadonlyArray<readonly SqlValue[]>,
): MaybePromise<Array<IndexEntry | null>> {
  const keys = tuples.map((values) => {
    const isWhole = values.length === index.parts.length && !values.includes(null)
    invariant(index.unique && isWhole, 'T1', { index: index.name })
    return encodeIndexKey(table, index, values)
  })
  return andThen(transaction.getRows(keys, [ROW_COLUMN]), (rows) =>
    rows.map((row) => (row === null ? null : entryOf(table, index, row))),
  )
}

function entryOf(
  table: TableDefinition,
  index: IndexDefinition,
  { key, columns }: SnapshotRow,
): IndexEntry | null {
  const cell = columns.get(ROW_COLUMN)
  return cell === undefined ? null : decodeEntry(table, index, { key, ...cell })
}
