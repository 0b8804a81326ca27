// SPDX-License-Identifier: Apache-2.0
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { StorageError } from '../../../errors.ts'
import { EXCLUDE_OTHERS } from '../statements.ts'
import {
  FILE_MODE,
  makeFolder,
  refuseOpenFolder,
  requirePlainFiles,
  warningOf,
} from './folder-check.ts'
import { holderOfRemoved } from './own-files.ts'

const STORE_FILE = 'cells.db'
export const LOCK_FILE = 'lock.db'
const PROCESS_ID_FILE = 'lock.pid'
const FILES = [
  ...[STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`, `${STORE_FILE}-journal`],
  ...[LOCK_FILE, `${LOCK_FILE}-wal`, `${LOCK_FILE}-shm`, `${LOCK_FILE}-journal`],
  PROCESS_ID_FILE,
]

/**
 * A data directory that this process owns exclusively, as the embedded oracle needs. The lock is SQLite's exclusive
 * lock on an empty file: the operating system releases it however the process dies, so there is no stale lock to remove
 * by hand.
 *
 * A new folder is accessible only to its owner (0700, its files 0600). An existing one is used as it is, with a
 * `warning` if others may write to it.
 */
export class SqliteDataDirectory {
  readonly path: string
  /** A warning for the operator about the folder. */
  readonly warning: string | undefined
  /** The last owner has not released it. */
  readonly wasKilled: boolean
  readonly #lock: Database

  /** Throws `data_directory_locked` (with the owner's `pid`) or `data_directory_unusable`. */
  constructor(path: string) {
    this.path = resolve(path)
    try {
      makeFolder(this.path)
      refuseOpenFolder(this.path)
      requirePlainFiles(this.path, FILES)
      this.#lock = this.#lockFile()
      this.wasKilled = existsSync(join(this.path, PROCESS_ID_FILE))
      this.#writeProcessId()
      this.warning = warningOf(this.path, join(this.path, PROCESS_ID_FILE))
    } catch (error) {
      throw error instanceof StorageError ? error : this.#refusal(error)
    }
  }

  get storeFile(): string {
    return join(this.path, STORE_FILE)
  }

  /** Creates the store's file if it is missing. SQLite gives its other files the same mode. */
  makeStoreFile(): void {
    makeFile(this.storeFile)
  }

  /** What no other process may put another file in the place of. */
  get lockFile(): string {
    return join(this.path, LOCK_FILE)
  }

  release(): void {
    // The file is removed first: once the lock is free, a file there may be the next owner's.
    rmSync(join(this.path, PROCESS_ID_FILE), { force: true })
    this.#lock.close()
  }

  #lockFile(): Database {
    let lock: Database | undefined
    try {
      const file = this.lockFile
      if (makeFile(file)) this.#refuseRemovedOwner(file)
      lock = new SqliteDatabase(file, { timeout: 0 })
      // SQLite opens a file that it may not write as read-only, and then BEGIN EXCLUSIVE excludes no other process.
      accessSync(file, constants.W_OK)
      lock.exec(EXCLUDE_OTHERS)
      return lock
    } catch (error) {
      lock?.close()
      throw error
    }
  }

  /** Where the lock was removed together with its file, its owner still writes. */
  #refuseRemovedOwner(file: string): void {
    const pid = holderOfRemoved(file)
    if (pid === undefined) return
    throw new StorageError(
      'data_directory_locked',
      `The files in ${this.path} were removed under process ${pid}, which still has them open: stop it first.`,
      { pid },
    )
  }

  /** A left-over file is removed, and a new one created, so that it is never written through a link. */
  #writeProcessId(): void {
    const file = join(this.path, PROCESS_ID_FILE)
    rmSync(file, { force: true })
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: FILE_MODE })
  }

  #refusal(cause: unknown): StorageError {
    const { code, message } = cause as { code?: unknown; message?: unknown }
    if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) {
      const pid = this.#ownerProcessId()
      const owner = pid === undefined ? 'another process' : `process ${pid}`
      return new StorageError(
        'data_directory_locked',
        `The data directory ${this.path} is in use by ${owner}.`,
        pid === undefined ? {} : { pid },
        { cause },
      )
    }
    return new StorageError(
      'data_directory_unusable',
      `The data directory ${this.path} cannot be used: ${message}.`,
      {},
      { cause },
    )
  }

  #ownerProcessId(): number | undefined {
    try {
      const pid = Number(readFileSync(join(this.path, PROCESS_ID_FILE), 'utf8'))
      return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
    } catch {
      return undefined
    }
  }
}

/** Creates an empty file if there is none, and returns whether it did. `wx` follows no link. */
function makeFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
