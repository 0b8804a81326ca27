// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../../storage/storage.ts'

/** What makes a transaction the run of an observer: see `docs/observers.md`. */
export interface ObserverRun {
  /** How long it may be without a request, where that is longer than for other transactions. */
  readonly leaseMs: number
  /**
   * In the transaction, before its commit: what it sees of the changes will be acknowledged with it.
   * Throws `already_observed`, and `transaction_busy` while another transaction is the run.
   */
  acknowledge(transaction: Transaction): Promise<void>
  committed(): void
  /** The transaction has ended, and not by a commit. */
  notCommitted(error: unknown): void
}
