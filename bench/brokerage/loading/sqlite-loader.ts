// SPDX-License-Identifier: Apache-2.0
import type Database from 'better-sqlite3'
import type { BulkLoader } from '../engine.ts'
import { createIndexStatements, createTableStatements } from '../schema/create-statements.ts'
import { columnsOf, type TableName } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'

/** Makes the tables, fills them in one transaction for each batch, and makes the indexes. */
export async function loadSqlite(
  database: Database.Database,
  fill: (loader: BulkLoader) => Promise<unknown>,
): Promise<void> {
  for (const statement of createTableStatements('sqlite')) database.exec(statement)
  const inserts = new Map<TableName, Database.Statement<Value[]>>()
  const insertStatement = (table: TableName) => {
    const known = inserts.get(table)
    if (known !== undefined) return known
    const places = columnsOf(table).map(() => '?')
    const made = database.prepare<Value[]>(`INSERT INTO ${table} VALUES (${places.join(', ')})`)
    inserts.set(table, made)
    return made
  }
  await fill({
    async insertRows(table, rows) {
      const [statement, columns] = [insertStatement(table), columnsOf(table)]
      database.transaction(() => {
        for (const row of rows) statement.run(...columns.map((column) => row[column] as Value))
      })()
    },
  })
  for (const statement of createIndexStatements()) database.exec(statement)
  database.exec('ANALYZE')
}
