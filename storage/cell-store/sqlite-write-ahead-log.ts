// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { isDiskError } from './sqlite-error.ts'

/**
 * The log is moved into the file by a thread of its own, which stops no writer but never catches up
 * with one either. Beyond this many pages (64 MiB) the writer itself moves the little that is left and
 * begins the log anew: it would grow without bound otherwise, and with it the time of the next start.
 */
export const LOG_PAGES_MAX = 16_384

/** So many pages that are not in the file yet are worth a checkpoint (4 MiB, as SQLite has it). */
export const UNMOVED_PAGES_MAX = 1_000

/** In pages: how long the log is, and how much of it has been moved into the file. */
export type LogSize = { readonly pages: number; readonly moved: number }

type CheckpointRecord = [busy: number, pages: number, moved: number]

export class SqliteWriteAheadLog {
  readonly #database: Database
  readonly #look: Statement<unknown[], CheckpointRecord>
  readonly #restart: Statement<unknown[], CheckpointRecord>

  constructor(database: Database) {
    this.#database = database
    const prepare = (text: string) => database.prepare<unknown[], CheckpointRecord>(text).raw()
    this.#look = prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#restart = prepare('PRAGMA wal_checkpoint(RESTART)')
  }

  /** Nothing after a COMMIT that failed and left its transaction open: then nobody touches the log again. */
  size(): LogSize {
    if (this.#database.inTransaction) return { pages: 0, moved: 0 }
    const [, pages, moved] = this.#look.get() as CheckpointRecord
    return { pages, moved }
  }

  /** Throws when the disk failed. A log that is still being read is tried again after the next group. */
  beginAnewWhenLarge(): void {
    const { pages } = this.size()
    if (pages < LOG_PAGES_MAX) return
    try {
      this.#restart.get()
    } catch (error) {
      // A full disk among them: the log stays as it is, and goes on growing while that is possible.
      if (isDiskError(error)) throw error
    }
  }
}
