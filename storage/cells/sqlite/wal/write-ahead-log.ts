// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { isDiskError, isFull } from '../error.ts'
import type { SqliteTransactions } from '../groups/transactions.ts'
import { EMPTY_LOG, LOOK_AT_LOG, RESTART_LOG } from '../statements.ts'
import { isReplicated } from './litestream.ts'
import { FileDisk, SqliteLogRoom, type StoreDisk } from './log-room.ts'

/**
 * The checkpointer thread moves the log into the file; it stops no writer but never catches up with one either. So the
 * writer itself moves what is left and restarts the log: otherwise it would grow without bound, and with it the time of
 * the next start (a tenth of a second for 256 MiB). From `enough` bytes on it does so as soon as that takes only a
 * moment, and from `max` bytes on in any case.
 *
 * `unmoved` bytes that are not in the file yet are worth a checkpoint. SQLite's default is 4 MiB, but a page that many
 * commits have written is moved once, and moving pages delays the syncs of commits: fewer checkpoints are cheaper. When
 * the log is long enough, checkpoints follow each other instead, each with less to move, until only `left` bytes are
 * left, which the writer moves in a moment.
 */
export const LOG_BOUNDS = {
  max: 256 * 2 ** 20,
  enough: 188 * 2 ** 20,
  unmoved: 62 * 2 ** 20,
  left: 2 ** 20,
}

/**
 * Milliseconds that the writer, and so all commits, wait for readers of the log. The view reads for a turn; another
 * process (a backup, a shell) may read for hours, and then the log has to grow.
 */
const READERS_AWAITED_MS = 50

/**
 * The bytes of all pages in the log, and of those that have been moved into the file. `LOG_BOUNDS` are multiplied by
 * `share`: 1 unless the disk has little space (`log-room.ts`).
 */
export type LogSize = { readonly bytes: number; readonly moved: number; readonly share: number }

const NOTHING_TO_DO: LogSize = { bytes: 0, moved: 0, share: 1 }

/** `isBusy`: another process is moving the log. */
type RestartOutcome = 'restarted' | 'isRead' | 'isBusy' | 'noRoom'

/** The outcome for a log with pages of `bytes` bytes; `isEmpty` if there was nothing to move. */
export type MadeRoom = {
  readonly outcome: RestartOutcome | 'isEmpty'
  readonly bytes: number
  readonly missingBytes?: number
}

/** sqlite.org/fileformat2.html, "The Write-Ahead Log". */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** `pages` is -1 where another connection was moving the log. */
type CheckpointRecord = [busy: number, pages: number, moved: number]

export class SqliteWriteAheadLog {
  readonly #database: Database
  readonly #transactions: Pick<SqliteTransactions, 'hasGivenUp'>
  readonly #disk: StoreDisk
  readonly #room: SqliteLogRoom
  readonly #look: Statement<unknown[], CheckpointRecord>
  readonly #restart: Statement<unknown[], CheckpointRecord>
  readonly #truncate: Statement<unknown[], CheckpointRecord>
  readonly #pageBytes: number
  readonly #bounds: typeof LOG_BOUNDS
  /** How long waiting for a lock takes at all other times. */
  readonly #lockAwaitedMs: number
  /** How long the log has to be for another try. */
  #triedFrom = 0

  constructor(
    database: Database,
    transactions: Pick<SqliteTransactions, 'hasGivenUp'>,
    disk: StoreDisk = new FileDisk(database.name),
    bounds = LOG_BOUNDS,
  ) {
    this.#database = database
    this.#transactions = transactions
    this.#disk = disk
    this.#bounds = bounds
    this.#room = new SqliteLogRoom(bounds.max, disk)
    const prepare = (text: string) => database.prepare<unknown[], CheckpointRecord>(text).raw()
    this.#look = prepare(LOOK_AT_LOG)
    this.#restart = prepare(RESTART_LOG)
    this.#truncate = prepare(EMPTY_LOG)
    const setting = (name: string) => database.pragma(name, { simple: true }) as number
    this.#pageBytes = setting('page_size')
    this.#lockAwaitedMs = setting('busy_timeout')
  }

