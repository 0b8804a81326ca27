// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { writeRefusalOf } from '../../cells/disk-full.ts'
import type { Clock } from '../../clock.ts'
import { intact } from '../../invariant.ts'
import type { Randomness } from '../../randomness.ts'
import { askedAgain, NEVER_ABORTED } from '../oracle/asked-again.ts'
import { raiseCounter, readOracleState } from '../oracle/oracle-row.ts'
import { beginEpoch, readEpochs } from './epochs.ts'
import { addFeature, requireKnownFeatures } from './format-features.ts'
import {
  type CurrentHistory,
  putFirstHistory,
  readHistoryRows,
  replaceHistory,
} from './history-rows.ts'
import { StoreHistory } from './store-history.ts'

export type HistoryDependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly randomness: Randomness
}

const ID_BYTES = 16

/**
 * The history of the store, made when there is none: by whichever process opens a new store first, and of
 * an older store, from before there were histories, at its first open. Finishes a renewal that was cut
 * off. To be called before an oracle is opened: no timestamp at or below `from` is given out any more (H2).
 * Rejects with CellStoreError, and StorageError `data_directory_unusable` for the store of a later version.
 */
export async function openHistory(deps: HistoryDependencies): Promise<StoreHistory> {
  const { cellStore, clock } = deps
  return await askedAgain(clock, NEVER_ABORTED, async () => {
    await requireKnownFeatures(cellStore)
    const found = await readHistoryRows(cellStore)
    if (found.current === undefined) {
      await putFirstHistory(cellStore, await firstHistory(deps))
      return settledHistory(deps)
    }
    return await settledHistory(deps, found)
  })
}

/**
 * The same for the one owner of the store, who begins an epoch of it. A store without room for that can still be read,
 * and names no epoch then.
 */
export async function openOwnHistory(deps: HistoryDependencies): Promise<StoreHistory> {
  const { cellStore, clock, randomness } = deps
  const history = await openHistory(deps)
  try {
    return await askedAgain(clock, NEVER_ABORTED, async () => {
      await addFeature(cellStore, 'epochs')
      return history.within(await beginEpoch(cellStore, randomness))
    })
  } catch (error) {
    if (writeRefusalOf(error) === undefined) throw error
    return history
  }
}

/** The history of a store that follows another, which is only read. Rejects as `openHistory`. */
export async function readFollowedHistory(cellStore: CellStore): Promise<StoreHistory> {
  await requireKnownFeatures(cellStore)
  const { current, gaps } = await readHistoryRows(cellStore)
  intact(current !== undefined, 'H1', { missing: 'history/current' })
  const epochs = (await readEpochs(cellStore)).continued()
  return new StoreHistory(current.id, current.from, gaps, epochs)
}

/** An oracle that has given nothing out yet is that of a new store. */
async function firstHistory({
  cellStore,
  clock,
  randomness,
}: HistoryDependencies): Promise<CurrentHistory> {
  const { timestamp } = await readOracleState(cellStore)
  const from = timestamp === 0 ? Math.max(1, clock.wallMicros()) : 0
  return { id: newHistoryId(randomness), from }
}

/** Finishes what is begun, and raises the oracle to where this history begins. */
async function settledHistory(
  deps: HistoryDependencies,
  known?: Awaited<ReturnType<typeof readHistoryRows>>,
): Promise<StoreHistory> {
  const { cellStore, randomness } = deps
  const { current, gaps } = known ?? (await readHistoryRows(cellStore))
  intact(current !== undefined, 'H1', { missing: 'history/current' })
  const until = gaps.at(-1)?.until ?? 0
  if (until > current.from) {
    const to = { id: newHistoryId(randomness), from: until }
    await replaceHistory(cellStore, { from: current, to })
    return settledHistory(deps)
  }
  const { timestamp } = await readOracleState(cellStore)
  if (timestamp < current.from) await raiseCounter(cellStore, 'timestamp', current.from)
  return new StoreHistory(current.id, current.from, gaps, await readEpochs(cellStore))
}

function newHistoryId(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(ID_BYTES)).toString('hex')
}
