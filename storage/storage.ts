// SPDX-License-Identifier: Apache-2.0

/**
 * The door of the storage layer: everything above it (planner, server) imports from here and from
 * nowhere else below `storage/`. Its parts are put together in `database.ts`.
 */

export type { Timestamp } from './cells/cell.ts'
export type { CellStore } from './cells/cell-store.ts'
export { CellStoreError } from './cells/cell-store.ts'
export { diskFullOf } from './cells/disk-full.ts'
export {
  bufferOf,
  compareRowKeys,
  endOfPrefix,
  keyAfter,
  keyString,
} from './cells/row-key.ts'
export { storeUnavailableOf } from './cells/store-unavailable.ts'
export { type Clock, repeat, systemClock, timeText } from './clock.ts'
export { SlottedSet } from './collections/slotted-set.ts'
export { Storage } from './database.ts'
export { STORAGE_ERRORS, StorageError } from './errors.ts'
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
export { openGateway, openStorage } from './open-storage.ts'
export {
  foundNoRoom,
  hashOfFile,
  syncFolder,
  writeHashed,
} from './operations/backup/backup-files.ts'
export { BACKUP_NAME_RULE, isBackupName, isWithin } from './operations/backup/backup-name.ts'
export { BackupStage, PARTIAL, removeUnfinished } from './operations/backup/backup-stage.ts'
export {
  type BackupManifest,
  COPY_FILE,
  MANIFEST_FILE,
  readManifest,
  requireSameFile,
} from './operations/backup/manifest.ts'
export {
  openRegular,
  readFileOrPipe,
  readRegular,
  readRegularSync,
} from './operations/backup/regular-file.ts'
export { checkBackup, type Restored, restoreBackup } from './operations/backup/restore-backup.ts'
export { type BackupProgress, backUpDirectory } from './operations/backup/write-backup.ts'
export type {
  ConsistencyProblem,
  ConsistencyReport,
} from './operations/consistency/consistency-report.ts'
export { checkDataDirectory } from './operations/consistency/data-directory-check.ts'
export type { MoveProgress, MoveReport } from './operations/move/move.ts'
export type { StorageStatus } from './operations/status/storage-status.ts'
export { type Randomness, systemRandomness } from './randomness.ts'
export type { StorageLog } from './storage-log.ts'
export type { BeginOptions, StorageOptions } from './storage-options.ts'
export {
  type AccessBlock,
  createAccessBlock,
  dropAccessBlock,
  readAccessBlocks,
} from './tables/access/access-blocks.ts'
export {
  type AccessRole,
  changeAccessRole,
  createAccessRole,
  dropAccessRole,
  mayOnServer,
  readAccessRoles,
  requireAccessRole,
  requireChangeableRole,
  revokeOnAllTables,
} from './tables/access/access-roles.ts'
export { readAccessVersion } from './tables/access/access-rows.ts'
export {
  type AccessSecret,
  readAccessSecret,
  rotateAccessSecret,
} from './tables/access/access-secrets.ts'
export {
  type AccessToken,
  changeAccessToken,
  createAccessToken,
  dropAccessToken,
  isAdmin,
  readAccessTokens,
} from './tables/access/access-tokens.ts'
export { type ShownToken, takeFirstToken } from './tables/access/first-token.ts'
export {
  changedLimits,
  NO_LIMITS,
  ROLE_LIMITS,
  type RoleLimit,
  type RoleLimits,
  roleLimitMax,
} from './tables/access/role-limits.ts'
export { RoleRights } from './tables/access/role-rights.ts'
export {
  dayOf,
  readRoleWritten,
  secondsToNextDay,
  writeRoleWritten,
} from './tables/access/role-written.ts'
export { grantOnTable, revokeOnTable } from './tables/access/table-grants.ts'
export {
  hashOfToken,
  idOfToken,
  newTokenText,
  TOKEN_PREFIX,
  withoutTokens,
} from './tables/access/token-text.ts'
export { decodeEntry, entryColumns, type IndexEntry } from './tables/bytes/index-entry.ts'
export {
  encodeEntryKey,
  encodeIndexKey,
  encodeIndexTextPrefix,
  indexIdOf,
  indexSpace,
  orderParts,
} from './tables/bytes/index-key.ts'
export {
  decodePrimaryKey,
  encodePrimaryKey,
  encodePrimaryKeyBound,
  encodeTextPrefix,
  tableIdOf,
  tableSpace,
} from './tables/bytes/key-encoding.ts'
export {
  decodeRow,
  emptyRow,
  familyColumn,
  keyOfRow,
  ROW_COLUMN,
} from './tables/bytes/row-codec.ts'
export { RowObjects } from './tables/bytes/row-objects.ts'
export {
  type Catalog,
  requireIndex,
  requireObserver,
  requireTable,
} from './tables/catalog/catalog.ts'
export { createTable, dropTable, renameTable } from './tables/catalog/catalog-changes.ts'
export { addCheck, dropCheck, endAdding, unfinishedCheck } from './tables/catalog/check-changes.ts'
export {
  addColumn,
  alterColumn,
  dropColumn,
  renameColumn,
} from './tables/catalog/column-changes.ts'
export { restartIdentity } from './tables/catalog/identity-changes.ts'
export { readIdentity } from './tables/catalog/identity-row.ts'
export { createIndex, dropIndex } from './tables/catalog/index-changes.ts'
export { readIndexProgress } from './tables/catalog/index-progress.ts'
export {
  createObserver,
  dropObserver,
  pauseObserver,
  replayObserver,
  resumeObserver,
} from './tables/catalog/observer-changes.ts'
export { fittingName, freeName } from './tables/definition-name.ts'
export { identityOf } from './tables/identity-column.ts'
export { nearestNames } from './tables/nearest-names.ts'
export type { NewCheck } from './tables/new-check.ts'
export type { NewIndex } from './tables/new-index.ts'
export type { NewObserver } from './tables/new-observer.ts'
export { defineTable, type NewColumn, type NewTable } from './tables/new-table.ts'
export {
  ADMIN_ROLE,
  EVERY_RIGHT,
  type Rights,
  SERVER_RIGHTS,
  type ServerRight,
} from './tables/rights.ts'
export type { RowChange } from './tables/rows/index-maintenance.ts'
export { getUniqueEntries, scanIndexEntries } from './tables/rows/index-scan.ts'
export {
  changeRows,
  columnsForDelete,
  columnsForSet,
  guardRow,
} from './tables/rows/row-changes.ts'
export { nameOfRow } from './tables/rows/row-name.ts'
export { notifyObserver } from './tables/rows/row-notifications.ts'
export {
  getRow,
  getRows,
  prefetchRows,
  type RowsAsked,
  type StoredRow,
  StoredRows,
  scanRowBatches,
  scanRows,
} from './tables/rows/table-rows.ts'
export { TakenEntries } from './tables/rows/taken-entries.ts'
export {
  type CheckConstraint,
  type ColumnDefault,
  type ColumnDefinition,
  columnPosition,
  type IndexDefinition,
  type KeyPart,
  keyColumns,
  keyPositions,
  type ObserverDefinition,
  partName,
  partType,
  partValue,
  type RowRule,
  type SqlRow,
  TABLE_RIGHTS,
  type TableDefinition,
  type TableRight,
} from './tables/table-definition.ts'
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
export type { StoreHistory } from './transactions/history/store-history.ts'
export type { SeenStep } from './transactions/inspection/followed-rows.ts'
export type { StandingLock } from './transactions/lock-list.ts'
export type { InspectedCell } from './transactions/row-inspection.ts'
export { Transaction } from './transactions/transaction.ts'
export type { TransactionOutcome } from './transactions/transaction-outcome.ts'
export type { TurnSnapshot } from './turn-reads.ts'
export { unlessAborted } from './unless-aborted.ts'
export { canonicalJson } from './values/json/canonical-json.ts'
export {
  canonicalNumber,
  hasLongExponent,
  isDoubleExact,
  JSON_EXPONENT_DIGITS_MAX,
} from './values/json/json-number.ts'
export {
  countAt,
  type JsonSpan,
  type JsonStep,
  kindAt,
  memberAt,
  nestingAt,
  type Payer,
  pathText,
  plainText,
  spanAt,
  stepsOf,
  textAt,
  WALK_UNITS,
  walkPaid,
  wholeSpan,
} from './values/json/json-path.ts'
export {
  endOfJsonString,
  type JsonVisitor,
  type JsonWalk,
  shapeOfJson,
  walkJson,
  walkJsonUntil,
} from './values/json/json-walk.ts'
export type { SqlType, SqlValue } from './values/sql-type.ts'
export {
  compareText,
  compareValues,
  isIntegerInRange,
} from './values/sql-value.ts'
