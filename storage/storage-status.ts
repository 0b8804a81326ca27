// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cell-store/cell.ts'
import type { DiskStatus } from './disk-watch.ts'
import type { GarbageReport } from './garbage-collection/garbage-collector.ts'
import type { IndexBuild } from './tables/index-builder.ts'

export type StorageStatus = {
  readonly timestamp: Timestamp
  readonly safePoint: Timestamp
  /** The start timestamp of the oldest open transaction, or the newest timestamp. */
  readonly oldestSnapshot: Timestamp
  readonly openTransactions: number
  /** What the open transactions have written and not committed. */
  readonly bufferedBytes: number
  /** The indexes that this process is building, as far as a first batch is done. */
  readonly indexBuilds: readonly IndexBuild[]
  readonly lastCollection?: GarbageReport
  /** Absent where the store is on no disk. */
  readonly disk?: DiskStatus
}
