// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import type { Transaction } from './transaction.ts'
import type { CommitOutcome } from './two-phase-commit.ts'

/** The transactions of this process: the open ones, and how the last ones ended. */
export class TransactionRegistry {
  readonly #active = new Map<string, Transaction>()
  readonly #ended = new Map<string, CommitOutcome>()

  begun(transaction: Transaction): void {
    this.#active.set(transaction.id, transaction)
  }

  ended(transaction: Transaction, outcome: CommitOutcome): void {
    this.#active.delete(transaction.id)
    this.#ended.set(transaction.id, outcome)
    if (this.#ended.size > ENDED_MAX) {
      const [oldest] = this.#ended.keys()
      this.#ended.delete(oldest as string)
    }
  }

  isActive(id: string): boolean {
    return this.#active.has(id)
  }

  /** Waits for the commits that are under way, however they end. */
  async commitsEnded(): Promise<void> {
    const committing = [...this.#active.values()].filter(({ state }) => state === 'committing')
    await Promise.allSettled(committing.map((transaction) => transaction.commit()))
  }

  outcome(id: string): CommitOutcome | undefined {
    return this.#ended.get(id)
  }

  get activeCount(): number {
    return this.#active.size
  }

  /** The start timestamp of the oldest open transaction; undefined when none is open. */
  oldestSnapshot(): Timestamp | undefined {
    let oldest: Timestamp | undefined
    for (const { startTs } of this.#active.values()) {
      if (oldest === undefined || startTs < oldest) oldest = startTs
    }
    return oldest
  }
}

const ENDED_MAX = 20_000
