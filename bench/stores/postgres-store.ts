// SPDX-License-Identifier: Apache-2.0
import { Client, DatabaseError } from 'pg'
import type { PostgresAddress } from '../servers/postgres-server.ts'
import { createText, sqlTexts } from './sql-texts.ts'
import {
  type FieldChange,
  type Fields,
  missingRecord,
  type Store,
  type Table,
  transactionsBy,
} from './store.ts'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

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
  // Named statements are parsed and planned once for each connection.
  const ask = async (connection: Client, name: string, text: string, values: unknown[]) => {
    const { rows } = await connection.query({ name, text, values, rowMode: 'array' })
    return rows as Array<[key: string, ...fields: Fields]>
  }
  const read = async (connection: Client, keys: readonly string[]): Promise<Fields[]> => {
    const { length } = keys
    const rows = await ask(connection, `get ${length}`, texts.get(length), [...keys])
    const found = new Map(rows.map(([key, ...fields]) => [key, fields]))
    return keys.map((key) => found.get(key) ?? thrown(missingRecord(key)))
  }
  const update = (connection: Client, key: string, changes: readonly FieldChange[]) => {
    const indexes = changes.map(([index]) => index)
    const values = [...changes.map(([, value]) => value), key]
    return ask(connection, `update ${indexes.join(' ')}`, texts.update(indexes), values)
  }
  return {
    get: async (client, key) => (await read(of(client), [key]))[0] as Fields,
    async put(client, { key, fields }) {
      await ask(of(client), 'put', texts.put, [key, ...fields])
    },
    async insert(client, { key, fields }) {
      await ask(of(client), 'insert', texts.insert, [key, ...fields])
    },
    async update(client, key, changes) {
      await update(of(client), key, changes)
    },
    scan: (client, key, count) => ask(of(client), 'scan', texts.scan, [key, count]),
    ...transactionsBy(async (client, keys, change) => {
      const connection = of(client)
      try {
        await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        const changed = change(await read(connection, keys))
        for (const [at, key] of keys.entries()) await update(connection, key, changed[at] ?? [])
        await connection.query('COMMIT')
        return true
      } catch (error) {
        await connection.query('ROLLBACK')
        const code = error instanceof DatabaseError ? error.code : undefined
        if (code === SERIALIZATION_FAILURE || code === DEADLOCK) return false
        throw error
      }
    }),
    async create() {
      await of(0).query(createText(table))
    },
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

function thrown(error: Error): never {
  throw error
}
