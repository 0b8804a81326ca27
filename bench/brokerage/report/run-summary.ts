// SPDX-License-Identifier: Apache-2.0
import type { CheckResult } from '../checks/check.ts'
import type { TransactionFigures } from '../driver/tally.ts'
import { MIX_PERCENT } from '../driver/transaction-names.ts'

/** Everything that one run on one engine found out. */
export type RunSummary = {
  readonly engine: { readonly name: string; readonly description: string }
  readonly seconds: number
  readonly users: number
  /** Trade results per second that the size of the population is meant for. */
  readonly nominal: number
  readonly isPaced: boolean
  readonly transactions: readonly TransactionFigures[]
  readonly cpu: { readonly engine: number; readonly driver?: number }
  /** Limit orders that waited for their price when the time was over. */
  readonly waiting: number
  readonly cancelledBefore: number
  readonly cancelledAfter: number
  /** Requests of the engine's processes to a store on the network. */
  readonly storeRequests?: number
  readonly diskBytes: number
  readonly killed: boolean
  /** After the run, and again after the clean-up behind it; none without a database. */
  readonly checks: readonly CheckResult[]
  readonly checksAfterCleanup: readonly CheckResult[]
}

type Counts = Pick<RunSummary, 'transactions'>

/** How many transactions of the mix ended. */
export function transactionsOf({ transactions }: Counts): number {
  const ofMix = transactions.filter(({ name }) => MIX_PERCENT[name] !== undefined)
  return ofMix.reduce((sum, { ended }) => sum + ended, 0)
}

export function countOf({ transactions }: Counts, name: TransactionFigures['name']): number {
  return transactions.find((one) => one.name === name)?.ended ?? 0
}

/** Orders that were not taken back. */
export function committedOrders(counts: Counts): number {
  return countOf(counts, 'Trade-Order') - rolledBackOrders(counts)
}

export function rolledBackOrders({ transactions }: Counts): number {
  return transactions.find(({ name }) => name === 'Trade-Order')?.rolledBack ?? 0
}
