// SPDX-License-Identifier: Apache-2.0
import type { Increment } from '../../cell-store.ts'
import type { RowStep, StepList } from '../../embedded-cell-store.ts'
import type { Note } from '../../note.ts'
import type { SentError } from '../error.ts'

/** What is applied whole or not at all, as data that can be sent to the thread that writes. */
export type WriteBatch = StepsBatch | IncrementBatch

export type StepsBatch = {
  readonly kind: 'steps'
  readonly steps: readonly RowStep[]
  readonly note?: Note | undefined
}

/** A batch of so many steps that it is a group of its own and is put together over several turns. */
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
 * What became of a batch that is on disk: which steps matched, or the new values of the counters.
 * `null` where no step matched: most batches, and the cheapest to send.
 */
export type BatchSuccess = readonly boolean[] | readonly bigint[] | null

/**
 * - `invalid`: the row's own content forbade it; nothing of the batch was applied.
 * - `notApplied`: nothing of the batch was applied, and the connection is as before.
 * - `unknown`: COMMIT itself failed or the disk did; nothing can be trusted until the file is opened anew.
 */
export type BatchFailure = {
  readonly kind: 'invalid' | 'notApplied' | 'unknown'
  readonly cause: SentError
}

export type BatchResult = BatchSuccess | BatchFailure

export function isFailure(result: BatchResult): result is BatchFailure {
  return result !== null && 'kind' in result
}

/** A group that was carried out: one result for each batch, and how long it took in all. */
export type CarriedOutGroup = { readonly results: readonly BatchResult[]; readonly ms: number }

/**
 * Carries out groups of batches, in the order in which they are given. All that the queue knows of the
 * writer. After a result `unknown` nothing is applied any more, also of the groups that were given before it
 * was known.
 */
export interface GroupCommitter {
  /**
   * Rejects when nobody can say any more what became of the group. `encodedBytesMax` is the sum of what
   * `encodedBytesMax()` says of the batches.
   */
  commitGroup(batches: readonly WriteBatch[], encodedBytesMax: number): Promise<CarriedOutGroup>

  /** As a group of its own. Its steps are checked here: `invalid` when one is wrong. */
  commitLarge(batch: LargeBatch): Promise<CarriedOutGroup>
}
