// SPDX-License-Identifier: Apache-2.0
import type { Client } from 'pg'
import type { BulkLoader } from '../engine.ts'
import { createIndexStatements, createTableStatements } from '../schema/create-statements.ts'
import { columnsOf, SCHEMA, type TableName } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'

/** Makes the tables, fills them, makes the indexes, and lets the planner know what is there. */
export async function loadPostgres(
  client: Client,
  fill: (loader: BulkLoader) => Promise<unknown>,
): Promise<void> {
  for (const statement of createTableStatements('postgresql')) await client.query(statement)
  await fill({
    async insertRows(table, rows) {
      const columns = columnsOf(table).map((column) => rows.map((row) => row[column] as Value))
      await client.query({ name: `load_${table}`, text: insertText(table), values: columns })
    },
  })
  for (const statement of createIndexStatements()) await client.query(statement)
  await client.query('VACUUM ANALYZE')
}

/** One array for each column: a batch is one statement of few parameters. */
function insertText(table: TableName): string {
  const arrays = Object.values(SCHEMA[table].columns).map((type, place) => {
    return `$${place + 1}::${type.startsWith('integer') ? 'bigint' : 'text'}[]`
  })
  return `INSERT INTO ${table} SELECT * FROM unnest(${arrays.join(', ')})`
}
