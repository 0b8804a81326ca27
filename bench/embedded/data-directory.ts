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
import type { Surroundings } from '../harness/experiment.ts'

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

/** Of columns by their names; a `?` says that one may be NULL. */
export function tableOf(
  name: string,
  columns: Readonly<Record<string, 'integer' | 'integer?' | 'text' | 'text?'>>,
  primaryKey: readonly string[],
  families: NewTable['families'] = [],
): NewTable {
  return {
    name,
    columns: Object.entries(columns).map(([column, type]) => ({
      name: column,
      type: type.startsWith('integer') ? 'INTEGER' : 'TEXT',
      notNull: !type.endsWith('?'),
    })),
    primaryKey: primaryKey.map((column) => ({ column, descending: false })),
    families,
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

const ROWS_PER_TRANSACTION = 1_000

/** Any number of rows that are not there yet, by transactions of a thousand; says how many there are. */
export async function insertAll(
  storage: Storage,
  table: string,
  rows: Iterable<SqlRow>,
  { signal, say }: Pick<Surroundings, 'signal' | 'say'>,
): Promise<void> {
  let batch: SqlRow[] = []
  let written = 0
  const flush = async () => {
    signal.throwIfAborted()
    await insertRows(storage, table, batch)
    written += batch.length
    batch = []
    say(`${written.toLocaleString('en')} rows of ${table}`)
  }
  for (const row of rows) {
    if (batch.push(row) === ROWS_PER_TRANSACTION) await flush()
  }
  if (batch.length > 0) await flush()
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
