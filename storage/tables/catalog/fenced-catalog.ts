// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { MaybePromise } from '../../maybe-promise.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { Catalog, CatalogReader } from './catalog.ts'

/** What was read at a snapshot, and is known from then on. */
export type KnownCatalog = { readonly since: Timestamp; readonly catalog: Catalog }

/**
 * The newest catalog that a gateway has read, and which snapshots certainly have it, without a look at the store: their
 * stamp brings the catalog's fence.
 *
 * A transaction that changes the catalog raises that fence twice (rule F1): after its locks stand and before its
 * commit timestamp is taken, and to that timestamp before its commit point. Let a catalog be read at S0, and a stamp
 * S be asked for after that, whose fence is at or below S0. Then no change committed in (S0, S] (F3): its first
 * raise lies before S, so it was to a timestamp at or below S0; so its lock stood when S0 was taken, and the read at
 * S0 waited for its commit point; so its second raise, to above S0, came before S as well.
 */
export class FencedCatalog {
  #known: KnownCatalog | undefined
  readonly #catalogs = new WeakMap<Transaction, Catalog>()
  readonly #reader: CatalogReader

  constructor(reader: CatalogReader) {
    this.#reader = reader
  }

  /** To be taken before the stamp of a transaction is asked for. */
  get known(): KnownCatalog | undefined {
    return this.#known
  }

  /** A transaction has begun; `fence` came with its stamp, and `known` was known before. */
  begun(
    transaction: Transaction,
    known: KnownCatalog | undefined,
    fence: Timestamp | undefined,
  ): void {
    if (known === undefined || fence === undefined) return
    if (transaction.startTs < known.since || fence > known.since) return
    this.#catalogs.set(transaction, known.catalog)
  }

  /** The catalog of its snapshot, its own changes on top: without waiting where it is known, else read. */
  of(transaction: Transaction): MaybePromise<Catalog> {
    const known = transaction.changesCatalog ? undefined : this.#catalogs.get(transaction)
    return known ?? this.#read(transaction)
  }

  async #read(transaction: Transaction): Promise<Catalog> {
    const catalog = await this.#reader.read(transaction)
    const { startTs, changesCatalog } = transaction
    const isNewer = startTs > (this.#known?.since ?? 0)
    if (isNewer && !changesCatalog) this.#known = { since: startTs, catalog }
    return catalog
  }
}
