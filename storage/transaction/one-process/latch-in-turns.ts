// SPDX-License-Identifier: Apache-2.0
import { eventLoopTurn } from '../../cell-store/event-loop-turn.ts'
import type { CommitRequest } from '../protocol/transaction-protocol.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { type EncodedRow, encodeRow } from './encoded-row.ts'
import { findForeignLatch, type Obstacle } from './foreign-latch.ts'
import type { LatchOwner, LatchRequest } from './latches/latch-table.ts'
import { findVersion } from './one-phase-commit.ts'

/** Rows of a large commit that are checked in one turn, by default. */
export const COMMIT_TURN_ROWS = 256

/** Whether a commit has more rows than should be checked in one turn. */
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
 * Checks and latches the rows in slices of `commitTurnRows`, one turn each, without a commit timestamp, which is taken
 * when all are latched (I2). Resolves to the latched rows, or to the first obstacle with every latch released.
 */
export async function latchInTurns(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<Latched | Obstacle> {
  const { latches, commitTurnRows, cellStore } = context
  const { startTs } = request
  const rows: EncodedRow[] = []
  const owner = latches.latch(startTs, rows)
  try {
    for (let at = 0; at < request.rows.length; at += commitTurnRows) {
      const some = request.rows.slice(at, at + commitTurnRows)
      // Everything about a row that can fail fails here.
      const encoded = some.map((row) => encodeRow(row, startTs, cellStore.limits))
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

/** Each turn releases some latches, the first ones now: a later release is also correct (J5). */
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
