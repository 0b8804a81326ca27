// SPDX-License-Identifier: Apache-2.0
import { type Catalog, CatalogReader } from '../../storage/tables/catalog/catalog.ts'
import { createTable } from '../../storage/tables/catalog/catalog-changes.ts'
import type { NewColumn, NewTable } from '../../storage/tables/new-table.ts'
import { FakeStore, type FakeTransaction } from './fake-transactions.ts'

export function column(name: string, type = 'INTEGER', more: Partial<NewColumn> = {}): NewColumn {
  return { name, type, notNull: false, ...more }
}

/** The catalog of a fake store, and each change of it as a transaction, for the tests of this folder. */
export class CatalogScene {
  readonly store = new FakeStore()
  readonly #reader = new CatalogReader()

  async createTable(newTable: NewTable): Promise<void> {
    await this.change((at, catalog) => createTable(at, catalog, newTable, { ifNotExists: false }))
  }

  async change<T>(work: (at: FakeTransaction, catalog: Catalog) => T | Promise<T>): Promise<T> {
    const transaction = this.store.begin()
    const result = await work(transaction, await this.catalog(transaction))
    transaction.commit()
    return result
  }

  async catalog(at = this.store.begin()): Promise<Catalog> {
    return await this.#reader.read(at)
  }
}
