// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cell-store/cell.ts'
import type { CellStoreError } from './cell-store/cell-store.ts'
import type { RedoLogUse } from './cell-store/sqlite/redo/redo.ts'
import type { Clock } from './clock.ts'
import type { Retention } from './garbage-collection/safe-point.ts'
import type { Measures } from './measures.ts'
import type { CommitMode } from './protocol-parts.ts'
import type { Randomness } from './randomness.ts'
import type { StorageLog } from './storage-log.ts'
import type { ByteBudget } from './transaction/buffer/write-buffer.ts'

export type StorageOptions = {
  /** `memory` forgets everything at the end of the process. */
  readonly engine: 'sqlite' | 'memory'
  /** Needed by `sqlite`; created when missing, and owned by this process until `close`. */
  readonly dataDirectory?: string
  /** How transactions commit; `auto` when nothing is said. */
  readonly commit?: CommitMode
  /** How long a commit waits after each of its mutations; only with `commit: 'two-phase'`, and no wait when absent. */
  readonly stepDelayMs?: number | undefined
  /** Whether commits go through the redo log of `sqlite`; `auto` when nothing is said. */
  readonly redoLog?: RedoLogUse
  /** Memory for the newest records of rows; 64 MiB when nothing is said. */
  readonly rowCacheBytes?: number
  readonly log?: StorageLog
  /** Receives how long commits take, and on what they conflict. */
  readonly measures?: Measures
  readonly clock?: Clock
  readonly randomness?: Randomness
  /** Whether a clock is taken that lies far from the newest timestamp of the store. */
  readonly acceptClock?: boolean
  /** How much history is kept; a day when nothing is said. */
  readonly retention?: Retention
  /** How often garbage is collected; only on request when absent. */
  readonly collectionIntervalMs?: number
  /** Called once when the disk failed: the outcome of what was being written is in doubt. */
  readonly onFatal?: (error: CellStoreError) => void
}

export type BeginOptions = {
  readonly readOnly?: boolean
  /** Read as of this timestamp; implies `readOnly`. */
  readonly asOf?: Timestamp | undefined
  /** The id of the history that `asOf` is said to be of. */
  readonly history?: string | undefined
  /** Whether `outcomeOf` can tell after a crash what became of the transaction. */
  readonly keepsOutcome?: boolean
  /** What bounds the bytes that it writes before its commit, in place of the storage's own `bufferedBytesMax`. */
  readonly budget?: ByteBudget
}
