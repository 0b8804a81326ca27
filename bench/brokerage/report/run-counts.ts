// SPDX-License-Identifier: Apache-2.0
import type { TransactionFigures } from '../driver/tally.ts'
import { MIX_PERCENT } from '../driver/transaction-names.ts'

type Counts = { readonly transactions: readonly TransactionFigures[] }

/** How many transactions of the mix ended. */
export function transactionsOf({ transactions }: Counts): number {
  return transactions
    .filter(({ name }) => MIX_PERCENT[name] !== undefined)
    .reduce((sum, { ended }) => sum + ended, 0)
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
