// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { StorageError } from '../../errors.ts'

/**
 * Every committed transaction that changed rows of tables or of the catalog: once, whole, in the order
 * of the commit timestamps. A reader is a **position**, a timestamp up to which it knows everything.
 *
 *     committed      6  7     9        12        position 7, resolved 9
 *     not settled             .   11             -> 9 is next; 12 waits, because 11 may still come
 *
 * Nothing is handed out above the **resolved** timestamp, below which every transaction is settled, so
 * no commit ever turns up before a position that was returned. A snapshot at s goes on as a feed from the position s
 * without a hole, and the image of a row before and after a commit at t is a snapshot at t - 1 and at t.
 */
export interface ChangeFeed {
  /**
   * A timestamp up to which everything is settled and delivered to all live followers. It grows on an idle store too,
   * because it takes a timestamp first. Rejects with StorageError `closed`, or with CellStoreError.
   */
  resolved(): Promise<Timestamp>

  /**
   * How far what is resolved is behind the time, in microseconds, without a look at the store; 0 where nothing is open.
   * Undefined where only a look would tell.
   */
  lagMicros(): number | undefined

  /**
   * The next commits after the position, in a turn of the event loop of their own. Rejects with
   * StorageError `resume_too_old` (`oldest`: where one can begin) when garbage collection has passed
   * the position, or when the log had another form then (`feed-begins.ts`), `timestamp_in_future`
   * when it was never reached, with CellStoreError, and with the signal's reason.
   */
  read(position: Timestamp, options: FeedReadOptions): Promise<FeedPage>

  /**
   * Reads on from the position and goes live in the very turn in which nothing is left to read, so that
   * there is no gap between the two. Begins in a later turn; never throws.
   */
  follow(position: Timestamp, listener: FeedListener, options?: FollowOptions): FeedFollower
}

export type FollowOptions = {
  /**
   * How many milliseconds the listener can wait for a commit where processes share the store: so seldom it is looked
   * for. Such a follower is never live, and `resolved` does not wait for it.
   */
  readonly everyMs?: number
}

export type FeedReadOptions = {
  /** A page ends with the commit that reaches this many rows. */
  readonly rowsMax: number
  readonly signal?: AbortSignal
}

/** The commits in (position asked for, `position`], all of them, ascending. */
export type FeedPage = {
  readonly commits: readonly FeedCommit[]
  /** Where to continue. */
  readonly position: Timestamp
  /** Whether everything that was resolved has been read. */
  readonly isCaughtUp: boolean
}

export type FeedCommit = {
  readonly commitTs: Timestamp
  /** At least one. */
  readonly rows: readonly ChangedRow[]
}

/** A row that the transaction wrote, whether or not its values are others than before. */
export type ChangedRow = {
  readonly key: Uint8Array
  /** The columns of the row that were written, as rows of tables name them: `0`, or their families. */
  readonly columns: readonly string[]
  readonly isDelete: boolean
}

/** Called synchronously, in the turn in which a commit is settled; an error that it throws ends the following. */
export type FeedListener = {
  /** Once for each commit after the position, ascending. */
  readonly commit: (commit: FeedCommit) => void
  /** Rows that a commit gave observers a hint of; only where processes share the store, which need to be told. */
  readonly hinted?: (keys: readonly Uint8Array[]) => void
  /** Called when the following has ended: with an error of `read`, or what the listener itself threw. */
  readonly failed: (error: unknown) => void
}

export interface FeedFollower {
  /** The listener has been notified of everything up to here. */
  readonly position: Timestamp
  /** Whether later commits are delivered as soon as they are settled. */
  readonly isLive: boolean
  /** Ends the following. */
  stop(): void
}

export function resumeTooOld(position: Timestamp, oldest: Timestamp): StorageError {
  return new StorageError(
    'resume_too_old',
    `The changes after ${position} are not kept any more; the feed can be read from ${oldest} on.`,
    { since: position, oldest },
  )
}

/** The error for an invented position, or one of another store whose clock was ahead of this one's. */
export function positionInFuture(position: Timestamp, newest: Timestamp): StorageError {
  return new StorageError(
    'timestamp_in_future',
    `The feed has not reached ${position}; its newest timestamp is ${newest}.`,
    { since: position, newest },
  )
}
