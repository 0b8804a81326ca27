// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cells/cell.ts'
import type { CellStoreError } from './cells/cell-store.ts'
import type { RedoLogUse } from './cells/sqlite/redo/redo.ts'
import type { Kept } from './cells/sqlite/replication/group-files.ts'
import type { StoreAnswers } from './cells/store-answers.ts'
import type { Clock } from './clock.ts'
import type { StorageError } from './errors.ts'
import type { Measures } from './measures.ts'
import type { WantedRetention } from './operations/garbage-collection/store-retention.ts'
import type { CommitMode, StoreOwner } from './protocol-parts.ts'
import type { Randomness } from './randomness.ts'
import type { StorageLog } from './storage-log.ts'
import type { ByteBudget } from './transactions/buffer/write-buffer.ts'
import type { LatchTable } from './transactions/one-process/latches/latch-table.ts'
import type { TransactionRegistry } from './transactions/transaction-registry.ts'

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
  /** How much is kept of the groups for standbys; 1 GiB and a day when nothing is said. */
  readonly keptGroups?: Kept
  /** Memory for the newest records of rows; 64 MiB when nothing is said. */
  readonly rowCacheBytes?: number
  readonly log?: StorageLog
  /** Receives how long commits take, and on what they conflict. */
  readonly measures?: Measures
  readonly clock?: Clock
  readonly randomness?: Randomness
  /** Whether a clock is taken that lies far from the newest timestamp of the store. */
  readonly acceptClock?: boolean
  /** How much history a new store keeps; a day when nothing is said. A row of the store has it from then on. */
  readonly retention?: WantedRetention
  /** How often garbage is collected; only on request when absent. */
  readonly collectionIntervalMs?: number
  /** Called once when the disk failed: the outcome of what was being written is in doubt. */
  readonly onFatal?: (error: CellStoreError) => void
}

/** What else a storage is opened with, over a cell store that is open. */
export type OpenOptions = Omit<StorageOptions, 'engine' | 'dataDirectory' | 'onFatal'> & {
  readonly owner: StoreOwner
  /** Why a standby takes no writes. */
  readonly notPrimary?: StorageError
  /** Whether `close` closes the cell store too: always for a single owner. */
  readonly ownsCellStore?: boolean
  /** Of a store on other machines; stopped by `close`. */
  readonly answers?: StoreAnswers
  /** The empty table of latches that a single owner uses, for tests that watch it. */
  readonly latches?: LatchTable
  /** How many rows one transaction of the building of an index takes at most. */
  readonly indexBatchRows?: number
  /** How many rows of a large commit it looks at in one turn. */
  readonly commitTurnRows?: number
  /** False where what the feed's bookkeeping costs is measured. */
  readonly keepsLog?: boolean
}

/** What a storage makes of its options for itself. */
export type OwnOptions = {
  readonly registry: TransactionRegistry
  readonly retention: WantedRetention
  readonly indexBatchRows?: number | undefined
  readonly ownsCellStore: boolean
  readonly answers?: StoreAnswers | undefined
}

export type BeginOptions = {
  readonly readOnly?: boolean
  /** Read as of this timestamp; implies `readOnly`. */
  readonly asOf?: Timestamp | undefined
  /** The id of the history that `asOf` is said to be of. */
  readonly history?: string | undefined
  /** Whether `outcomeOf` can tell after a crash what became of the transaction. */
  readonly keepsOutcome?: boolean
  /** Ends the waiting for a store on other machines. */
  readonly signal?: AbortSignal
  /** What bounds the bytes that it writes before its commit, in place of the storage's own `bufferedBytesMax`. */
  readonly budget?: ByteBudget
}
