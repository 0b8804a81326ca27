// SPDX-License-Identifier: Apache-2.0
import { accountId, batches, FIRST_BALANCE, itemId, itemValue } from '../load/data.ts'
import { HttpClient } from '../load/http-client.ts'
import { Random } from '../load/random.ts'
import { EtcdServer } from '../servers/etcd-server.ts'
import { type PercoliteOptions, PercoliteServer } from '../servers/percolite-server.ts'
import { PostgresServer } from '../servers/postgres-server.ts'

// Each server with the items and accounts of `load/data.ts` in it. Redis needs none: it is measured by
// puts alone, which do not ask what was there.

const ROWS_PER_LOAD = 500
// An etcd transaction holds at most 128 operations.
const ETCD_PUTS_PER_LOAD = 100
const LOAD_SEED = 1

export async function preparedPercolite(
  folder: string,
  rows: number,
  options: PercoliteOptions = {},
): Promise<PercoliteServer> {
  const server = await PercoliteServer.start(folder, options)
  return await closedOnFailure(server, async () => {
    await server.query({ sql: 'CREATE TABLE item (id TEXT PRIMARY KEY, value TEXT NOT NULL)' })
    await server.query({ sql: 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)' })
    const random = new Random(LOAD_SEED)
    for (const numbers of batches(rows, ROWS_PER_LOAD)) {
      await server.query({
        statements: numbers.flatMap((number) => [
          {
            sql: 'INSERT INTO item (id, value) VALUES ($1, $2)',
            params: [itemId(number), itemValue(random, number)],
          },
          {
            sql: 'INSERT INTO account (id, balance) VALUES ($1, $2)',
            params: [accountId(number), FIRST_BALANCE],
          },
        ]),
      })
    }
  })
}

export async function preparedPostgres(folder: string, rows: number): Promise<PostgresServer> {
  const server = await PostgresServer.start(folder)
  return await closedOnFailure(server, () =>
    server.connected(async (client) => {
      await client.query('CREATE TABLE item (id TEXT PRIMARY KEY, value TEXT NOT NULL)')
      await client.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance BIGINT NOT NULL)')
      const random = new Random(LOAD_SEED)
      for (const numbers of batches(rows, ROWS_PER_LOAD)) {
        await client.query('INSERT INTO item SELECT * FROM unnest($1::text[], $2::text[])', [
          numbers.map(itemId),
          numbers.map((number) => itemValue(random, number)),
        ])
        await client.query('INSERT INTO account SELECT unnest($1::text[]), $2', [
          numbers.map(accountId),
          FIRST_BALANCE,
        ])
      }
      await client.query('VACUUM ANALYZE')
    }),
  )
}

export async function preparedEtcd(folder: string, rows: number): Promise<EtcdServer> {
  const server = await EtcdServer.start(folder)
  return await closedOnFailure(server, async () => {
    const client = new HttpClient(server.origin, 1)
    const put = (key: string, value: string) => {
      return { requestPut: { key: base64(key), value: base64(value) } }
    }
    const random = new Random(LOAD_SEED)
    for (const numbers of batches(rows, ETCD_PUTS_PER_LOAD / 2)) {
      const success = numbers.flatMap((number) => [
        put(itemId(number), itemValue(random, number)),
        put(accountId(number), String(FIRST_BALANCE)),
      ])
      await client.post('/v3/kv/txn', JSON.stringify({ success }))
    }
    client.close()
  })
}

async function closedOnFailure<Server extends { close(): Promise<void> }>(
  server: Server,
  load: () => Promise<unknown>,
): Promise<Server> {
  try {
    await load()
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
