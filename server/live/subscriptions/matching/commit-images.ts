// SPDX-License-Identifier: Apache-2.0
import { BatchSize } from '../../../../planner/planner.ts'
import type { ChangedRow, Storage, Timestamp, Transaction } from '../../../../storage/storage.ts'
import {
  type Catalog,
  decodePrimaryKey,
  getRows,
  type SqlRow,
} from '../../../../storage/tables/tables.ts'
import { inTransaction } from '../../../snapshot.ts'
import type { RowImages } from './row-change.ts'
import type { SubscriptionIndex } from './subscription-index.ts'
import type { TableSubscriptions } from './table-subscriptions.ts'

/** A changed row that some query may care for. */
export type ImagedRow = {
  /** Where it stands among the rows of the commit. */
  readonly position: number
  readonly key: Uint8Array
  readonly subscriptions: TableSubscriptions
  readonly images: RowImages
}

type Found = Omit<ImagedRow, 'images'>

/**
 * Resolves to what `work` makes of two snapshots: one right below the timestamp of a commit, and one at it. A
 * transaction that wrote before is settled, so neither has to wait for anybody. Rejects as `CommitImages.of`.
 */
export async function aroundCommit<T>(
  storage: Storage,
  commitTs: Timestamp,
  work: (before: Transaction, after: Transaction) => Promise<T>,
): Promise<T> {
  return await inTransaction(storage, { asOf: commitTs - 1 }, (before) =>
    inTransaction(storage, { asOf: commitTs }, (after) => work(before, after)),
  )
}

/** The rows of a commit before and after it. */
export class CommitImages {
  /** The definitions right after the commit; a commit that changes rows changes none of them. */
  readonly catalog: Catalog
  readonly #before: Transaction
  readonly #after: Transaction

  private constructor(catalog: Catalog, before: Transaction, after: Transaction) {
    this.catalog = catalog
    this.#before = before
    this.#after = after
  }

  /** Resolves to what `work` makes of them. Rejects with StorageError `snapshot_too_old` and with CellStoreError. */
  static async of<T>(
    storage: Storage,
    commitTs: Timestamp,
    work: (images: CommitImages) => Promise<T>,
  ): Promise<T> {
    return await aroundCommit(storage, commitTs, async (before, after) =>
      work(new CommitImages(await storage.catalog(after), before, after)),
    )
  }

  /** Those of the rows that a query of the index may care for, from that place on, in their order. */
  async *read(
    rows: readonly ChangedRow[],
    from: number,
    index: SubscriptionIndex,
  ): AsyncGenerator<ImagedRow, void, undefined> {
    const batch = new BatchSize()
    let found: Found[] = []
    for (let position = from; position < rows.length; position += 1) {
      const { key } = rows[position] as ChangedRow
      const subscriptions = index.concernedBy(key)
      if (subscriptions !== undefined) found.push({ position, key, subscriptions })
      if (found.length < batch.rows) continue
      yield* await this.#imagesOf(found, batch)
      found = []
    }
    if (found.length > 0) yield* await this.#imagesOf(found, batch)
  }

  async #imagesOf(found: readonly Found[], batch: BatchSize): Promise<ImagedRow[]> {
    const images: ImagedRow[] = []
    for (const [subscriptions, rows] of Map.groupBy(found, (row) => row.subscriptions)) {
      const { table, reads } = subscriptions
      const keys = rows.map(({ key }) => decodePrimaryKey(table, key))
      const before = await getRows(this.#before, table, keys, reads)
      const after = await getRows(this.#after, table, keys, reads)
      batch.learn(before)
      batch.learn(after)
      rows.forEach((row, position) => {
        const rowImages = { before: rowOf(before[position]), after: rowOf(after[position]) }
        images.push({ ...row, images: rowImages })
      })
    }
    return images.sort((a, b) => a.position - b.position)
  }
}

function rowOf(stored: { readonly row: SqlRow } | null | undefined): SqlRow | null {
  return stored?.row ?? null
}
