// SPDX-License-Identifier: Apache-2.0
import { eventLoopTurn } from '../../cell-store/event-loop-turn.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'
import type { CommitRequest } from '../protocol/transaction-protocol.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { findForeignLatch, type Obstacle } from './foreign-latch.ts'
import type { LatchOwner, LatchRequest } from './latches/latch-table.ts'

/** How many rows of a large commit are looked at in one turn, where nothing else is asked for. */
export const COMMIT_TURN_ROWS = 256

/** Whether a commit has more than should be looked at in one turn. */
export function isLarge(
  { commitTurnRows }: EmbeddedContext,
  { rows, hints }: CommitRequest,
): boolean {
  return rows.length + hints.length > commitTurnRows
}

/** A row that is about to be latched. */
type Latchable = LatchRequest & { readonly row: Uint8Array }

/** All rows of a transaction, in the order of their keys. */
export type Latched<Row> = {
  readonly kind: 'latched'
  readonly owner: LatchOwner
  readonly rows: readonly Row[]
}

/** How a way to commit looks at its rows. */
type Looks<Row> = {
  /** What can fail of a row fails here. */
  readonly encode: (row: BufferedRow) => Row
  /** A version or a guard's stamp since the snapshot, of rows that nobody has latched. */
  readonly findVersion: (rows: readonly Row[]) => Obstacle | undefined
}

/**
 * Looks at some rows each turn and latches them, without a commit timestamp, which is taken when all are
 * latched (I2). Resolves to all rows latched; or to what stands in the way, and none.
 */
export async function latchInTurns<Row extends Latchable>(
  context: EmbeddedContext,
  request: CommitRequest,
  { encode, findVersion }: Looks<Row>,
): Promise<Latched<Row> | Obstacle> {
  const { latches, commitTurnRows } = context
  const { startTs } = request
  const rows: Row[] = []
  const owner = latches.latch(startTs, rows)
  try {
    for (let at = 0; at < request.rows.length; at += commitTurnRows) {
      const encoded = request.rows.slice(at, at + commitTurnRows).map(encode)
      const obstacle = findForeignLatch(latches, encoded, startTs) ?? findVersion(encoded)
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
