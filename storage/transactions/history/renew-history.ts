// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { noteRowKey, timestampOfNoteRow } from '../../cells/note.ts'
import { notedAtOf, sharedLogRanges } from '../feed/shared-log-row.ts'
import { type OracleState, readOracleState } from '../oracle/oracle-row.ts'
import { putGap } from './history-rows.ts'
import { type HistoryDependencies, openHistory } from './open-history.ts'
import type { StoreHistory } from './store-history.ts'

/**
 * How far above the clock a renewed history begins. What is lost may have been ahead of the clock: by the
 * second that the oracle's mark is ahead, once more for each time that the process was killed.
 */
const ABOVE_CLOCK_MICROS = 10_000_000

export type RenewedHistory = { readonly before: StoreHistory; readonly now: StoreHistory }

/**
 * Gives the store another history, after a copy of it was put in its place: what was committed after the copy was taken
 * is lost, and its timestamps must not be taken for positions here. Must be called while the store is not in use. An
 * interrupted renewal is finished by the next open. Rejects with CellStoreError.
 *
 *     the copy    commits up to 150, mark 160, clock 190
 *     renewed     from 200, gap (150, 200)
 */
export async function renewHistory(deps: HistoryDependencies): Promise<RenewedHistory> {
  const { cellStore, clock } = deps
  const before = await openHistory(deps)
  const oracle = await readOracleState(cellStore)
  const { timestamp: mark } = oracle
  const after = Math.max(before.from, await completeUpTo(cellStore, oracle))
  const until = Math.max(mark, clock.wallMicros() + ABOVE_CLOCK_MICROS, after) + 1
  let number = before.gaps.length
  // So far `from` has said alone what lies before the store; now it says something else.
  if (number === 0 && before.from > 0) {
    number += 1
    await putGap(cellStore, number, { after: 0, until: before.from })
  }
  await putGap(cellStore, number + 1, { after, until })
  // The gap ends above the history that it belongs to, so this makes the next one.
  return { before, now: await openHistory(deps) }
}

/**
 * A timestamp up to which the store has every commit that was ever acknowledged. Its newest commit is not
 * always one: where a lock stands, its transaction may have committed after the copy was taken. Without
 * locks the commits of a store with one owner are durable in the order of their timestamps (J4).
 */
export async function completeUpTo(
  cellStore: CellStore,
  { timestamp: mark, safePoint }: OracleState,
): Promise<Timestamp> {
  const newest = Math.max(safePoint, await newestLogged(cellStore, mark))
  let oldestLock = Infinity
  for await (const { cells } of cellStore.scanRows({
    start: new Uint8Array(),
    filter: [{ family: 'lock' }],
  })) {
    for (const { timestamp } of cells) oldestLock = Math.min(oldestLock, timestamp)
  }
  return Math.min(newest, oldestLock)
}

/** The newest timestamp under which the log has something, in either of its forms. Rejects with CellStoreError. */
export async function newestLogged(cellStore: CellStore, mark: Timestamp): Promise<Timestamp> {
  let newest = 0
  const notes = { start: noteRowKey(0), end: noteRowKey(mark + 1) }
  const last = { reverse: true, limit: 1 } as const
  for await (const { key } of cellStore.scanRows({ ...notes, ...last, filter: [DATA] })) {
    newest = timestampOfNoteRow(key)
  }
  const filter = [{ family: 'lock' }, { family: 'write' }] as const
  for (const range of sharedLogRanges(0, Number.MAX_SAFE_INTEGER - 1)) {
    for await (const { key } of cellStore.scanRows({ ...range, ...last, filter })) {
      newest = Math.max(newest, notedAtOf(key))
    }
  }
  return newest
}

const DATA = { family: 'data' } as const
