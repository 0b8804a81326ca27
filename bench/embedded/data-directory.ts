// SPDX-License-Identifier: Apache-2.0

import { type MaybePromise, openStorage, type Storage } from '../../storage/storage.ts'
import {
  type Catalog,
  changeRows,
  createTable,
  type NewTable,
  requireTable,
  type SqlRow,
} from '../../storage/tables/tables.ts'

type Transaction = Awaited<ReturnType<Storage['begin']>>

/**
 * Lets `fill` write a new data directory before any server uses it: through the door of the storage
 * layer, in the same transactions that the server commits.
 */
export async function fillDataDirectory(
  dataDirectory: string,
  fill: (storage: Storage) => Promise<void>,
): Promise<void> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  try {
    await fill(storage)
  } finally {
    await storage.close()
  }
}

export async function makeTable(storage: Storage, table: NewTable): Promise<void> {
  await inTransaction(storage, (transaction, catalog) =>
    createTable(transaction, catalog, table, { ifNotExists: false }),
  )
}

/** Whole rows that are not there yet, in one transaction. */
export async function insertRows(
  storage: Storage,
  table: string,
  rows: readonly SqlRow[],
): Promise<void> {
  const changes = rows.map((after) => ({ before: null, after }))
  await inTransaction(storage, (transaction, catalog) =>
    changeRows(transaction, requireTable(catalog, table), changes),
  )
}

export async function inTransaction<Result>(
  storage: Storage,
  work: (transaction: Transaction, catalog: Catalog) => MaybePromise<Result>,
): Promise<Result> {
  const transaction = await storage.begin()
  try {
    const catalog = await storage.catalog(transaction)
    const result = await transaction.statement(() => work(transaction, catalog))
    await transaction.commit()
    return result
  } finally {
    transaction.rollback()
  }
}
