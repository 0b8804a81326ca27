// SPDX-License-Identifier: Apache-2.0
import { Client, DatabaseError } from 'pg'
import type { PostgresAddress } from '../servers/postgres-server.ts'
import { FIELD_NAMES, type FieldChange, type Fields } from './record.ts'
import { missingRecord, type YcsbStore } from './store.ts'

const COLUMNS = FIELD_NAMES.join(', ')
const CREATE = `CREATE TABLE usertable (ycsb_key TEXT PRIMARY KEY, ${FIELD_NAMES.map((name) => `${name} TEXT`).join(', ')})`
// Named statements are parsed and planned once for each connection.
const READ = { name: 'read', text: `SELECT ${COLUMNS} FROM usertable WHERE ycsb_key = $1` }
const INSERT = {
  name: 'insert',
  text: `INSERT INTO usertable VALUES ($1, ${FIELD_NAMES.map((_, index) => `$${index + 2}`).join(', ')})`,
}
const SCAN = {
  name: 'scan',
  text: `SELECT ycsb_key, ${COLUMNS} FROM usertable WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2`,
}
const INSERT_MANY = `INSERT INTO usertable SELECT * FROM unnest(${Array.from({ length: FIELD_NAMES.length + 1 }, (_, index) => `$${index + 1}::text[]`).join(', ')})`
const SERIALIZATION_FAILURE = '40001'

/** Through pg, a connection for each client; a transaction is REPEATABLE READ, its snapshot isolation. */
export async function openPostgresStore(
  { address }: { readonly address: PostgresAddress },
  clients: number,
): Promise<YcsbStore> {
  const connections = Array.from({ length: clients }, () => new Client(address))
  await Promise.all(connections.map((connection) => connection.connect()))
  const of = (client: number) => connections[client] as Client
  const read = async (connection: Client, key: string): Promise<Fields> => {
    const { rows } = await connection.query({ ...READ, values: [key], rowMode: 'array' })
    if (rows[0] === undefined) throw missingRecord(key)
    return rows[0]
  }
  let retries = 0
  return {
    read: (client, key) => read(of(client), key),
    async update(client, key, changes) {
      await of(client).query(update(key, changes))
    },
    async insert(client, { key, fields }) {
      await of(client).query({ ...INSERT, values: [key, ...fields] })
    },
    async scan(client, key, count) {
      return (await of(client).query({ ...SCAN, values: [key, count] })).rows.length
    },
    async modify(client, key, changes) {
      const connection = of(client)
      for (;;) {
        try {
          await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
          await read(connection, key)
          await connection.query(update(key, changes))
          await connection.query('COMMIT')
          return
        } catch (error) {
          await connection.query('ROLLBACK')
          const code = error instanceof DatabaseError ? error.code : undefined
          if (code !== SERIALIZATION_FAILURE) throw error
          retries += 1
        }
      }
    },
    takeRetries() {
      const taken = retries
      retries = 0
      return taken
    },
    async create() {
      await of(0).query(CREATE)
    },
    async insertMany(records) {
      const columns = FIELD_NAMES.map((_, index) => records.map(({ fields }) => fields[index]))
      await of(0).query(INSERT_MANY, [records.map(({ key }) => key), ...columns])
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.end()))
    },
  }
}

function update(key: string, changes: readonly FieldChange[]) {
  const names = changes.map(([index]) => FIELD_NAMES[index] as string)
  const assignments = names.map((name, index) => `${name} = $${index + 2}`).join(', ')
  return {
    name: `update ${changes.map(([index]) => index).join(' ')}`,
    text: `UPDATE usertable SET ${assignments} WHERE ycsb_key = $1`,
    values: [key, ...changes.map(([, text]) => text)],
  }
}
