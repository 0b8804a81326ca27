// SPDX-License-Identifier: Apache-2.0

import { nextTurn } from '../../../turns/turns.ts'
import type { RowStep } from '../../cell-store.ts'
import { decodeGroup, encodedBytesMax, encodeGroup } from './group-encoding.ts'
import type { LargeBatch, StepsBatch, WriteBatch } from './write-batch.ts'

/** Steps that are made, checked and encoded in one turn of the event loop. */
const TURN_STEPS_MAX = 256
const TURN_BYTES_MAX = 1024 * 1024

/**
 * The encoded parts of a batch that is too long for one turn. Rejects with CellStoreError `invalid` when one of its
 * steps is wrong, which shows when they are made.
 */
export async function encodeInTurns(
  batch: LargeBatch,
): Promise<ReadonlyArray<Uint8Array<ArrayBuffer>>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let part: RowStep[] = []
  let bytes = 0
  for (const step of batch.steps) {
    part.push(step)
    bytes += encodedBytesMax(batchOf([step]))
    if (part.length < TURN_STEPS_MAX && bytes < TURN_BYTES_MAX) continue
    parts.push(encodeGroup([batchOf(part)], bytes))
    part = []
    bytes = 0
    await nextTurn()
  }
  const last: StepsBatch = { kind: 'steps', steps: part, note: batch.note }
  const isEmpty = part.length === 0 && batch.note === undefined
  if (!isEmpty) parts.push(encodeGroup([last], encodedBytesMax(last)))
  return parts
}

/** The decoded batch, in the writer thread. */
export function decodeLarge(parts: readonly Uint8Array[]): WriteBatch {
  const batches = parts.flatMap(decodeGroup).filter((batch) => batch.kind === 'steps')
  const steps = batches.flatMap((batch) => batch.steps)
  return { kind: 'steps', steps, note: batches.at(-1)?.note }
}

function batchOf(steps: readonly RowStep[]): StepsBatch {
  return { kind: 'steps', steps }
}
