// SPDX-License-Identifier: Apache-2.0
import type { SetCell } from '../../mutation.ts'
import type { LargeBatch, StepsBatch, WriteBatch } from '../groups/write-batch.ts'

/**
 * A batch that is longer gains nothing by being written twice: it fills pages of its own, or has so many cells that
 * a sync is little compared with them.
 */
const PLAIN_BYTES_MAX = 4 * 1024

/** A batch that waits for its turn, with its `encodedBytesMax`. */
export type QueuedBatch = { readonly batch: WriteBatch | LargeBatch; readonly bytes: number }

/** A short batch that only sets cells, whatever is there, and at least one. */
export type PlainBatch = Pick<StepsBatch, 'note'> & {
  readonly steps: readonly { readonly row: Uint8Array; readonly otherwise: readonly SetCell[] }[]
}

export function isPlain({ batch, bytes }: QueuedBatch): boolean {
  if (batch.kind !== 'steps' || bytes > PLAIN_BYTES_MAX) return false
  let setsCells = batch.note !== undefined
  for (const { when, otherwise } of batch.steps) {
    if (when.length > 0 || otherwise.some(({ kind }) => kind !== 'setCell')) return false
    if (otherwise.length > 0) setsCells = true
  }
  return setsCells
}
