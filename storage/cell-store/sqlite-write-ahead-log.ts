// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { isDiskError } from './sqlite-error.ts'

/**
 * The log is moved into the file by a thread of its own, which stops no writer but never catches up
 * with one either. Beyond this many pages (64 MiB) the writer itself moves the little that is left and
 * begins the log anew: it would grow without bound otherwise, and with it the time of the next start.
 */
export const LOG_PAGES_MAX = 16_384

/**
 * So many pages that are not in the file yet are worth a checkpoint (16 MiB): the last of four comes
 * shortly before the log is begun anew, and leaves the writer little to move. SQLite itself takes 1,000,
 * but a page that many commits have written is moved once, so seldom is cheaper.
 */
export const UNMOVED_PAGES_MAX = 4_000

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
  #restartFrom = LOG_PAGES_MAX

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
   * `pages` is how long it is. Throws when the disk failed. A log that is still being read is tried again
   * when it has grown by as much as is worth a checkpoint, so that such a reader holds the writers up
   * seldom and briefly.
   */
  beginAnewWhenLarge(pages: number): void {
    if (pages < LOG_PAGES_MAX) this.#restartFrom = LOG_PAGES_MAX
    if (pages < this.#restartFrom) return
    try {
      this.#database.pragma(`busy_timeout = ${READERS_AWAITED_MS}`)
      const [isBusy, found] = this.#restart.get() as CheckpointRecord
      const isRead = isBusy === 1 && found !== -1
      this.#restartFrom = isRead ? pages + UNMOVED_PAGES_MAX : LOG_PAGES_MAX
    } catch (error) {
      // A full disk among them: the log stays as it is, and goes on growing while that is possible.
      if (isDiskError(error)) throw error
    } finally {
      this.#database.pragma(`busy_timeout = ${this.#lockAwaitedMs}`)
    }
  }
}
