// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import type { StepList } from '../../cell-store/embedded-cell-store.ts'
import type { Note } from '../../cell-store/note.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'

/**
 * What a commit of the process that owns its store alone leaves besides its rows, for those who follow
 * the commits. Which rows are noted, and how, is their affair.
 */
export interface CommitLog {
  /**
   * What notes a commit of these rows. Asked for in the turn that takes commitTs, and queued in the batch
   * that decides the transaction, so there is a note exactly where there is a commit (J9). Never throws.
   */
  noteOf(commitTs: Timestamp, rows: readonly BufferedRow[]): CommitNote

  /** C8: the outcome is certain and in the view, and no longer pending. Never throws. */
  settled(commitTs: Timestamp, outcome: 'committed' | 'rolledBack'): void
}

/** A commit of very many rows is noted by steps of its batch, which are made some each turn. */
export type CommitNote = { readonly note: Note | undefined; readonly steps: StepList }

export const NOTHING_NOTED: CommitNote = Object.freeze({ note: undefined, steps: [] })

/**
 * The same where processes share the store. There a batch of several rows is not one unit, so the note is
 * a row of the write set like all others: committed, rolled back and cleaned up with them.
 */
export interface SharedCommitLog {
  /**
   * The row that notes a commit of these rows, to be asked for before the first lock; undefined when
   * nobody has to hear of them. Rejects with StorageError or CellStoreError.
   */
  rowFor(startTs: Timestamp, rows: readonly BufferedRow[]): Promise<LogRow | undefined>

  /** A commit of this process was noted and has been decided. Never throws. */
  committed(): void
}

export type LogRow = {
  readonly row: BufferedRow
  /** With a later commitTs the note would no longer be looked for where it stands. */
  readonly commitTsMax: Timestamp
}

/** Notes nothing: what the bookkeeping costs is measured against this. */
export const NO_COMMIT_LOG: CommitLog & SharedCommitLog = Object.freeze({
  noteOf: () => NOTHING_NOTED,
  settled: () => {},
  rowFor: async () => undefined,
  committed: () => {},
})
