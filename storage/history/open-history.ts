// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../cell-store/cell-store.ts'
import type { Clock } from '../clock.ts'
import { invariant } from '../invariant.ts'
import { askedAgain, NEVER_ABORTED } from '../oracle/asked-again.ts'
import { raiseCounter, readOracleState } from '../oracle/oracle-row.ts'
import type { Randomness } from '../randomness.ts'
import {
  type CurrentHistory,
  putFirstHistory,
  readHistoryRows,
  replaceHistory,
} from './history-rows.ts'
import { StoreHistory } from './store-history.ts'

export type HistoryOutside = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly randomness: Randomness
}

const ID_BYTES = 16

/**
 * The history of the store, made when there is none: by whichever process opens a new store first, and of
 * an older store, from before there were histories, at its first open. Finishes a renewal that was cut
 * off. To be called before an oracle is opened: no timestamp at or below `from` is given out any more (H2).
 * Rejects with CellStoreError.
 */
export async function openHistory(outside: HistoryOutside): Promise<StoreHistory> {
  const { cellStore, clock } = outside
  return await askedAgain(clock, NEVER_ABORTED, async () => {
    const found = await readHistoryRows(cellStore)
    if (found.current === undefined) {
      await putFirstHistory(cellStore, await firstHistory(outside))
      return settledHistory(outside)
    }
    return await settledHistory(outside, found)
  })
}

/** An oracle that has given nothing out yet is that of a new store. */
async function firstHistory({
  cellStore,
  clock,
  randomness,
}: HistoryOutside): Promise<CurrentHistory> {
  const { timestamp } = await readOracleState(cellStore)
  const from = timestamp === 0 ? Math.max(1, clock.wallMicros()) : 0
  return { id: newHistoryId(randomness), from }
}

/** Finishes what is begun, and raises the oracle to where this history begins. */
async function settledHistory(
  outside: HistoryOutside,
  known?: Awaited<ReturnType<typeof readHistoryRows>>,
): Promise<StoreHistory> {
  const { cellStore, randomness } = outside
  const { current, gaps } = known ?? (await readHistoryRows(cellStore))
  invariant(current !== undefined, 'H1', { missing: 'history/current' })
  const until = gaps.at(-1)?.until ?? 0
  if (until > current.from) {
    const to = { id: newHistoryId(randomness), from: until }
    await replaceHistory(cellStore, { from: current, to })
    return settledHistory(outside)
  }
  const { timestamp } = await readOracleState(cellStore)
  if (timestamp < current.from) await raiseCounter(cellStore, 'timestamp', current.from)
  return new StoreHistory(current.id, current.from, gaps)
}

function newHistoryId(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(ID_BYTES)).toString('hex')
}
