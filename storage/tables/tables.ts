// SPDX-License-Identifier: Apache-2.0

/** The door of tables: definitions, the catalog, rows and their keys. */

export { decodeEntry, entryColumns, type IndexEntry } from './bytes/index-entry.ts'
export {
  decodeEntryKey,
  encodeEntryKey,
  encodeIndexKey,
  encodeIndexTextPrefix,
  indexIdOf,
  indexSpace,
  orderParts,
} from './bytes/index-key.ts'
export {
  decodePrimaryKey,
  encodePrimaryKey,
  encodePrimaryKeyBound,
  encodeTextPrefix,
  tableIdOf,
  tableSpace,
} from './bytes/key-encoding.ts'
export {
  decodeRow,
  emptyRow,
  familyColumn,
  keyOfRow,
  ROW_COLUMN,
} from './bytes/row-codec.ts'
export { RowObjects } from './bytes/row-objects.ts'
export {
  type Catalog,
  requireIndex,
  requireObserver,
  requireTable,
  type TableSchedule,
} from './catalog/catalog.ts'
export { createTable, dropTable, renameTable } from './catalog/catalog-changes.ts'
export { addCheck, dropCheck, endAdding, unfinishedCheck } from './catalog/check-changes.ts'
export {
  addColumn,
  alterColumn,
  dropColumn,
  renameColumn,
} from './catalog/column-changes.ts'
export { restartIdentity } from './catalog/identity-changes.ts'
export { readIdentity } from './catalog/identity-row.ts'
export { createIndex, dropIndex } from './catalog/index-changes.ts'
export { readIndexProgress } from './catalog/index-progress.ts'
export {
  createObserver,
  dropObserver,
  pauseObserver,
  replayObserver,
  resumeObserver,
} from './catalog/observer-changes.ts'
export {
  createSchedule,
  dropSchedule,
  pauseSchedule,
  resumeSchedule,
} from './catalog/schedule-changes.ts'
export {
  readScheduleProgress,
  type ScheduleProgress,
  writeScheduleProgress,
} from './catalog/schedule-progress.ts'
export { fittingName, freeName } from './definition-name.ts'
export { identityOf } from './identity-column.ts'
export { nearestNames } from './nearest-names.ts'
export type { NewCheck } from './new-check.ts'
export type { NewIndex } from './new-index.ts'
export type { NewObserver } from './new-observer.ts'
export type { NewSchedule } from './new-schedule.ts'
export { defineTable, type NewColumn, type NewTable } from './new-table.ts'
export {
  ADMIN_ROLE,
  EVERY_RIGHT,
  type Rights,
  SERVER_RIGHTS,
  type ServerRight,
} from './rights.ts'
export { entryEdits, type RowChange } from './rows/index-maintenance.ts'
export { getUniqueEntries, scanIndexEntries } from './rows/index-scan.ts'
export {
  changeRows,
  columnsForDelete,
  columnsForSet,
  guardRow,
} from './rows/row-changes.ts'
export { nameOfRow } from './rows/row-name.ts'
export { notifyObserver } from './rows/row-notifications.ts'
export {
  getRow,
  getRows,
  prefetchRows,
  type RowsRequest,
  type StoredRow,
  StoredRows,
  scanRowBatches,
  scanRows,
} from './rows/table-rows.ts'
export { TakenEntries } from './rows/taken-entries.ts'
export {
  type CheckConstraint,
  type ColumnDefault,
  type ColumnDefinition,
  columnPosition,
  type IndexDefinition,
  isWhole,
  type KeyPart,
  keyColumns,
  keyPositions,
  type ObserverDefinition,
  partName,
  partType,
  partValue,
  type RowRule,
  type ScheduleDefinition,
  type ScheduleTimes,
  type SqlRow,
  TABLE_RIGHTS,
  type TableDefinition,
  type TableRight,
} from './table-definition.ts'
