// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { MemtableUse } from '../../cells/cell-store.ts'
import type { IndexBuild } from '../../tables/index-build/index-builder.ts'
import type { TimestampOracle } from '../../transactions/oracle/timestamp-oracle.ts'
import type { GarbageReport } from '../garbage-collection/garbage-collector.ts'
import type { DiskStatus } from './disk-watch.ts'
import type { PageCheckStatus } from './page-check.ts'

export type ClockStatus = {
  /** By how much the wall clock is ahead of what is taken for the time; 0 unless it has jumped. */
  readonly offsetMicros: number
  /** By how much the newest timestamp is ahead of the time. */
  readonly aheadMicros: number
  /** By how much the wall clock is ahead of the other gateways, which count. */
  readonly aheadOfOthersMicros: number
}

export type StorageStatus = {
  /** How transactions commit here. */
  readonly commit: 'one-phase' | 'two-phase'
  readonly timestamp: Timestamp
  readonly safePoint: Timestamp
  /** The start timestamp of the oldest open transaction, or the newest timestamp. */
  readonly oldestSnapshot: Timestamp
  readonly openTransactions: number
  /** What the open transactions have written and not committed. */
  readonly bufferedBytes: number
  /** The indexes that this process is building, as far as a first batch is done. */
  readonly indexBuilds: readonly IndexBuild[]
  readonly lastCollection?: GarbageReport | undefined
  readonly clock: ClockStatus
  /** Absent where the store is on no disk. */
  readonly disk?: DiskStatus | undefined
  /** Of the check after a kill; absent where the store was closed, and until it begins. */
  readonly pageCheck?: PageCheckStatus | undefined
  /** Whether that has found damage, or a request has. */
  readonly isDamaged: boolean
  /** Absent where the store has none. */
  readonly memtables?: MemtableUse | undefined
  /** Requests to the store by their names there; absent where it is in this process. */
  readonly requestsSent?: ReadonlyMap<string, number> | undefined
  /** When the store last answered, and for how long calls have waited for it; absent where it is in this process. */
  readonly answeredMicros?: number | undefined
  readonly silentMs: number
  /** A name of this run of the process. */
  readonly incarnation: string
}

export function clockStatusOf(oracle: TimestampOracle): ClockStatus {
  const { wallClock } = oracle
  const aheadMicros = Math.max(0, oracle.lastSeen() - wallClock.micros())
  const { offsetMicros, aheadMicros: aheadOfOthersMicros = 0 } = wallClock
  return { offsetMicros, aheadMicros, aheadOfOthersMicros }
}
