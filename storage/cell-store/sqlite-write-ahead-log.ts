// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { isDiskError } from './sqlite-error.ts'

/**
 * The log is moved into the file by a thread of its own, which stops no writer but never catches up with
 * one either. So the writer itself moves what is left and begins the log anew: it would grow without bound
 * otherwise, and with it the time of the next start (a tenth of a second for 256 MiB). From so many pages on
 * (188 MiB) it does as soon as that takes but a moment, and beyond the second number (256 MiB) in any case.
 */
export const LOG_PAGES_ENOUGH = 48_000
export const LOG_PAGES_MAX = 65_536

/** SQLite's own size, which the schema leaves as it is. */
export const PAGE_BYTES = 4096
export const LOG_BYTES_MAX = LOG_PAGES_MAX * PAGE_BYTES

/**
 * So many pages that are not in the file yet are worth a checkpoint (62 MiB). SQLite itself takes 1,000,
 * but a page that many commits have written is moved once, and what is moved keeps the disk from syncing
 * commits: seldom is cheaper. When the log is long enough, checkpoints follow each other instead, each
 * with less to move, until so little is left that the writer moves it in a moment (1 MiB).
 */
export const UNMOVED_PAGES_MAX = 16_000
export const LEFT_PAGES_MAX = 256

/**
 * How long the writer lets all others wait for whoever still reads the log. The view reads for a turn;
 * another process (a backup, a shell) may read for hours, and then the log has to grow.
 */
const READERS_AWAITED_MS = 50

/** In pages: how long the log is, and how much of it has been moved into the file. */
export type LogSize = { readonly pages: number; readonly moved: number }

/** `pages` is -1 where another connection was moving the log. */
type CheckpointRecord = [busy: number, pages: number, moved: number]

export class SqliteWriteAheadLog {
  readonly #database: Database
  readonly #look: Statement<unknown[], CheckpointRecord>
  readonly #restart: Statement<unknown[], CheckpointRecord>
  /** How long waiting for a lock takes at all other times. */
  readonly #lockAwaitedMs: number
  /** How long the log has to be for another try. */
  #triedFrom = 0

  constructor(database: Database) {
    this.#database = database
    const prepare = (text: string) => database.prepare<unknown[], CheckpointRecord>(text).raw()
    this.#look = prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#restart = prepare('PRAGMA wal_checkpoint(RESTART)')
    this.#lockAwaitedMs = database.pragma('busy_timeout', { simple: true }) as number
  }

  /** Nothing after a COMMIT that failed and left its transaction open: then nobody touches the log again. */
  size(): LogSize {
    if (this.#database.inTransaction) return { pages: 0, moved: 0 }
    const [, pages, moved] = this.#look.get() as CheckpointRecord
    return { pages, moved }
  }

  /**
   * Of a log that was just found so large. Throws when the disk failed. One that is still being read is
   * tried again when it has grown by as much as is worth a checkpoint, so that such a reader holds the
   * writers up seldom and briefly.
   */
  beginAnewWhenLarge({ pages, moved }: LogSize): void {
    if (pages < LOG_PAGES_ENOUGH) this.#triedFrom = 0
    const enough = pages - moved <= LEFT_PAGES_MAX ? LOG_PAGES_ENOUGH : LOG_PAGES_MAX
    if (pages < enough || pages < this.#triedFrom) return
    try {
      this.#database.pragma(`busy_timeout = ${READERS_AWAITED_MS}`)
      const [isBusy, found] = this.#restart.get() as CheckpointRecord
      const isRead = isBusy === 1 && found !== -1
      this.#triedFrom = isRead ? pages + UNMOVED_PAGES_MAX : 0
    } catch (error) {
      // A full disk among them: the log stays as it is, and goes on growing while that is possible.
      if (isDiskError(error)) throw error
    } finally {
      this.#database.pragma(`busy_timeout = ${this.#lockAwaitedMs}`)
    }
  }
}
