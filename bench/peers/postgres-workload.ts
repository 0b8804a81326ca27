// SPDX-License-Identifier: Apache-2.0
import { Client, DatabaseError } from 'pg'
import { itemId, itemValue } from '../load/data.ts'
import { twoAccounts } from '../load/http-workload.ts'
import { Random } from '../load/random.ts'
import type { LoadPlace, Workload } from '../load/workload.ts'
import type { PostgresAddress } from '../servers/postgres-server.ts'

export type PostgresSettings = {
  readonly address: PostgresAddress
  readonly operation: 'upsert' | 'transfer'
  readonly rows: number
}

// Named statements are parsed and planned once for each connection.
const UPSERT = {
  name: 'upsert',
  text: `INSERT INTO item (id, value) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
}
const READ_BALANCES = {
  name: 'read-balances',
  text: 'SELECT id, balance FROM account WHERE id IN ($1, $2)',
}
const WRITE_BALANCE = {
  name: 'write-balance',
  text: 'UPDATE account SET balance = $2 WHERE id = $1',
}
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** One connection for each client, as a pool of so many connections gives. */
export async function openWorkload(
  { address, operation, rows }: PostgresSettings,
  place: LoadPlace,
): Promise<Workload> {
  const connections = Array.from({ length: place.clients }, () => new Client(address))
  await Promise.all(connections.map((connection) => connection.connect()))
  const random = new Random(place.seed)
  let retries = 0
  return {
    async operate(client, sequence) {
      const connection = connections[client] as Client
      if (operation === 'upsert') {
        const values = [itemId(random.below(rows)), itemValue(random, sequence)]
        await connection.query({ ...UPSERT, values })
      } else {
        const [from, to] = twoAccounts(random, rows)
        while (!(await transfer(connection, from, to))) retries += 1
      }
    },
    takeFigures() {
      const figures = { retries }
      retries = 0
      return figures
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.end()))
    },
  }
}

/**
 * One attempt in five round trips; false when another transaction was in the way. REPEATABLE READ is
 * PostgreSQL's snapshot isolation, the same that the product gives.
 */
async function transfer(connection: Client, from: string, to: string): Promise<boolean> {
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const { rows } = await connection.query({ ...READ_BALANCES, values: [from, to] })
    const balances = new Map(rows.map((row) => [row.id as string, Number(row.balance)]))
    const [left, right] = [Number(balances.get(from)), Number(balances.get(to))]
    if (balances.size !== 2) throw new Error(`no account ${from} or ${to}`)
    await connection.query({ ...WRITE_BALANCE, values: [from, left - 1] })
    await connection.query({ ...WRITE_BALANCE, values: [to, right + 1] })
    await connection.query('COMMIT')
    return true
  } catch (error) {
    await connection.query('ROLLBACK')
    const code = error instanceof DatabaseError ? error.code : undefined
    if (code === SERIALIZATION_FAILURE || code === DEADLOCK) return false
    throw error
  }
}
