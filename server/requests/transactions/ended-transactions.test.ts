// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { get } from 'node:http'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Sending, startTestServer, type TestServer } from '../../../test/server/test-server.ts'

async function counts(server: TestServer): Promise<Record<string, number>> {
  const { text } = await server.get('/metrics')
  const found = text.matchAll(/^percolite_transactions_total\{outcome="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]))
}

/** What the work adds to the counts, by outcome. */
async function counted(
  server: TestServer,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = await counts(server)
  await work()
  const after = await counts(server)
  const added = Object.keys(after).map((key) => [key, (after[key] ?? 0) - (before[key] ?? 0)])
  return Object.fromEntries(added.filter(([, count]) => count !== 0))
}

async function serverWithItems(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  await server.rows("INSERT INTO item (id, n) VALUES ('a', 1), ('b', 2)")
  return server
}

const ROW = '/v1/tables/item/rows/a'
const query = (sql: string, more = {}, headers = {}): Sending => ({
  method: 'POST',
  path: '/v1/query',
  json: { sql, ...more },
  headers,
})

const REQUESTS: ReadonlyArray<readonly [string, Sending, string | undefined]> = [
  ['a GET', query("GET * FROM item WHERE id = 'a'"), 'read'],
  ['a SCAN', query('SCAN * FROM item'), 'read'],
  ['a SET', query("SET n = 3 ON item WHERE id = 'a'"), 'committed'],
  ['a SET that reads', query("SET n = n + 1 ON item WHERE id = 'a'"), 'committed'],
  ['two statements', query("SHOW TABLES; SET n = 3 ON item WHERE id = 'a'"), 'committed'],
  [
    'a CREATE of what is there',
    query('CREATE TABLE IF NOT EXISTS item (id TEXT PRIMARY KEY)'),
    'read',
  ],
  ['a ROLLBACK', query("BEGIN; SET n = 3 ON item WHERE id = 'a'; ROLLBACK"), 'rolled_back'],
  ['a table that is not there', query("GET * FROM nosuch WHERE id = 'a'"), 'failed'],
  ['a CHECK that fails', query("CHECK n = 99 ON item WHERE id = 'a'"), 'failed'],
  ['a text that cannot be parsed', query('GET FROM'), undefined],
  ['GET of a row', { path: ROW }, 'read'],
  ['HEAD of a row', { method: 'HEAD', path: ROW }, 'read'],
  ['GET of no row', { path: `${ROW}x` }, 'failed'],
  ['GET of a page', { path: '/v1/tables/item/rows' }, 'read'],
  ['GET of the tables', { path: '/v1/tables' }, 'read'],
  ['PUT of a row', { method: 'PUT', path: ROW, json: { n: 4 } }, 'committed'],
  ['a stream of rows', { path: '/v1/tables/item/rows?format=csv' }, 'read'],
  ['a stream', { ...query('SCAN * FROM item'), path: '/v1/query?format=ndjson' }, 'read'],
  ['HEAD of a stream', { method: 'HEAD', path: '/v1/tables/item/rows?format=csv' }, 'read'],
  ['HEAD of a subscription', { method: 'HEAD', path: '/v1/changes?sql=SCAN+*+FROM+item' }, 'read'],
  ['the figures', { path: '/metrics' }, undefined],
  ['the status', { path: '/v1/status' }, undefined],
]

test('each request counts once, under the outcome that it had', async (t) => {
  const server = await serverWithItems(t)
  for (const [name, sending, outcome] of REQUESTS) {
    // Three times: a text that is remembered takes another way than a new one.
    const added = await counted(server, async () => {
      for (let time = 0; time < 3; time += 1) await server.send(sending)
    })
    assert.deepEqual(added, outcome === undefined ? {} : { [outcome]: 3 }, name)
  }
})

test('a request that is sent again with its key is committed once and read once', async (t) => {
  const server = await serverWithItems(t)
  for (const sending of [
    query("SET n = n + 1 ON item WHERE id = 'a'", {}, { 'idempotency-key': 'a' }),
    { method: 'PUT', path: ROW, json: { n: 4 }, headers: { 'idempotency-key': 'b' } } as const,
  ]) {
    const twice = async () => {
      await server.send(sending)
      await server.send(sending)
    }
    assert.deepEqual(await counted(server, twice), { committed: 1, read: 1 })
  }
})

test('of requests that meet each other, each counts once, however often it is run', async (t) => {
  const server = await serverWithItems(t)
  const add = () => server.query("SET n = n + 1 ON item WHERE id = 'a'")
  const answers: Array<{ readonly body: { readonly attempts: number } }> = []
  const added = await counted(server, async () => {
    answers.push(...(await Promise.all(Array.from({ length: 5 }, add))))
  })
  const total = Object.values(added).reduce((sum, count) => sum + count, 0)
  assert.equal(total, 5, JSON.stringify(added))
})

test('a transaction over several requests counts when it ends, a conflict as refused', async (t) => {
  const server = await serverWithItems(t)
  const set = (transaction: string) =>
    server.post(`/v1/transactions/${transaction}/query`, {
      sql: "SET n = 9 ON item WHERE id = 'a'",
    })
  const [first, second, third] = [await server.begin(), await server.begin(), await server.begin()]
  const added = await counted(server, async () => {
    await set(first)
    await set(second)
    await server.post(`/v1/transactions/${first}/commit`)
    assert.equal((await server.post(`/v1/transactions/${second}/commit`)).status, 409)
    await server.send({ method: 'DELETE', path: `/v1/transactions/${third}` })
  })
  assert.deepEqual(added, { committed: 1, refused: 1, rolled_back: 1 })
})

test('a subscription is a read, and who leaves a stream has given it up', async (t) => {
  const server = await serverWithItems(t)
  await server.query('CREATE TABLE long (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
  const text = 'x'.repeat(100_000)
  for (let id = 0; id < 200; id += 1) {
    await server.rows('INSERT INTO long (id, text) VALUES ($1, $2)', { params: [id, text] })
  }
  const { port } = await server.listen()
  const left = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const asked = get({ port, path }, (answer) => {
        answer.once('data', () => asked.destroy())
        answer.on('error', () => undefined)
        answer.once('close', resolve)
      })
      asked.on('error', reject)
    })
  const added = async (path: string, wanted: Record<string, number>) => {
    const before = await counts(server)
    await left(path)
    for (const [outcome, count] of Object.entries(wanted)) {
      // The server hears of it a little later.
      while (((await counts(server))[outcome] ?? 0) - (before[outcome] ?? 0) < count) {
        await setImmediate()
      }
    }
    const after = await counts(server)
    const sum = (all: Record<string, number>) => Object.values(all).reduce((a, b) => a + b, 0)
    assert.equal(sum(after) - sum(before), 1, path)
  }
  await added('/v1/changes?sql=SCAN+*+FROM+item&snapshot=true', { read: 1 })
  await added('/v1/tables/long/rows?format=ndjson', { rolled_back: 1 })
})
