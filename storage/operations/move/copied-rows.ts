// SPDX-License-Identifier: Apache-2.0
import { createHash, type Hash } from 'node:crypto'
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { hasPrefix, ORACLE_ROW, systemRowKey } from '../../cells/row-key.ts'
import { rowPages } from '../../cells/row-pages.ts'
import { indexIdOf } from '../../tables/bytes/index-key.ts'
import { tableIdOf } from '../../tables/bytes/key-encoding.ts'
import { FEED_BEGINS_ROW } from '../../transactions/feed/feed-begins.ts'
import { EPOCHS_ROW } from '../../transactions/history/epochs.ts'
import { FEATURES_ROW } from '../../transactions/history/format-features.ts'
import { HISTORY_PREFIX } from '../../transactions/history/history-rows.ts'
import { TOKENS } from '../../transactions/protocol/tokens/token.ts'
import { RETENTION_ROW } from '../garbage-collection/store-retention.ts'
import { MOVE_PREFIX } from './move-rows.ts'

/** What is of a store's processes, or has another form in the other store. */
const LEFT_BEHIND = [
  ORACLE_ROW,
  FEED_BEGINS_ROW,
  MOVE_PREFIX,
  systemRowKey(TOKENS),
  systemRowKey('gc/'),
  systemRowKey('log/'),
]

export const COPIED_FAMILIES: RowFilter = [
  { family: 'data' },
  { family: 'write' },
  { family: 'rollback' },
  { family: 'guard' },
  { family: 'notify' },
]

/** Rows that are changed without records of the protocol, so that no timestamp says when. */
export const PLAIN_PREFIXES = [
  ...[systemRowKey('secret/'), HISTORY_PREFIX, EPOCHS_ROW, FEATURES_ROW, RETENTION_ROW],
]

/**
 * Finds rows that committed after a timestamp, or were guarded or rolled back by a transaction that began after it. A
 * notify cell may bear the timestamp of an older transaction.
 */
export function changedAfter(after: Timestamp): RowFilter {
  const timestamps = { from: after + 1 }
  return [
    { family: 'write', timestamps },
    { family: 'guard', timestamps },
    { family: 'rollback', timestamps },
    { family: 'notify' },
  ]
}

/** Whether the row is of the data that is moved. */
export function isCopied(key: Uint8Array): boolean {
  return !LEFT_BEHIND.some((prefix) => hasPrefix(key, prefix))
}

/** Of the rows whose keys begin alike: system rows, the rows of one table, the entries of one index. */
export type SpaceDigest = {
  /** `system`, `table 7` or `index 12`, by their ids. */
  readonly space: string
  readonly rows: number
  readonly cells: number
  /** SHA-256 over all keys and cells in order. */
  readonly sha256: string
}

/**
 * Counts and hashes of everything that a move copies, by space of keys; equal ones have equal cells. Notify cells are
 * left out: a run clears those of which nothing is left to be observed. Rejects with CellStoreError.
 */
export async function digestOf(
  cellStore: CellStore,
  signal: AbortSignal | undefined,
  onRows: (rows: number) => void,
): Promise<SpaceDigest[]> {
  const filter = COPIED_FAMILIES.filter(({ family }) => family !== 'notify')
  const spaces = new Map<string, { rows: number; cells: number; hash: Hash }>()
  for await (const page of rowPages(cellStore, { filter, pageRows: PAGE_ROWS, signal })) {
    for (const row of page) {
      if (!isCopied(row.key)) continue
      const name = spaceOf(row.key)
      const space = spaces.get(name) ?? { rows: 0, cells: 0, hash: createHash('sha256') }
      spaces.set(name, space)
      space.rows += 1
      space.cells += row.cells.length
      hashRow(space.hash, row)
    }
    onRows(page.length)
  }
  return [...spaces].map(([space, { rows, cells, hash }]) => {
    return { space, rows, cells, sha256: hash.digest('hex') }
  })
}

function spaceOf(key: Uint8Array): string {
  const [table, index] = [tableIdOf(key), indexIdOf(key)]
  if (table !== undefined) return `table ${table}`
  return index === undefined ? 'system' : `index ${index}`
}

function hashRow(hash: Hash, { key, cells }: Row): void {
  hash.update(`${key.length} ${cells.length} `).update(key)
  for (const { family, qualifier, timestamp, value } of cells) {
    hash.update(`${family} ${qualifier.length} ${qualifier} ${timestamp} ${value.length} `)
    hash.update(value)
  }
}

export const PAGE_ROWS = 250
