// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { SlottedSet } from '../collections/slotted-set.ts'
import type { TransactionEnd } from './protocol/transaction-protocol.ts'
import type { Transaction } from './transaction.ts'

/** The transactions of this process: the open ones, and the outcomes of the last ones. */
export class TransactionRegistry {
  readonly #active = new SlottedSet<Transaction>()
  readonly #ended = new Map<string, TransactionEnd>()

  begun(transaction: Transaction): void {
    this.#active.add(transaction)
  }

  ended(transaction: Transaction, end: TransactionEnd): void {
    this.#active.delete(transaction)
    // No client can ask about a transaction whose id was never given out.
    if (!transaction.hasId) return
    this.#ended.set(transaction.id, end)
    if (this.#ended.size > ENDED_MAX) {
      const [oldest] = this.#ended.keys()
      this.#ended.delete(oldest as string)
    }
  }

  isActive(id: string): boolean {
    for (const transaction of this.#active) {
      if (transaction.hasId && transaction.id === id) return true
    }
    return false
  }

  /** Waits for the commits under way, whatever their outcome. */
  async commitsEnded(): Promise<void> {
    const committing = [...this.#active].filter(({ state }) => state === 'committing')
    await Promise.allSettled(committing.map((transaction) => transaction.commit()))
  }

  endOf(id: string): TransactionEnd | undefined {
    return this.#ended.get(id)
  }

  get activeCount(): number {
    return this.#active.size
  }

  /** The start timestamp of the oldest open transaction; undefined when none is open. */
  oldestSnapshot(): Timestamp | undefined {
    let oldest: Timestamp | undefined
    for (const { startTs } of this.#active) {
      if (oldest === undefined || startTs < oldest) oldest = startTs
    }
    return oldest
  }
}

const ENDED_MAX = 20_000
