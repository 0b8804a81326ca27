// SPDX-License-Identifier: Apache-2.0

/** The door of operations: what is done to a whole store. */

export {
  foundNoRoom,
  hashOfFile,
  syncFolder,
  writeHashed,
} from './backup/backup-files.ts'
export { BACKUP_NAME_RULE, isBackupName, isWithin } from './backup/backup-name.ts'
export { BackupStage, PARTIAL, removeUnfinished } from './backup/backup-stage.ts'
export {
  type BackupManifest,
  COPY_FILE,
  MANIFEST_FILE,
  readManifest,
  requireSameFile,
} from './backup/manifest.ts'
export {
  openRegular,
  readFileOrPipe,
  readRegular,
  readRegularSync,
} from './backup/regular-file.ts'
export { checkBackup, restoreBackup } from './backup/restore-backup.ts'
export { restoreFile } from './backup/restore-file.ts'
export type { Restored } from './backup/restore-stage.ts'
export { type BackupProgress, backUpDirectory } from './backup/write-backup.ts'
export type {
  ConsistencyProblem,
  ConsistencyReport,
} from './consistency/consistency-report.ts'
export { checkDataDirectory } from './consistency/data-directory-check.ts'
export type { MoveProgress, MoveReport } from './move/move.ts'
export {
  markReplaced,
  promoteDirectory,
  StandbyFolder,
  type Successor,
  successorOf,
} from './replication/standby-folder.ts'
export type { StorageStatus } from './status/storage-status.ts'
