// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { StepList } from '../../cells/embedded-cell-store.ts'
import type { Note } from '../../cells/note.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'
import type { Hint } from '../records/notify-cell.ts'

/**
 * The log of commits for the feed, in a process that owns its store exclusively. The feed decides which rows are
 * logged, and how.
 */
export interface CommitLog {
  /**
   * The log entry of a commit of these rows. Called in the turn that takes commitTs, and queued in the batch that
   * decides the transaction, so there is an entry exactly where there is a commit (J9). Never throws.
   */
  noteOf(commitTs: Timestamp, rows: readonly BufferedRow[]): CommitNote

  /** C8: the outcome is certain and in the view, and no longer pending. Never throws. */
  settled(commitTs: Timestamp, outcome: 'committed' | 'rolledBack'): void
}

/** A log entry. That of a very large commit consists of steps of its batch, made over several turns. */
export type CommitNote = { readonly note: Note | undefined; readonly steps: StepList }

export const NOTHING_NOTED: CommitNote = Object.freeze({ note: undefined, steps: [] })

/**
 * The same log for processes that share the store. There a batch of several rows is not one unit, so the log entry is a
 * row of the write set like all others: committed, rolled back and cleaned up with them.
 */
export interface SharedCommitLog {
  /**
   * The log row of a commit, undefined when it has no hint and none of its rows is logged. Must be called before the
   * first lock. Rejects with StorageError or CellStoreError.
   */
  rowFor(request: LoggedRequest): Promise<LogRow | undefined>

  /** Called when a commit of this process with this log row has been decided. Never throws. */
  committed(logRow: Uint8Array, commitTs: Timestamp): void
}

export type LoggedRequest = {
  readonly startTs: Timestamp
  readonly rows: readonly BufferedRow[]
  readonly hints: readonly Hint[]
}

export type LogRow = {
  readonly row: BufferedRow
  /** With a later commitTs the log row would no longer be found where it is. */
  readonly commitTsMax: Timestamp
}

/** Logs nothing; the cost of the log is measured against this. */
export const NO_COMMIT_LOG: CommitLog & SharedCommitLog = Object.freeze({
  noteOf: () => NOTHING_NOTED,
  settled: () => {},
  rowFor: async () => undefined,
  committed: () => {},
})
