// SPDX-License-Identifier: Apache-2.0
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify from 'fastify'
import { Pool, type PoolClient } from 'pg'
import { sqlTexts } from '../stores/sql-store.ts'
import type { Table, Value } from '../stores/store.ts'
import type { FastifyPostgresOrder } from './fastify-postgres-server.ts'
import { conflictOf, startPostgres } from './postgres-server.ts'

// The program of a server that answers with PostgreSQL's rows over HTTP, which it also starts: so both end
// together, and their processor time is that of one tree.

/** On two to four cores more connections bring no more. */
const CONNECTIONS = 16

type Row = Readonly<Record<string, Value>>
type KeyBody = { readonly key: string }
type ChangeBody = KeyBody & { readonly changes: ReadonlyArray<readonly [number, Value]> }

const { folder, tables } = JSON.parse(process.argv[2] ?? '') as FastifyPostgresOrder
// It runs as another user than we do.
await chmod(folder, 0o755)
const postgresFolder = join(folder, 'postgres')
await mkdir(postgresFolder)
const postgres = await startPostgres(postgresFolder)
const pool = new Pool({ ...postgres.address, max: CONNECTIONS })
const fastify = Fastify({ bodyLimit: 16 * 1024 * 1024, requestTimeout: 60_000 })
for (const table of tables) addRoutes(table)
await fastify.listen({ host: '127.0.0.1', port: 0 })
const { port } = fastify.server.address() as { readonly port: number }
const place = { origin: `http://127.0.0.1:${port}`, address: postgres.address }
process.stdout.write(`${JSON.stringify(place)}\n`)
process.once('SIGTERM', async () => {
  await fastify.close()
  await pool.end()
  await postgres.close()
})

const names = new Map<string, string>()

/** Named statements are parsed and planned once for each connection. */
async function ask(
  connection: Pool | PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const name = names.get(text) ?? `statement ${names.size}`
  names.set(text, name)
  return (await connection.query({ name, text, values: [...values] })).rows
}

function addRoutes(table: Table): void {
  const texts = sqlTexts(table, (number) => `$${number}`)
  const update = (connection: Pool | PoolClient, { key, changes }: ChangeBody) => {
    const { sql, values } = texts.update(key, changes)
    return ask(connection, sql, values)
  }
  const route = <Body>(name: string, answer: (body: Body) => Promise<unknown>) => {
    fastify.post(`/${table.name}/${name}`, ({ body }) => answer(body as Body))
  }
  const get = async (connection: Pool | PoolClient, key: string): Promise<Row> => {
    const [row] = await ask(connection, texts.get, [key])
    if (row === undefined)
      throw Object.assign(new Error('There is no such row.'), { statusCode: 404 })
    return row
  }
  route<KeyBody>('get', ({ key }) => get(pool, key))
  route<readonly Value[]>('put', async (values) => ({ rows: await ask(pool, texts.put, values) }))
  route<readonly Value[]>('insert', async (values) => ({
    rows: await ask(pool, texts.insert, values),
  }))
  route<ChangeBody>('update', async (body) => ({ rows: await update(pool, body) }))
  route<KeyBody & { readonly count: number }>('scan', async ({ key, count }) => ({
    rows: await ask(pool, texts.scan, [key, count]),
  }))
  route<ChangeBody>('modify', (body) =>
    inTransaction(async (client) => {
      const row = await get(client, body.key)
      await update(client, body)
      return row
    }),
  )
  const [field = ''] = table.fields
  route<{ readonly from: string; readonly to: string }>('transfer', ({ from, to }) =>
    inTransaction(async (client) => {
      const left = await get(client, from)
      const right = await get(client, to)
      await update(client, { key: from, changes: [[0, Number(left[field]) - 1]] })
      await update(client, { key: to, changes: [[0, Number(right[field]) + 1]] })
      return { rows: [] }
    }),
  )
}

/** Under snapshot isolation, again after a conflict; answers how often it was run, too. */
async function inTransaction(work: (client: PoolClient) => Promise<object>): Promise<object> {
  const client = await pool.connect()
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        const answer = await work(client)
        await client.query('COMMIT')
        return { ...answer, attempts }
      } catch (error) {
        await client.query('ROLLBACK')
        if (conflictOf(error) === undefined) throw error
      }
    }
  } finally {
    client.release()
  }
}
