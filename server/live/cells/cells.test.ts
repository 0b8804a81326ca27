// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditedServer } from '../../../test/access/audited-server.ts'
import { startTestServer } from '../../../test/server/test-server.ts'

const TRADES = [
  'CREATE TABLE trade (id INTEGER PRIMARY KEY, customer TEXT, code TEXT)',
  'CREATE INDEX byCustomer ON trade (customer) STORING (code)',
  'CREATE UNIQUE INDEX byCode ON trade (code)',
].join('; ')

async function trades(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t)
  for (const sql of TRADES.split('; ')) await server.query(sql)
  await server.rows("INSERT INTO trade (id, customer, code) VALUES (7, 'o''hara, ltd', 'x')")
  await server.rows("INSERT INTO trade (id, customer) VALUES (8, 'bob')")
  return server
}

describe('the cells of several rows', () => {
  test('come in the order of the keys, each as that row alone, also where there is none', async (t) => {
    const server = await trades(t)
    const { status, body } = await server.get('/v1/tables/trade/cells?key=8&key=9&key=7')
    assert.equal(status, 200)
    assert.deepEqual(
      body.rows.map(({ key, write }: { key: unknown; write: unknown[] }) => [key, write.length]),
      [
        [[8], 1],
        [[9], 0],
        [[7], 1],
      ],
    )
    for (const row of body.rows) {
      const alone = await server.get(`/v1/tables/trade/cells/${row.key}`)
      assert.deepEqual(alone.body, row)
      for (const { timestamp } of row.write) assert.ok(timestamp <= body.timestamp)
    }
  })

  test('are of one moment: no transfer is seen with one of its rows only', async (t) => {
    const server = await startTestServer(t)
    await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
    await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
    let isDone = false
    const transfers = (async () => {
      for (let count = 0; count < 100; count += 1) {
        await server.rows("SET balance = balance + 1 ON account WHERE id IN ('bob', 'joe')")
      }
    })().finally(() => {
      isDone = true
    })
    let seen = 0
    while (!isDone) {
      const { body } = await server.get('/v1/tables/account/cells?key=bob&key=joe')
      const [bob, joe] = body.rows.map((row: { write: object[] }) => row.write)
      assert.deepEqual(bob, joe)
      assert.ok(bob.every(({ timestamp }: { timestamp: number }) => timestamp <= Date.now() * 1000))
      seen += 1
    }
    await transfers
    assert.ok(seen > 3, `${seen}`)
  })

  test('are those of at most 20 rows, and as much as one answer', async (t) => {
    const server = await trades(t)
    const keysOf = (count: number) =>
      Array.from({ length: count }, (_, at) => `key=${at}`).join('&')
    assert.equal((await server.get(`/v1/tables/trade/cells?${keysOf(20)}`)).status, 200)
    const many = await server.get(`/v1/tables/trade/cells?${keysOf(21)}`)
    assert.deepEqual([many.status, many.body.limit], [413, 'inspectedRowsMax'])
    for (const search of ['', '?key=', '?key=x', '?key=7&other=1']) {
      const { status, body } = await server.get(`/v1/tables/trade/cells${search}`)
      assert.equal(status, 400, `${search}: ${JSON.stringify(body)}`)
    }
    await server.query('CREATE TABLE doc (id INTEGER PRIMARY KEY, a TEXT)')
    const params = { a: '\u0001'.repeat(2_500_000) }
    for (let id = 0; id < 5; id += 1) {
      await server.rows(`INSERT INTO doc (id, a) VALUES (${id}, :a)`, { params })
    }
    assert.equal((await server.get('/v1/tables/doc/cells?key=0&key=1')).status, 200)
    const large = await server.get(`/v1/tables/doc/cells?${keysOf(5)}`)
    assert.deepEqual([large.status, large.body.limit], [413, 'answerBytesMax'])
  })
})

describe('the cells of an entry of an index', () => {
  test('are found by its values and the primary key, and show the columns that it holds', async (t) => {
    const server = await trades(t)
    const key = encodeURIComponent("o'hara~1 ltd,7")
    const { status, body } = await server.get(`/v1/tables/trade/indexes/byCustomer/cells/${key}`)
    assert.equal(status, 200)
    const { table, index, key: shown, write, data } = body
    assert.deepEqual([table, index, shown], ['trade', 'byCustomer', ["o'hara, ltd", 7]])
    assert.equal(write.length, 1)
    assert.deepEqual(data[0].row, { id: 7, customer: "o'hara, ltd", code: 'x' })
  })

  test('of a unique index are found by the values alone, and with a NULL by the primary key too', async (t) => {
    const server = await trades(t)
    const path = '/v1/tables/trade/indexes/byCode/cells'
    const unique = await server.get(`${path}/x`)
    assert.deepEqual([unique.body.key, unique.body.write.length], [['x'], 1])
    assert.deepEqual(unique.body.data[0].row, { id: 7, code: 'x' })
    const withNull = await server.get(`${path}/~4,8`)
    assert.deepEqual([withNull.body.key, withNull.body.write.length], [[null, 8], 1])
    for (const key of ['x,7', '~4', '~4,~4', '~4,7,8', '~5']) {
      assert.equal((await server.get(`${path}/${key}`)).status, 400, key)
    }
    const other = await server.get('/v1/tables/trade/indexes/byName/cells/x')
    assert.deepEqual([other.status, other.body.code], [404, 'unknown_index'])
  })
})

test('an entry of what JSON has at a path is found by that text', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE shop (id INTEGER PRIMARY KEY, meta JSON)')
  await server.query("CREATE INDEX byTown ON shop (meta->>'town')")
  await server.rows('INSERT INTO shop (id, meta) VALUES (1, :meta)', {
    params: { meta: { town: '7' } },
  })
  const { status, body } = await server.get('/v1/tables/shop/indexes/byTown/cells/7,1')
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.key, body.write.length], [['7', 1], 1])
  assert.deepEqual(body.data[0].row, { id: 1 })
  const short = await server.get('/v1/tables/shop/indexes/byTown/cells/7')
  assert.equal(short.status, 400)
})

test('who looked at them is told in the audit log, and who may not learns of no table', async (t) => {
  const { admin, tokens, events } = await auditedServer(t)
  await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY, a TEXT)')
  await admin.rows('CREATE INDEX byText ON note (a)')
  await admin.rows('CREATE ROLE app; GRANT READ, WRITE ON ALL TABLES TO app')
  const app = tokens.as(await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY'))
  for (const door of ['cells?key=1', 'indexes/byText/cells/~4,1']) {
    for (const table of ['note', 'none']) {
      const refused = await app.send({ path: `/v1/tables/${table}/${door}` })
      assert.deepEqual([refused.status, refused.body.code], [403, 'not_permitted'])
      assert.equal(refused.body.right, 'inspect')
    }
    assert.equal((await admin.send({ path: `/v1/tables/note/${door}` })).status, 200)
  }
  const told = (await events()).filter(({ event }) => event === 'inspected')
  assert.deepEqual(
    told.map(({ operation, table }) => `${operation} ${table}`),
    ['getCellsOfRows note', 'getCellsOfEntry note'],
  )
})
