// SPDX-License-Identifier: Apache-2.0
import { lstatSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { SqliteDataDirectory } from '../../cells/sqlite/file/data-directory.ts'
import { StorageError } from '../../errors.ts'
import { FILE_MODE, FOLDER_MODE, requireRoom, syncFolder } from './backup-files.ts'
import { type BackupManifest, MANIFEST_FILE } from './manifest.ts'

/** The folder in which a backup is made has this behind its name. */
export const PARTIAL = '.partial'
/** What is in it: the lock of who makes the backup, and the folder that gets its name in the end. */
const WORK = 'backup'
const OWN_FILE = /^(?:lock\.db(?:-\w+)?|lock\.pid|backup)$/

/**
 * Where a backup is made: `DIR/NAME.partial/backup`, which becomes `DIR/NAME` in one step. `NAME.partial` is locked by
 * the operating system, as a data directory is: nobody else removes it or makes a backup of that name meanwhile, and
 * the next one may remove what a killed process has left.
 */
export class BackupStage {
  /** For the files of the backup. */
  readonly folder: string
  readonly #target: string
  readonly #partial: string
  readonly #lock: SqliteDataDirectory

  private constructor(target: string, lock: SqliteDataDirectory) {
    this.#target = target
    this.#partial = lock.path
    this.#lock = lock
    this.folder = join(lock.path, WORK)
  }

  /**
   * Makes the folder empty. Rejects with StorageError `already_exists` where something else has the name, or another
   * one is being made, and with `backup_unusable` where no folder can be made there.
   */
  static async open(folder: string): Promise<BackupStage> {
    const target = resolve(folder)
    requireNothingAt(target)
    const stage = new BackupStage(target, await lockOf(target))
    try {
      // Another one may have ended in between.
      requireNothingAt(target)
      await rm(stage.folder, { recursive: true, force: true })
      await mkdir(stage.folder, { mode: FOLDER_MODE })
      return stage
    } catch (error) {
      await stage.close()
      throw error
    }
  }

  /** Rejects with StorageError `disk_full` where the disk has less room. */
  async requireRoom(neededBytes: number): Promise<void> {
    await requireRoom(dirname(this.#target), neededBytes)
  }

  /**
   * The last step: writes the manifest, and gives the folder its name once all of it is on disk. Rejects with
   * StorageError `already_exists` where something has got that name meanwhile.
   */
  async finish(manifest: BackupManifest): Promise<void> {
    const text = `${JSON.stringify(manifest, null, 2)}\n`
    await writeFile(join(this.folder, MANIFEST_FILE), text, {
      ...{ flag: 'wx', mode: FILE_MODE, flush: true },
    })
    await syncFolder(this.folder)
    requireNothingAt(this.#target)
    await rename(this.folder, this.#target)
    await syncFolder(dirname(this.#target))
  }

  /** Removes what was not finished. */
  async close(): Promise<void> {
    try {
      // First, so that who gets the lock finds no folder of ours.
      await rm(this.#partial, { recursive: true, force: true })
    } finally {
      this.#lock.release()
    }
  }
}

/**
 * Removes what a killed process has left of a backup. Resolves to whether there was anything. Rejects with StorageError
 * `already_exists` where it is being made, or is something else.
 */
export async function removeUnfinished(folder: string): Promise<boolean> {
  const target = resolve(folder)
  if (!isThere(`${target}${PARTIAL}`)) return false
  const stage = await lockOf(target)
  try {
    await rm(stage.path, { recursive: true, force: true })
    return true
  } finally {
    stage.release()
  }
}

/** Whether anything has this name, if only a link to nowhere. Throws StorageError `backup_unusable`. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    throw noBackupAt(path, error)
  }
}

function requireNothingAt(target: string): void {
  if (!isThere(target)) return
  throw new StorageError('already_exists', `There is something at ${target} already.`)
}

async function lockOf(target: string): Promise<SqliteDataDirectory> {
  const partial = `${target}${PARTIAL}`
  await requireOwnWork(partial)
  try {
    return new SqliteDataDirectory(partial)
  } catch (error) {
    const { code, fields, cause } = error as StorageError
    if (code === 'data_directory_locked') {
      const owner = fields.pid === undefined ? 'another process' : `process ${fields.pid}`
      throw new StorageError(
        'already_exists',
        `The backup ${target} is being made by ${owner}: wait for it, or take another name.`,
      )
    }
    throw noBackupAt(target, cause ?? error)
  }
}

function noBackupAt(path: string, cause: unknown): StorageError {
  const { message } = cause as Error
  const text = `No backup can be made at ${path}: ${message}.`
  return new StorageError('backup_unusable', text, {}, { cause })
}

/** Nothing that somebody else has put there is removed. */
async function requireOwnWork(partial: string): Promise<void> {
  const found = lstatSync(partial, { throwIfNoEntry: false })
  if (found === undefined) return
  const foreign = found.isDirectory()
    ? (await readdir(partial)).find((name) => !OWN_FILE.test(name))
    : 'it is no folder'
  if (foreign === undefined) return
  throw new StorageError(
    'already_exists',
    `${partial} is where the backup would be made, and has something else in it: ${foreign}. Move it away, or give the backup another name.`,
  )
}
