// SPDX-License-Identifier: Apache-2.0
import type { SetCell } from '../../mutation.ts'
import type { LargeBatch, StepsBatch, WriteBatch } from '../groups/write-batch.ts'
import { PAGE_BYTES } from '../schema.ts'

/** A group that goes to the redo log is not made larger than this, by `encodedBytesMax`. */
export const RECORD_GROUP_BYTES_MAX = 512 * 1024

/** Longer rows gain nothing by being written twice: they fill pages of their own. */
const PLAIN_ROW_BYTES_MAX = PAGE_BYTES

/** A batch that waits for its turn, with its `encodedBytesMax`. */
export type QueuedBatch = { readonly batch: WriteBatch | LargeBatch; readonly bytes: number }

/** A batch that only sets cells, whatever is there, and at least one. */
export type PlainBatch = Pick<StepsBatch, 'note'> & {
  readonly steps: readonly { readonly row: Uint8Array; readonly otherwise: readonly SetCell[] }[]
}

export function isPlain({ batch, bytes }: QueuedBatch): boolean {
  if (batch.kind !== 'steps' || bytes > RECORD_GROUP_BYTES_MAX) return false
  if (bytes > PLAIN_ROW_BYTES_MAX * Math.max(batch.steps.length, 1)) return false
  let setsCells = batch.note !== undefined
  for (const { when, otherwise } of batch.steps) {
    if (when.length > 0 || otherwise.some(({ kind }) => kind !== 'setCell')) return false
    if (otherwise.length > 0) setsCells = true
  }
  return setsCells
}
