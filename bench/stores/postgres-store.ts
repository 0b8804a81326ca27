// SPDX-License-Identifier: Apache-2.0
import { Client } from 'pg'
import { conflictOf, type PostgresAddress } from '../servers/postgres-server.ts'
import { fieldsOf, type SqlRow, sqlStore, sqlTexts } from './sql-store.ts'
import { type Store, type Table, transactionsBy, type Value } from './store.ts'

/** Through pg, a connection for each client; a transaction is REPEATABLE READ, its snapshot isolation. */
export async function openPostgresStore(
  { address }: { readonly address: PostgresAddress },
  table: Table,
  clients: number,
): Promise<Store> {
  const connections = Array.from({ length: clients }, () => new Client(address))
  await Promise.all(connections.map((connection) => connection.connect()))
  const of = (client: number) => connections[client] as Client
  const texts = sqlTexts(table, (number) => `$${number}`)
  const names = new Map<string, string>()
  const ask = async (client: number, text: string, values: readonly Value[]) => {
    // Named statements are parsed and planned once for each connection.
    const name = names.get(text) ?? `statement ${names.size}`
    names.set(text, name)
    const query = { name, text, values: [...values], rowMode: 'array' as const }
    return (await of(client).query(query)).rows as SqlRow[]
  }
  return {
    ...sqlStore(texts, ask),
    ...transactionsBy(async (client, keys, change) => {
      const connection = of(client)
      try {
        await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        const rows = await ask(client, texts.getSeveral(keys.length), keys)
        const changed = change(keys.map((key) => fieldsOf(rows, key)))
        for (const [at, key] of keys.entries()) {
          const { sql, values } = texts.update(key, changed[at] ?? [])
          await ask(client, sql, values)
        }
        await connection.query('COMMIT')
        return true
      } catch (error) {
        await connection.query('ROLLBACK')
        if (conflictOf(error) === undefined) throw error
        return false
      }
    }),
    async insertMany(records) {
      const arrays = table.fields.map((_, index) => `$${index + 2}::${table.type}[]`)
      const columns = table.fields.map((_, index) => records.map(({ fields }) => fields[index]))
      await of(0).query(
        `INSERT INTO ${table.name} (${texts.columns}) SELECT * FROM unnest($1::TEXT[], ${arrays.join(', ')})`,
        [records.map(({ key }) => key), ...columns],
      )
    },
    async afterLoading() {
      await of(0).query('VACUUM ANALYZE')
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.end()))
    },
  }
}
