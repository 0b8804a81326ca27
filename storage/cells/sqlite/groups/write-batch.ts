// SPDX-License-Identifier: Apache-2.0
import type { Increment, RowStep } from '../../cell-store.ts'
import type { StepList } from '../../embedded-cell-store.ts'
import type { Note } from '../../note.ts'
import type { SentError } from '../error.ts'

/** An atomic unit of writes, as data that can be sent to the writer thread. */
export type WriteBatch = StepsBatch | IncrementBatch

export type StepsBatch = {
  readonly kind: 'steps'
  readonly steps: readonly RowStep[]
  readonly note?: Note | undefined
}

/** A batch of very many steps: it is a group of its own, and its steps are made over several turns. */
export type LargeBatch = {
  readonly kind: 'large'
  readonly steps: StepList
  readonly note?: Note | undefined
}

export type IncrementBatch = {
  readonly kind: 'increment'
  readonly row: Uint8Array
  readonly increments: readonly Increment[]
}

/**
 * The result of a batch that is on disk: which steps matched, or the new values of the counters. `null` if no step
 * matched, as for most batches: the cheapest to send.
 */
export type BatchSuccess = readonly boolean[] | readonly bigint[] | null

/**
 * - `invalid`: the row's own content forbade it; nothing of the batch was applied.
 * - `notApplied`: nothing of the batch was applied, and the connection is as before.
 * - `unknown`: COMMIT itself failed or the disk did; nothing can be trusted until the file is reopened.
 */
export type BatchFailure = {
  readonly kind: 'invalid' | 'notApplied' | 'unknown'
  readonly cause: SentError
  /** A row of the batch that stands on a damaged page. */
  readonly row?: Uint8Array | undefined
}

export type BatchResult = BatchSuccess | BatchFailure

export function isFailure(result: BatchResult): result is BatchFailure {
  return result !== null && 'kind' in result
}

/** The result of a group: one result for each batch, and the total time. */
export type CarriedOutGroup = { readonly results: readonly BatchResult[]; readonly ms: number }

/**
 * Carries out groups of batches in the order of the calls: the queue's interface to the writer. After a result
 * `unknown` nothing more is applied, including groups that were sent before it was known.
 */
export interface GroupCommitter {
  /**
   * Rejects when the outcome of the group is unknown. `encodedBytesMax` is the sum of `encodedBytesMax()` of the
   * batches.
   */
  commitGroup(batches: readonly WriteBatch[], encodedBytesMax: number): Promise<CarriedOutGroup>

  /** Commits the batch as a group of its own. Its steps are checked as they are made: `invalid` when one is wrong. */
  commitLarge(batch: LargeBatch): Promise<CarriedOutGroup>
}
