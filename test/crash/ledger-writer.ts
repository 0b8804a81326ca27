// SPDX-License-Identifier: Apache-2.0
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { Storage } from '../../storage/storage.ts'
import { createTable, type TableDefinition } from '../../storage/tables/tables.ts'
import { putRow } from '../storage/row-writes.ts'

/**
 * A process that writes for ever into the folder of its first argument: each client's transactions
 * are numbered, insert a row of that number and set the client's counter to it. It prints
 * `client number` when a commit was acknowledged. With `redo` as the second argument it commits to the redo log,
 * which is flushed all the time. The third says in how many phases it commits.
 */
const CLIENTS = 4

async function define(storage: Storage, name: string): Promise<TableDefinition> {
  const transaction = await storage.begin()
  const columns = ['client', 'number', 'note'].map((column) => {
    return { name: column, type: column === 'number' ? 'INTEGER' : 'TEXT', notNull: false }
  })
  const key = name === 'counter' ? ['client'] : ['client', 'number']
  const primaryKey = key.map((column) => ({ column, descending: false }))
  const definition = { name, columns, primaryKey }
  const catalog = await storage.catalog(transaction)
  const { table } = await createTable(transaction, catalog, definition, { ifNotExists: false })
  await transaction.commit()
  return table
}

async function write(
  storage: Storage,
  tables: { readonly counter: TableDefinition; readonly entry: TableDefinition },
  client: string,
): Promise<never> {
  for (let number = 1; ; number += 1) {
    const transaction = await storage.begin()
    const note = number % 4 === 0 ? 'x'.repeat(1_600 + ((number * 37) % 3_000)) : 'short'
    await putRow(transaction, tables.counter, [client, BigInt(number), note], null)
    await putRow(transaction, tables.entry, [client, BigInt(number), note], null)
    await transaction.commit()
    process.stdout.write(`${client} ${number}\n`)
  }
}

const [dataDirectory = '', path, commit] = process.argv.slice(2)
const cellStore = await openSqliteCellStore({
  dataDirectory,
  ...(path === 'redo' ? { redoLog: 'always', memtableCells: 16 } : { redoLog: 'never' }),
})
const storage = await Storage.open(cellStore, {
  owner: 'exclusive',
  commit: commit === 'two-phase' ? commit : 'one-phase',
})
const tables = {
  counter: await define(storage, 'counter'),
  entry: await define(storage, 'entry'),
}
await Promise.all(
  Array.from({ length: CLIENTS }, (_, client) => write(storage, tables, `client${client}`)),
)
