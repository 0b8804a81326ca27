// SPDX-License-Identifier: Apache-2.0
import { eventLoopTurn } from '../../cell-store/event-loop-turn.ts'
import type { CommitRequest } from '../protocol/transaction-protocol.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { type EncodedRow, encodeRow } from './encoded-row.ts'
import { findForeignLatch, type Obstacle } from './foreign-latch.ts'
import type { LatchOwner, LatchRequest } from './latches/latch-table.ts'
import { findVersion } from './one-phase-commit.ts'

/** How many rows of a large commit are looked at in one turn, where nothing else is asked for. */
export const COMMIT_TURN_ROWS = 256

/** Whether a commit has more than should be looked at in one turn. */
export function isLarge(
  { commitTurnRows }: EmbeddedContext,
  { rows, hints }: CommitRequest,
): boolean {
  return rows.length + hints.length > commitTurnRows
}

/** All rows of a transaction, in the order of their keys. */
export type Latched = {
  readonly kind: 'latched'
  readonly owner: LatchOwner
  readonly rows: readonly EncodedRow[]
}

/**
 * Looks at some rows each turn and latches them, without a commit timestamp, which is taken when all are
 * latched (I2). Resolves to all rows latched; or to what stands in the way, and none.
 */
export async function latchInTurns(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<Latched | Obstacle> {
  const { latches, commitTurnRows } = context
  const { startTs } = request
  const rows: EncodedRow[] = []
  const owner = latches.latch(startTs, rows)
  try {
    for (let at = 0; at < request.rows.length; at += commitTurnRows) {
      const some = request.rows.slice(at, at + commitTurnRows)
      // What can fail of a row fails here.
      const encoded = some.map((row) => encodeRow(row, startTs))
      const obstacle =
        findForeignLatch(latches, encoded, startTs) ??
        findVersion(context, { request, rows: encoded })
      if (obstacle !== undefined) {
        latches.release(owner, rows)
        return obstacle
      }
      latches.add(owner, encoded)
      rows.push(...encoded)
      await eventLoopTurn()
    }
  } catch (error) {
    latches.release(owner, rows)
    throw error
  }
  return { kind: 'latched', owner, rows }
}

/** Some latches go each turn, the first ones in this turn: one that goes later is right too (J5). */
export async function releaseInTurns(
  { latches, commitTurnRows }: EmbeddedContext,
  owner: LatchOwner,
  rows: readonly LatchRequest[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += commitTurnRows) {
    if (at > 0) await eventLoopTurn()
    latches.release(owner, rows.slice(at, at + commitTurnRows))
  }
}
