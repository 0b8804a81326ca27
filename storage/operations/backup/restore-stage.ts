// SPDX-License-Identifier: Apache-2.0
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Timestamp } from '../../cells/cell.ts'
import { SqliteDataDirectory } from '../../cells/sqlite/file/data-directory.ts'
import { StorageError } from '../../errors.ts'
import { renewDirectoryHistory } from '../../transactions/history/directory-history.ts'
import type { RenewedHistory } from '../../transactions/history/renew-history.ts'
import type { ConsistencyReport } from '../consistency/consistency-report.ts'
import { checkDataDirectory } from '../consistency/data-directory-check.ts'
import {
  FOLDER_MODE,
  foundNoRoom,
  requireRoom,
  requireWholeFile,
  syncFolder,
} from './backup-files.ts'
import { COPY_FILE } from './manifest.ts'

/**
 * In the folder of the database while it is being restored, and locked as a data directory is: two that restore into
 * one folder would remove each other's work. No server takes it for a database.
 */
const STAGE = 'restore.partial'
/** In that one. */
const WORK = 'data'
/** Opening the copy writes its redo log into its tables. */
export const ROOM_BYTES = 64 * 2 ** 20

export type RestoreOptions = {
  /** Whether every cell is looked at. */
  readonly check: boolean
  /** Told of the bytes of the copy that have been written, and of all of them. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void
}

export type Restored = {
  /** The database has every commit up to here. */
  readonly timestamp: Timestamp
  readonly history: RenewedHistory
  /** Absent where it was not checked. */
  readonly report?: ConsistencyReport
}

/** What a database is made from. */
export type RestoreSource = {
  readonly bytes: number
  /** Writes `cells.db` into a folder, and its log where it has one; both are synced. */
  copyInto(folder: string): Promise<void>
  /** The error for what was found in the copy, whose path in the folder is `path`. */
  unusable(reason: string, path: string): StorageError
}

/**
 * Makes a database in `dataDirectory`. All is done in a folder within that one, and moving its file is the last step:
 * cut off before, it leaves no database, and the same call starts again. Its history is renewed, so that no client
 * takes what came after the copy for something of this database.
 *
 * Rejects with StorageError `data_directory_unusable` where the folder is not empty, `data_directory_locked` where
 * another one restores into it, `backup_unusable` or `disk_full`.
 */
export async function restoreInto(
  dataDirectory: string,
  source: RestoreSource,
  { check }: Pick<RestoreOptions, 'check'>,
): Promise<Restored> {
  const target = resolve(dataDirectory)
  await requireEmpty(target)
  const lock = new SqliteDataDirectory(join(target, STAGE))
  const work = join(lock.path, WORK)
  try {
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { mode: FOLDER_MODE })
    await requireRoom(work, source.bytes + ROOM_BYTES)
    await source.copyInto(work)
    const report = check ? await soundReport(work, source) : undefined
    const history = await renewed(work, source)
    // What the cells say, and not what a manifest does.
    const timestamp = history.now.gaps.at(-1)?.after ?? 0
    await requireWholeFile(work)
    // A server may have been started there, or another one have ended just before.
    await requireEmpty(target)
    await rename(join(work, COPY_FILE), join(target, COPY_FILE))
    await syncFolder(target)
    await syncFolder(dirname(target))
    return { timestamp, history, ...(report === undefined ? {} : { report }) }
  } catch (error) {
    if (!foundNoRoom(error)) throw error
    const message = `The disk of ${target} became full, so nothing was restored.`
    throw new StorageError('disk_full', message, {}, { cause: error })
  } finally {
    // First, so that who gets the lock finds no folder of ours.
    await rm(lock.path, { recursive: true, force: true })
    lock.release()
  }
}

/** Rejects with StorageError `data_directory_unusable`. */
async function requireEmpty(target: string): Promise<void> {
  let names: string[]
  try {
    names = await readdir(target)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    throw new StorageError('data_directory_unusable', `${target} cannot be used: ${message}.`)
  }
  if (names.every((name) => name === STAGE)) return
  throw new StorageError(
    'data_directory_unusable',
    `${target} is not empty. A backup is restored into a new folder, which then takes the place of the old one.`,
  )
}

async function soundReport(work: string, source: RestoreSource): Promise<ConsistencyReport> {
  const report = await ofCopy(work, source, () => checkDataDirectory(work))
  const { problems, problemCount } = report
  if (problemCount === 0) return report
  const first = problems[0]?.message ?? ''
  throw source.unusable(
    `it has ${problemCount} problems, the first: ${first} (--no-check restores it all the same, and percolite check lists them)`,
    join(work, COPY_FILE),
  )
}

async function renewed(work: string, source: RestoreSource): Promise<RenewedHistory> {
  return await ofCopy(work, source, () => renewDirectoryHistory(work))
}

/** A folder that cannot be used is the fault of the copy here: the folder is of our making. */
async function ofCopy<R>(work: string, source: RestoreSource, run: () => Promise<R>): Promise<R> {
  try {
    return await run()
  } catch (error) {
    const isOfCopy = error instanceof StorageError && error.code === 'data_directory_unusable'
    if (!isOfCopy) throw error
    throw source.unusable(error.message.replace(/\.$/, ''), join(work, COPY_FILE))
  }
}
