// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { hasPrefix, ORACLE_ROW, systemRowKey } from '../../cells/row-key.ts'
import { DamagedRecord } from '../../invariant.ts'
import { FEED_BEGINS_BYTES, FEED_BEGINS_ROW } from '../../transactions/feed/feed-begins.ts'
import { EPOCHS_BYTES_MIN, EPOCHS_ROW } from '../../transactions/history/epochs.ts'
import { FEATURES_BYTES_MIN, FEATURES_ROW } from '../../transactions/history/format-features.ts'
import {
  CURRENT_BYTES,
  CURRENT_ROW,
  GAP_BYTES,
  HISTORY_PREFIX,
} from '../../transactions/history/history-rows.ts'
import { readOracleState } from '../../transactions/oracle/oracle-row.ts'
import { TOKEN_BYTES_MIN, TOKENS } from '../../transactions/protocol/tokens/token.ts'
import { LEASE_BYTES, LEASE_ROW } from '../garbage-collection/collection-lease.ts'
import { MARK_BYTES, MARK_ROW } from '../garbage-collection/collection-mark.ts'
import { RANGE_BYTES_MIN, RANGES_PREFIX } from '../garbage-collection/range-row.ts'
import { RETENTION_BYTES, RETENTION_ROW } from '../garbage-collection/store-retention.ts'
import { MOVE_PREFIX } from '../move/move-rows.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { problemAt } from './row-image.ts'

type PlainRows = {
  readonly prefix: Uint8Array
  readonly bytes: number
  /** Whether a value may not have more. */
  readonly isLongest?: boolean
}

/** Rows of the store's own that hold plain cells, and how many bytes each value of theirs has. */
const PLAIN_ROWS: readonly PlainRows[] = [
  { prefix: ORACLE_ROW, bytes: 8 },
  { prefix: systemRowKey(TOKENS), bytes: TOKEN_BYTES_MIN, isLongest: false },
  { prefix: MOVE_PREFIX, bytes: 2, isLongest: false },
  { prefix: LEASE_ROW, bytes: LEASE_BYTES },
  { prefix: MARK_ROW, bytes: MARK_BYTES },
  { prefix: RANGES_PREFIX, bytes: RANGE_BYTES_MIN, isLongest: false },
  { prefix: RETENTION_ROW, bytes: RETENTION_BYTES },
  { prefix: systemRowKey('secret/'), bytes: 32 },
  { prefix: CURRENT_ROW, bytes: CURRENT_BYTES },
  { prefix: HISTORY_PREFIX, bytes: GAP_BYTES },
  { prefix: EPOCHS_ROW, bytes: EPOCHS_BYTES_MIN, isLongest: false },
  { prefix: FEATURES_ROW, bytes: FEATURES_BYTES_MIN, isLongest: false },
  { prefix: FEED_BEGINS_ROW, bytes: FEED_BEGINS_BYTES },
]

/** Whether the row is written without transactions, so that the protocol's rules are not for it. */
export function isPlainRow(key: Uint8Array): boolean {
  return plainRowOf(key) !== undefined
}

/** Pure: a plain row has only values, of the size that is theirs. */
export function checkPlainRow({ key, cells }: Row): ConsistencyProblem[] {
  const { bytes = 0, isLongest = true } = plainRowOf(key) ?? {}
  return cells.flatMap((cell) => {
    if (cell.family !== 'data') {
      return [problemAt(key, cell, 'I8', 'A row without transactions has a record of one.')]
    }
    const { length } = cell.value
    if (length === bytes || (length > bytes && !isLongest)) return []
    return [problemAt(key, cell, 'I8', `The value has ${length} bytes, not ${bytes}.`)]
  })
}

/** I8: nothing bears a timestamp that the oracle could still give out. */
export class TimestampCheck {
  readonly #cellStore: CellStore
  #newest: Timestamp = 0

  constructor(cellStore: CellStore) {
    this.#cellStore = cellStore
  }

  async check({ key, cells }: Row): Promise<ConsistencyProblem[]> {
    const problems: ConsistencyProblem[] = []
    for (const cell of cells) {
      // The mark rises while the store is written, and always before what is below it is given out.
      if (cell.timestamp > this.#newest) this.#newest = (await readFences(this.#cellStore)).mark
      if (cell.timestamp <= this.#newest) continue
      const message = `Its timestamp is above ${this.#newest}, the newest that was given out.`
      problems.push(problemAt(key, cell, 'I8', message))
    }
    return problems
  }
}

/** What the oracle's row says; when it cannot be read, which is a problem of its own, nothing is judged by it. */
export async function readFences(
  cellStore: CellStore,
): Promise<{ readonly mark: Timestamp; readonly safePoint: Timestamp }> {
  try {
    const { timestamp, safePoint } = await readOracleState(cellStore)
    return { mark: timestamp, safePoint }
  } catch (error) {
    if (error instanceof DamagedRecord) return { mark: Infinity, safePoint: Infinity }
    throw error
  }
}

function plainRowOf(key: Uint8Array) {
  return PLAIN_ROWS.find(({ prefix }) => hasPrefix(key, prefix))
}
