// SPDX-License-Identifier: Apache-2.0
import {
  type Catalog,
  changeRows,
  createIndex,
  createTable,
  type NewTable,
  openStorage,
  requireTable,
  type SqlRow,
  type Storage,
} from '../../../storage/storage.ts'
import type { BulkLoader } from '../engine.ts'
import { columnsOf, SCHEMA, TABLE_NAMES, type TableName } from '../schema/schema.ts'
import type { TableShape, Value } from '../schema/table-shape.ts'

type Transaction = Awaited<ReturnType<Storage['begin']>>

/**
 * Makes the tables in a new data directory, fills them and makes the indexes, before any server uses
 * it: through the door of the storage layer, in the same transactions that the server commits.
 */
export async function loadDataDirectory(
  dataDirectory: string,
  fill: (loader: BulkLoader) => Promise<unknown>,
): Promise<void> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  try {
    await loadStorage(storage, fill)
  } finally {
    await storage.close()
  }
}

/** The same in a storage layer that is open already. */
export async function loadStorage(
  storage: Storage,
  fill: (loader: BulkLoader) => Promise<unknown>,
): Promise<void> {
  for (const table of TABLE_NAMES) {
    await inTransaction(storage, (transaction, catalog) =>
      createTable(transaction, catalog, newTable(table), { ifNotExists: false }),
    )
  }
  // An index that is there takes its entries with the rows, which is cheaper than reading them again.
  for (const table of TABLE_NAMES) await createIndexes(storage, table)
  await fill({
    async insertRows(table, rows) {
      await insertRows(storage, table, rows as readonly Readonly<Record<string, Value>>[])
    },
  })
}

async function createIndexes(storage: Storage, table: TableName): Promise<void> {
  for (const { name, columns, unique } of SCHEMA[table].indexes) {
    const parts = columns.map((column) => ({ column, descending: false }))
    const { index } = await inTransaction(storage, (transaction, catalog) =>
      createIndex(
        transaction,
        catalog,
        { name, table, parts, unique, storing: [] },
        {
          ifNotExists: false,
        },
      ),
    )
    await storage.indexBuilt(index.id)
  }
}

async function insertRows(
  storage: Storage,
  tableName: TableName,
  rows: readonly Readonly<Record<string, Value>>[],
): Promise<void> {
  const columns = columnsOf(tableName)
  await inTransaction(storage, async (transaction, catalog) => {
    const table = requireTable(catalog, tableName)
    const isInteger = table.columns.map((column) => column.type === 'INTEGER')
    const changes = rows.map((row) => {
      const after = columns.map((column, place) =>
        sqlValue(row[column], isInteger[place] as boolean),
      )
      return { before: null, after: after as SqlRow }
    })
    await changeRows(transaction, table, changes)
  })
}

function sqlValue(value: Value | undefined, isInteger: boolean) {
  if (value === undefined) throw new TypeError('a row lacks a column')
  return value !== null && isInteger ? BigInt(value) : value
}

function newTable(name: TableName): NewTable {
  const shape: TableShape = SCHEMA[name]
  return {
    name,
    columns: Object.entries(shape.columns).map(([column, type]) => ({
      name: column,
      type: type.startsWith('integer') ? 'INTEGER' : 'TEXT',
      notNull: !type.endsWith('?'),
    })),
    primaryKey: shape.primaryKey.map((column) => ({ column, descending: false })),
    families: shape.apart.map((column) => ({ name: `${column}_apart`, columns: [column] })),
  }
}

async function inTransaction<Result>(
  storage: Storage,
  work: (transaction: Transaction, catalog: Catalog) => Promise<Result>,
): Promise<Result> {
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const result = await transaction.statement(() => work(transaction, catalog))
  await transaction.commit()
  return result
}
