// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { MaybePromise } from '../../maybe-promise.ts'
import { nextTurn } from '../../turns/turns.ts'
import type { CommitRequest } from '../protocol/transaction-protocol.ts'
import { findForeignLatch, findVersion, type Obstacle } from './conflicts.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { type EncodedRow, encodeRow } from './encoded-row.ts'
import type { LatchOwner } from './latches/latch-table.ts'

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
        findForeignLatch(latches, encoded, startTs) ?? findVersion(context, encoded, startTs)
      if (obstacle !== undefined) {
        latches.release(owner, rows)
        return obstacle
      }
      latches.add(owner, encoded)
      rows.push(...encoded)
      await nextTurn()
    }
  } catch (error) {
    latches.release(owner, rows)
    throw error
  }
  return { kind: 'latched', owner, rows }
}

/** `commitTs` where the rows are committed. */
type Settled = Pick<Latched, 'owner' | 'rows'> & { readonly commitTs: Timestamp | undefined }

/** Releases the latches, those of a large commit some each turn, the first ones now. A later one is correct (J5). */
export function releaseRows(context: EmbeddedContext, settled: Settled): MaybePromise<void> {
  const { owner, rows, commitTs } = settled
  if (rows.length > context.commitTurnRows) return releaseInTurns(context, settled)
  const { latches } = context
  latches.release(owner, rows)
  if (commitTs !== undefined) for (const row of rows) latches.newest.wasCommitted(row, commitTs)
}

/**
 * The records of its rows are not kept in memory, where a load of many rows would take the place of those that are
 * read. Each comes back when it is read.
 */
async function releaseInTurns(
  { latches, commitTurnRows }: EmbeddedContext,
  { owner, rows }: Settled,
): Promise<void> {
  for (let at = 0; at < rows.length; at += commitTurnRows) {
    if (at > 0) await nextTurn()
    latches.release(owner, rows.slice(at, at + commitTurnRows))
  }
}