  /** The size of the log; `NOTHING_TO_DO` after a COMMIT in doubt, when the log must not be touched. */
  size(): LogSize {
    if (!this.#mayBeTouched) return NOTHING_TO_DO
    const [, pages, moved] = this.#look.get() as CheckpointRecord
    const bytes = pages * this.#pageBytes
    return { bytes, moved: moved * this.#pageBytes, share: this.#room.shareFor(bytes) }
  }

  /**
   * Restarts a log of this size if it is large. Throws when the disk failed. One that is still being read, or that the
   * full disk cannot take into the file, is tried again when it has grown by as much as is worth a checkpoint, so that
   * such a reader delays the writers rarely and briefly. What Litestream replicates is its own to restart, unless it
   * does not do so: then the log is cut to nothing, which it notices.
   */
  restartWhenLarge({ bytes, moved, share }: LogSize): void {
    const { max, enough, unmoved, left } = this.#bounds
    if (bytes < enough * share) this.#triedFrom = 0
    const largeFrom = bytes - moved <= left ? enough : max
    if (bytes < largeFrom * share || bytes < this.#triedFrom) return
    const isOfOthers = isReplicated(this.#database.name)
    if (isOfOthers && bytes < max * share) return
    const outcome = this.#restartLog(share < 1 || isOfOthers)
    const isInTheWay = outcome === 'isRead' || outcome === 'noRoom'
    this.#triedFrom = isInTheWay ? bytes + unmoved * share : 0
  }

  /**
   * Frees disk space for a write that found the disk full: the log's, if its content fits into the file. What an undone
   * transaction has left after the log's end is removed first, because that may be all that the file lacks. Returns the
   * outcome, null after a COMMIT in doubt. Throws when the disk failed.
   */
  makeRoom(): MadeRoom | null {
    if (!this.#mayBeTouched) return null
    this.#room.lookAgain()
    const { bytes } = this.size()
    if (bytes < 0) return { outcome: 'isBusy', bytes: 0 }
    const headerBytes = LOG_HEADER_BYTES + (bytes / this.#pageBytes) * FRAME_HEADER_BYTES
    const usedBytes = bytes === 0 ? 0 : headerBytes + bytes
    const missingBytes = this.#missingBytes(usedBytes)
    if (missingBytes > 0) return { outcome: 'noRoom', bytes, missingBytes }
    // SQLite itself truncates an empty log.
    if (bytes > 0) this.#disk.cutLog(usedBytes)
    const outcome = this.#restartLog(true)
    if (outcome === 'noRoom') {
      const atLeast = Math.max(this.#missingBytes(usedBytes), this.#pageBytes)
      return { outcome, bytes, missingBytes: atLeast }
    }
    return { outcome: outcome === 'restarted' && bytes === 0 ? 'isEmpty' : outcome, bytes }
  }

  get #mayBeTouched(): boolean {
    return !this.#transactions.hasGivenUp && !this.#database.inTransaction
  }

  /** By how much the disk would have to be larger for what is in the log, at least. */
  #missingBytes(usedBytes: number): number {
    const setting = (name: string) => this.#database.pragma(name, { simple: true }) as number
    const { free, log, store } = this.#disk.space()
    const growth = setting('page_count') * setting('page_size') - store
    return growth - (free + Math.max(0, log - usedBytes))
  }

  /** How it went; the file of the log keeps its length unless said. Throws when the disk failed. */
  #restartLog(givesRoomBack: boolean): RestartOutcome {
    try {
      this.#database.pragma(`busy_timeout = ${READERS_AWAITED_MS}`)
      const statement = givesRoomBack ? this.#truncate : this.#restart
      const [isBusy, found] = statement.get() as CheckpointRecord
      if (isBusy === 0) return 'restarted'
      return found === -1 ? 'isBusy' : 'isRead'
    } catch (error) {
      // A full disk among them: the log stays as it is, and goes on growing while that is possible.
      if (isDiskError(error)) throw error
      return isFull(error) ? 'noRoom' : 'isBusy'
    } finally {
      this.#database.pragma(`busy_timeout = ${this.#lockAwaitedMs}`)
    }
  }
}
