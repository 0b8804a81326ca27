// SPDX-License-Identifier: Apache-2.0

/**
 * The door of the storage layer. What is above it (planner, server) imports from here, and from the doors of its rooms:
 * `values/values.ts`, `tables/tables.ts`, `tables/access/access.ts`, `operations/operations.ts`. Its parts are put
 * together in `database.ts`.
 */

export type { Timestamp } from './cells/cell.ts'
export type { CellStore } from './cells/cell-store.ts'
export { answerEach, CellStoreError } from './cells/cell-store.ts'
export { writeRefusalOf } from './cells/disk-full.ts'
export {
  bufferOf,
  compareRowKeys,
  endOfPrefix,
  hasPrefix,
  keyAfter,
  keyString,
} from './cells/row-key.ts'
export {
  GROUP_FORMAT,
  type SecondCopyMode,
  type StreamPosition,
} from './cells/store-replication.ts'
export { storeUnavailableOf } from './cells/store-unavailable.ts'
export { type Clock, repeat, systemClock, timeText } from './clock.ts'
export { SlottedSet } from './collections/slotted-set.ts'
export { Storage } from './database.ts'
export {
  behind,
  noSecondCopy,
  notPrimary,
  replicationPositionLost,
  STORAGE_ERRORS,
  StorageError,
  superseded,
} from './errors.ts'
export {
  readIdempotencyRecord,
  writeIdempotencyRecord,
} from './idempotency-record.ts'
export { DamagedRecord } from './invariant.ts'
export { STORAGE_LIMITS } from './limits.ts'
export {
  andThen,
  awaited,
  type Batches,
  doWork,
  type MaybePromise,
  type Work,
  waitedFor,
} from './maybe-promise.ts'
export {
  BATCH_ROUTES,
  type BatchRoute,
  COMMIT_PHASES,
  type CommitPhase,
  type Conflict,
  type Measures,
} from './measures.ts'
export type {
  Notification,
  ObserverStatus,
  Observers,
} from './observers/observers.ts'
export { openGateway, openStandby, openStorage } from './open-storage.ts'
export type { Primary, ReplicationFrame } from './operations/replication/primary.ts'
export type { ReceivedFrame, Standby } from './operations/replication/standby.ts'
export { type Randomness, systemRandomness } from './randomness.ts'
export type { StorageLog } from './storage-log.ts'
export type { BeginOptions, StorageOptions } from './storage-options.ts'
export type { ByteBudget } from './transactions/buffer/write-buffer.ts'
export type {
  ChangedRow,
  FeedCommit,
  FeedFollower,
  FeedPage,
} from './transactions/feed/change-feed.ts'
export {
  readDirectoryHistory,
  readStoreHistory,
  renewDirectoryHistory,
  renewStoreHistory,
} from './transactions/history/directory-history.ts'
export {
  isJustPromoted,
  isNewerPromotion,
  promotionOf,
} from './transactions/history/promotion-mark.ts'
export type { StoreHistory } from './transactions/history/store-history.ts'
export type { SeenStep } from './transactions/inspection/followed-rows.ts'
export type { StandingLock } from './transactions/lock-list.ts'
export { BackgroundLoop } from './transactions/protocol/background-loop.ts'
export { type ReadRange, type ReadSet, spaceOf } from './transactions/protocol/read-set.ts'
export type { InspectedCell } from './transactions/row-inspection.ts'
export { Transaction } from './transactions/transaction.ts'
export type { TransactionOutcome } from './transactions/transaction-outcome.ts'
export type { TurnSnapshot } from './turn-reads.ts'
export { afterTurn, nextTurn } from './turns/turns.ts'
export { unlessAborted } from './unless-aborted.ts'
