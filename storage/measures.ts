// SPDX-License-Identifier: Apache-2.0

/**
 * What a commit waits for: `fence`, its timestamp and the fences that are read with it; `latch_wait`, the latches of
 * others on its rows; `group_wait`, until its group is sent to the disk; `sync`, until the group is on it. The last
 * two are reported once for each group, which has several commits when many write at once.
 */
export const COMMIT_PHASES = ['fence', 'latch_wait', 'group_wait', 'sync'] as const
export type CommitPhase = (typeof COMMIT_PHASES)[number]

/** What a commit met of another: a row, an entry of an index, a definition, or a row of the store's own. */
export type ConflictKind = 'row' | 'index' | 'schema' | 'system'

/** A commit that was refused because another transaction came first. */
export type Conflict = {
  readonly kind: ConflictKind
  /** What stood in the way: a newer version, a newer guard, a commit under way, or a newer definition. */
  readonly met: 'write' | 'guard' | 'lock' | 'schema'
  /** Undefined when the table is not known. */
  readonly table?: string
  /** The bytes are the transaction's own: whoever keeps them copies them. Absent with a definition. */
  readonly row?: Uint8Array
  /** The start timestamp of the transaction that was refused. */
  readonly loser: number
  /** The commit timestamp of the other; of one without a commit timestamp so far that of its start. */
  readonly winner?: number
}

/** Where a batch was made durable first: in the redo log, or in the tables themselves. */
export const BATCH_ROUTES = ['redo_log', 'tables'] as const
export type BatchRoute = (typeof BATCH_ROUTES)[number]

/** Receives how long things take and how often they happen. It is called often: it must be quick, and not throw. */
export interface Measures {
  /** A commit that had something to write was decided, either way. */
  commitTook(ms: number): void
  phaseTook(phase: CommitPhase, ms: number): void
  /** `count` batches took this route, whether or not they were committed. */
  batchesRouted(route: BatchRoute, count: number): void
  conflicted(conflict: Conflict): void
}

export const UNMEASURED: Measures = {
  commitTook() {},
  phaseTook() {},
  batchesRouted() {},
  conflicted() {},
}
