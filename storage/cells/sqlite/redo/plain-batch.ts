// SPDX-License-Identifier: Apache-2.0
import type { Mutation, SetCell } from '../../mutation.ts'
import type { LargeBatch, StepsBatch, WriteBatch } from '../groups/write-batch.ts'
import { PAGE_BYTES } from '../schema.ts'

/** A group that goes to the redo log is not made larger than this, by `encodedBytesMax`. */
export const RECORD_GROUP_BYTES_MAX = 512 * 1024

/** A longer value gains nothing by being written twice: it fills pages of its own. */
const PLAIN_VALUE_BYTES_MAX = PAGE_BYTES

/** A batch that waits for its turn, with its `encodedBytesMax`. */
export type QueuedBatch = { readonly batch: WriteBatch | LargeBatch; readonly bytes: number }

/** A batch that only sets cells, whatever is there, and at least one. */
export type PlainBatch = Pick<StepsBatch, 'note'> & {
  readonly steps: readonly { readonly row: Uint8Array; readonly otherwise: readonly SetCell[] }[]
}

export function isPlain({ batch, bytes }: QueuedBatch): boolean {
  if (batch.kind !== 'steps' || bytes > RECORD_GROUP_BYTES_MAX) return false
  let setsCells = batch.note !== undefined
  for (const { when, otherwise } of batch.steps) {
    if (when.length > 0 || !otherwise.every(isPlainCell)) return false
    if (otherwise.length > 0) setsCells = true
  }
  return setsCells
}

function isPlainCell(mutation: Mutation): boolean {
  return mutation.kind === 'setCell' && mutation.value.length <= PLAIN_VALUE_BYTES_MAX
}
