// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { TransactionEnd } from '../../transactions/protocol/transaction-protocol.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { Catalog } from './catalog.ts'

/**
 * The newest catalog, for the only owner of a store: all changes of it go through this process, so between two of them
 * the newest one is known.
 *
 *     read at 100: version 40           a snapshot at 120 has version 40 too
 *     a change begins at 130            from now on every snapshot reads for itself
 *     it commits at 140; read at 150    version 140, for 150 and all later snapshots
 *
 * A change counts from the statement that makes it until its transaction has ended, which covers the
 * time in which it has a commit timestamp that a reader may not see yet. One whose outcome is not
 * known may come to be seen at any time, so after it nothing is taken as known any more.
 */
export class NewestCatalog {
  readonly #changing = new Set<Transaction>()
  /** No change has a later commit timestamp. */
  #changedAt: Timestamp
  #isInDoubt = false
  #known: { readonly since: Timestamp; readonly catalog: Catalog } | undefined

  /**
   * `openedAt` is not below any timestamp of earlier processes: what they changed last is not known
   * here, so a snapshot of before does not tell the newest catalog either.
   */
  constructor(openedAt: Timestamp) {
    this.#changedAt = openedAt
  }

  /** The newest one that is known. */
  get known(): { readonly catalog: Catalog } | undefined {
    return this.#known
  }

  /** The catalog of a snapshot, when it is known without a look at the store. */
  at(startTs: Timestamp): Catalog | undefined {
    if (this.#known === undefined || startTs < this.#known.since) return undefined
    return this.#known.catalog
  }

  /** What the store had at a snapshot, to be told when it has been read. */
  wasRead(startTs: Timestamp, catalog: Catalog): void {
    if (this.#isInDoubt || this.#changing.size > 0 || startTs < this.#changedAt) return
    if (this.#known === undefined) this.#known = { since: startTs, catalog }
  }

  /** A transaction has changed the catalog, for itself so far. */
  isChangedBy(transaction: Transaction): void {
    this.#changing.add(transaction)
    this.#known = undefined
  }

  ended(transaction: Transaction, end: TransactionEnd): void {
    if (!this.#changing.delete(transaction)) return
    if (end.kind === 'unknown') this.#isInDoubt = true
    if (end.kind === 'committed') this.#changedAt = Math.max(this.#changedAt, end.commitTs)
  }
}
