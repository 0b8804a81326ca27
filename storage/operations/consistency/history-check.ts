// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { InvariantViolation } from '../../invariant.ts'
import { FEED_BEGINS_ROW, readFeedBegins } from '../../transactions/feed/feed-begins.ts'
import { CURRENT_ROW, readHistoryRows } from '../../transactions/history/history-rows.ts'
import { StoreHistory } from '../../transactions/history/store-history.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { readFences } from './store-rows.ts'

/**
 * H1, H2 and J12: the rows that say which timestamps are the store's own, and where its log begins. A store
 * that no server has opened since there are such rows has none, and one may be between two histories.
 */
export async function checkHistoryRows(cellStore: CellStore): Promise<ConsistencyProblem[]> {
  return [...(await checkHistory(cellStore)), ...(await checkBeginning(cellStore))]
}

async function checkHistory(cellStore: CellStore): Promise<ConsistencyProblem[]> {
  const problem = (rule: string, message: string) => [{ rule, row: CURRENT_ROW, message }]
  try {
    const { current, gaps } = await readHistoryRows(cellStore)
    if (current === undefined) {
      return gaps.length === 0 ? [] : problem('H1', 'There are gaps, and no history.')
    }
    const { mark } = await readFences(cellStore)
    new StoreHistory(current.id, Math.max(current.from, gaps.at(-1)?.until ?? 0), gaps)
    // A process that died while it made the store had no time to raise the mark; the next start does.
    if (mark === 0 || mark >= current.from) return []
    return problem('H2', `It begins at ${current.from}, above ${mark}, the newest timestamp.`)
  } catch (error) {
    if (error instanceof RangeError) return problem('H1', 'A row of the history is too short.')
    if (!(error instanceof InvariantViolation)) throw error
    return problem('H1', `The history cannot be read: ${error.message}`)
  }
}

async function checkBeginning(cellStore: CellStore): Promise<ConsistencyProblem[]> {
  const problem = (message: string) => [{ rule: 'J12', row: FEED_BEGINS_ROW, message }]
  try {
    const { at } = (await readFeedBegins(cellStore)) ?? { at: 0 }
    const { mark } = await readFences(cellStore)
    if (mark === 0 || at <= mark) return []
    return problem(`The log begins at ${at}, above ${mark}, the newest timestamp.`)
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error
    return problem(`Where the log begins cannot be read: ${error.message}`)
  }
}
