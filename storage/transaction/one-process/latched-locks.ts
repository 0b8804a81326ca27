// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../cell-store/cell.ts'
import type { Chunk } from '../../cell-store/embedded-cell-store.ts'
import { eventLoopTurn } from '../../cell-store/event-loop-turn.ts'
import { rowKeyText } from '../../cell-store/row-key.ts'
import { invariant } from '../../invariant.ts'
import type { EmbeddedContext } from './embedded-context.ts'

/**
 * The rows with locks on disk, each of which must have its latch in the turn in which it is seen (J1):
 * reads look at latches alone, so a lock without one would hide nothing.
 */
export async function* latchedLocks(context: EmbeddedContext): AsyncGenerator<Row> {
  const { cellStore, latches } = context
  let rest: Chunk['rest'] = { start: new Uint8Array(), end: undefined }
  while (rest !== undefined) {
    const chunk: Chunk = cellStore.view.readChunk({
      start: rest.start,
      filter: [{ family: 'lock' }],
      rowsMax: CHUNK_ROWS,
      bytesMax: CHUNK_BYTES,
    })
    for (const { key, cells } of chunk.rows) {
      for (const { timestamp: startTs } of cells) {
        invariant(latches.isLatchedBy(key, startTs), 'J1', { startTs, row: rowKeyText(key) })
      }
    }
    yield* chunk.rows
    rest = chunk.rest
    if (rest !== undefined) await eventLoopTurn()
  }
}

/**
 * For garbage collection: every lock on disk has its latch, so the safe point, which passes no latch of
 * two-phase commit, passes no lock either. Rejects with InvariantViolation.
 */
export async function checkLocksAreLatched(context: EmbeddedContext): Promise<void> {
  for await (const _ of latchedLocks(context));
}

const CHUNK_ROWS = 512
const CHUNK_BYTES = 1024 * 1024
