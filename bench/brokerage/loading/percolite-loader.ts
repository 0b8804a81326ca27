// SPDX-License-Identifier: Apache-2.0

import type { Storage } from '../../../storage/storage.ts'
import { createIndex, type NewTable, type SqlRow } from '../../../storage/tables/tables.ts'
import { Decimal } from '../../../storage/values/values.ts'
import {
  fillDataDirectory,
  insertRows,
  inTransaction,
  makeTable,
} from '../../embedded/data-directory.ts'
import type { BulkLoader } from '../engine.ts'
import { SCHEMA, TABLE_NAMES, type TableName } from '../schema/schema.ts'
import type { ColumnType, TableShape, Value } from '../schema/table-shape.ts'

/** Makes the tables and indexes in a new data directory, and fills them, before any server uses it. */
export async function loadDataDirectory(
  dataDirectory: string,
  fill: (loader: BulkLoader) => Promise<unknown>,
): Promise<void> {
  await fillDataDirectory(dataDirectory, async (storage) => {
    for (const table of TABLE_NAMES) await makeTable(storage, newTable(table))
    // An index that is there takes its entries with the rows, which is cheaper than reading them again.
    for (const table of TABLE_NAMES) await createIndexes(storage, table)
    await fill({
      async insertRows(table, rows) {
        const columns = Object.entries((SCHEMA[table] as TableShape).columns)
        const stored = (rows as readonly Readonly<Record<string, Value>>[]).map((row) =>
          columns.map(([column, type]) => sqlValue(row[column], type)),
        )
        await insertRows(storage, table, stored)
      },
    })
  })
}

async function createIndexes(storage: Storage, table: TableName): Promise<void> {
  for (const { name, columns, unique } of SCHEMA[table].indexes) {
    const parts = columns.map((column) => ({ column, descending: false }))
    const wanted = { name, table, parts, unique, storing: [] }
    const { index } = await inTransaction(storage, (transaction, catalog) =>
      createIndex(transaction, catalog, wanted, { ifNotExists: false }),
    )
    await storage.indexBuilt(index.id)
  }
}

/** In the storage layer an INTEGER is a bigint; all numbers of the workload are below 2^53. */
function sqlValue(value: Value | undefined, type: ColumnType): SqlRow[number] {
  if (value === undefined) throw new TypeError('a row lacks a column')
  if (value === null || type.startsWith('text')) return value
  return type.startsWith('cents') ? new Decimal(BigInt(value), AMOUNT.scale) : BigInt(value)
}

const AMOUNT = { precision: 18, scale: 2 }

function columnType(type: ColumnType): Pick<NewTable['columns'][number], 'type' | 'size'> {
  if (type.startsWith('cents')) return { type: 'DECIMAL', size: AMOUNT }
  return { type: type.startsWith('integer') ? 'INTEGER' : 'TEXT' }
}

function newTable(name: TableName): NewTable {
  const shape: TableShape = SCHEMA[name]
  return {
    name,
    columns: Object.entries(shape.columns).map(([column, type]) => ({
      name: column,
      ...columnType(type),
      notNull: !type.endsWith('?'),
    })),
    primaryKey: shape.primaryKey.map((column) => ({ column, descending: false })),
    families: shape.apart.map((column) => ({ name: `${column}_apart`, columns: [column] })),
  }
}
