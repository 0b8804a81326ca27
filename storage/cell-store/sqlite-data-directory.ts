// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { StorageError } from '../errors.ts'

const LOCK_FILE = 'lock.db'
const PROCESS_ID_FILE = 'lock.pid'

/**
 * A data directory that belongs to this process alone, as the embedded oracle needs. The lock is
 * SQLite's own exclusive lock on a file that holds nothing: the operating system drops it when the
 * process dies in whatever way, so there is no stale lock to remove by hand.
 */
export class SqliteDataDirectory {
  readonly path: string
  readonly #lock: Database

  /** Throws `data_directory_locked` (with the owner's `pid`) or `data_directory_unusable`. */
  constructor(path: string) {
    this.path = resolve(path)
    this.#lock = this.#acquire()
  }

  get storeFile(): string {
    return join(this.path, 'cells.db')
  }

  release(): void {
    // The file goes first: once the lock is free, a file there may be the next owner's.
    rmSync(join(this.path, PROCESS_ID_FILE), { force: true })
    this.#lock.close()
  }

  #acquire(): Database {
    let lock: Database | undefined
    try {
      mkdirSync(this.path, { recursive: true })
      const file = join(this.path, LOCK_FILE)
      lock = new SqliteDatabase(file, { timeout: 0 })
      // SQLite opens a file that it must not write for reading, and then BEGIN EXCLUSIVE excludes nobody.
      accessSync(file, constants.W_OK)
      lock.exec('BEGIN EXCLUSIVE')
      writeFileSync(join(this.path, PROCESS_ID_FILE), `${process.pid}\n`)
      return lock
    } catch (error) {
      lock?.close()
      throw this.#refusal(error)
    }
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
