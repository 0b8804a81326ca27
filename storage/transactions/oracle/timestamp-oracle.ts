// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { StorageError } from '../../errors.ts'
import type { TrustedClock } from './trusted-wall-clock.ts'

/**
 * The timestamp oracle (Percolator 2.3): one allocator of strictly increasing timestamps for start
 * and commit timestamps alike, of the whole store. A timestamp is `max(last + 1, wall clock)` in
 * microseconds.
 *
 * Two fences belong to it, read in the same atomic step as the timestamp they come with:
 * `safePoint` (nothing older can be read any more) and `schemaFence` (a table's definition changed).
 */
export interface TimestampOracle {
  /**
   * A timestamp larger than every one that any process received before this call was made.
   * `schemaScopes` are the ids of the tables whose schema fence matters to the caller; where some
   * tables share a fence (in the shared oracle) it may be a later one than needed.
   */
  next(schemaScopes?: readonly number[]): Promise<Stamp>

  /**
   * As `next`, for what only reads. While the store has no room to record a new timestamp, the last one
   * that was issued serves as well: whatever commits at it or before it has its locks or latches already,
   * and nothing else ever will.
   */
  nextToRead(): Promise<ReadStamp>

  /**
   * A safe point known to have held at some moment after this call was made, for rule F2: what was
   * read at a startTs below it must not be shown. The shared oracle reads it from a lease that every
   * change of the fence waits out, so this is not a round trip for each read.
   */
  currentSafePoint(): Promise<Timestamp>

  /** The newest timestamp and safe point that this process knows of, without asking for them. */
  known(): Pick<Stamp, 'timestamp' | 'safePoint'>

  /** The newest timestamp this process knows to have been issued; for a bound on AS OF, ask `next()`. */
  lastSeen(): Timestamp

  /**
   * About the time of the oracle, without asking it: the newest timestamp known here, and the time that has passed
   * since. For what may be wrong, such as how long a lock has stood.
   */
  approximateNow(): Timestamp

  /**
   * Raises the safe point to `to` unless it is there already; `to` has been issued before. Rejects with the signal's
   * reason where it still has to wait for other processes.
   */
  raiseSafePoint(to: Timestamp, signal?: AbortSignal): Promise<void>

  /** Raises the schema fence of these tables to `to` unless it is there already. */
  raiseSchemaFence(schemaScopes: readonly number[], to: Timestamp): Promise<void>

  /** What timestamps follow, as far as that lets them ascend. */
  readonly wallClock: TrustedClock

  close(): Promise<void>
}

/**
 * An oracle that can be asked within a turn of the event loop, because the process owns the store
 * alone: one-phase commit checks its fences, takes commitTs and queues its batch without a pause.
 */
export interface SynchronousOracle extends TimestampOracle {
  /** The next timestamp; undefined when the mark on disk must be raised first. */
  take(): Timestamp | undefined

  /** As `nextToRead`; undefined when it has to be waited for. */
  takeToRead(): ReadStamp | undefined

  /** Resolves when the mark has been raised for a `take` that returned undefined. */
  markRaised(): Promise<void>

  /** As of this turn. */
  readonly safePoint: Timestamp

  /** The latest of the schema fences of these tables, as of this turn. */
  schemaFenceOf(schemaScopes: readonly number[]): Timestamp

  /** As `raiseSchemaFence`, in this turn. */
  fenceSchemas(schemaScopes: readonly number[], to: Timestamp): void
}

export type ReadStamp = Pick<Stamp, 'timestamp' | 'safePoint' | 'catalogFence'> & {
  /** Why the timestamp is not new, where it is not: nothing may be written by it. */
  readonly writeRefusal?: StorageError
}

export type Stamp = {
  readonly timestamp: Timestamp
  readonly safePoint: Timestamp
  readonly schemaFence: Timestamp
  /**
   * The schema fence of `CATALOG_SCOPE`: every change of the catalog raises it. Absent where it was not read together
   * with the timestamp, and from the oracle of a single owner, who knows the newest catalog without it.
   */
  readonly catalogFence?: Timestamp
}

/** The scope of the catalog as a whole, beside those of the tables, whose ids begin at 1. */
export const CATALOG_SCOPE = 0
