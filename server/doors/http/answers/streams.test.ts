// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStorage, StorageError } from '../../../../storage/storage.ts'
import { startTestServer } from '../../../../test/server/test-server.ts'

const ROWS = 400
const ROW_BYTES = 100_000
const NDJSON = { accept: 'application/x-ndjson' }

/** A server with 40 MB of rows on a real socket, whose scans of the store are counted. */
async function serverWithLongRows(t: TestContext) {
  const storage = await openStorage({ engine: 'memory' })
  const seen = { scans: 0, failAt: Number.POSITIVE_INFINITY }
  const begin = storage.begin.bind(storage)
  storage.begin = async (options) => {
    const transaction = await begin(options)
    const scanBatches = transaction.scanBatches.bind(transaction)
    transaction.scanBatches = (range) => {
      seen.scans += 1
      if (seen.scans >= seen.failAt) throw new StorageError('snapshot_too_old', 'It is gone.')
      return scanBatches(range)
    }
    return transaction
  }
  const server = await startTestServer(t, { deps: { storage } })
  const { port } = await server.listen()
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT)')
  const body = 'x'.repeat(ROW_BYTES)
  for (let id = 0; id < ROWS; id += 100) {
    const rows = Array.from({ length: 100 }, (_, offset) => ({ id: id + offset, body }))
    await server.post('/v1/tables/item/rows', rows)
  }
  seen.scans = 0
  const stream = async (sql: string, headers: Record<string, string> = NDJSON) => {
    const asking = request({
      port,
      method: 'POST',
      path: '/v1/query',
      headers: { ...headers, 'content-type': 'text/plain' },
    })
    asking.end(sql)
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    return answer
  }
  /** Lets everything that can go on without the reader go on. */
  const settle = async () => {
    for (let before = -1; before !== seen.scans; ) {
      before = seen.scans
      for (let turn = 0; turn < 200; turn += 1) await setImmediate()
    }
  }
  return { server, storage, seen, stream, settle }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  return text
}

test('a reader who does not read stops the scan, and goes on to the end when he does', async (t) => {
  const { seen, stream, settle, storage } = await serverWithLongRows(t)
  const answer = await stream('SCAN * FROM item')
  assert.match(String(answer.headers['content-type']), /^application\/x-ndjson/)
  await once(answer.pause(), 'readable')
  await settle()
  const scansAtRest = seen.scans
  assert.ok(scansAtRest < 100, `${scansAtRest} of about 130 pages were read for nobody`)
  const lines = (await textOf(answer)).trimEnd().split('\n')
  assert.equal(lines.length, ROWS + 1)
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line).row.id),
    Array.from({ length: ROWS }, (_, id) => id),
  )
  const { end } = JSON.parse(lines.at(-1) as string)
  assert.deepEqual(end, {
    rows: ROWS,
    readTimestamp: Number(answer.headers['percolite-read-timestamp']),
  })
  assert.ok(seen.scans > scansAtRest)
  await settle()
  assert.equal((await storage.status()).openTransactions, 0)
})

test('a reader who goes ends the scan and its transaction', async (t) => {
  const { seen, stream, settle, storage } = await serverWithLongRows(t)
  const answer = await stream('SCAN * FROM item')
  await once(answer, 'readable')
  assert.equal((await storage.status()).openTransactions, 1)
  answer.destroy()
  while ((await storage.status()).openTransactions > 0) await setImmediate()
  const scansAtTheEnd = seen.scans
  await settle()
  assert.equal(seen.scans, scansAtTheEnd)
  assert.ok(scansAtTheEnd < 130, `${scansAtTheEnd} pages`)
})

test('what goes wrong on the way is the last line, and nothing is run again', async (t) => {
  const { seen, stream } = await serverWithLongRows(t)
  seen.failAt = 4
  const lines = (await textOf(await stream('SCAN id FROM item'))).trimEnd().split('\n')
  assert.equal(lines.length, 1 + ROWS, 'columns that are not asked for take no room')
  seen.scans = 0
  const broken = (await textOf(await stream('SCAN * FROM item'))).trimEnd().split('\n')
  const { error } = JSON.parse(broken.pop() as string)
  assert.equal(error.code, 'snapshot_too_old')
  assert.ok(broken.length > 0 && broken.length < ROWS)
  assert.equal(seen.scans, 4)
})

test('CSV that goes wrong on the way is broken off', async (t) => {
  const { seen, stream } = await serverWithLongRows(t)
  seen.failAt = 4
  const answer = await stream('SCAN * FROM item', { accept: 'text/csv' })
  await assert.rejects(textOf(answer))
})

test('what is wrong before the first row is an answer of its own', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)')
  const ask = (sql: string) =>
    server.send({ method: 'POST', path: '/v1/query', json: { sql }, headers: NDJSON })
  for (const [sql, status, code] of [
    ['SCAN * FROM nothing', 404, 'unknown_table'],
    ['SCAN * FROM item WHERE n = 1', 400, 'unbounded_scan'],
    ['SCAN * FROM', 400, 'syntax_error'],
    ['SCAN * FROM item; SCAN * FROM item', 400, 'invalid_request'],
    ['BEGIN', 400, 'invalid_request'],
  ] as const) {
    const { status: given, body } = await ask(sql)
    assert.deepEqual([given, body?.code], [status, code], sql)
  }
  const empty = await ask('SCAN * FROM item')
  assert.equal(JSON.parse(empty.text).end.rows, 0)
})

test('a stream goes on behind a cursor, reads the past, and keeps to its LIMIT', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  await server.post(
    '/v1/tables/item/rows',
    Array.from({ length: 2_500 }, (_, id) => ({ id })),
  )
  const sql = 'SCAN id FROM item LIMIT 2100'
  const first = await server.query(sql, { pageSize: 50 })
  await server.query('DELETE FROM item USE PRIMARY KEY WHERE id > 1000')
  const idsOf = async (json: unknown) => {
    const { text } = await server.send({ method: 'POST', path: '/v1/query', json, headers: NDJSON })
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(lines.pop().end.rows, lines.length)
    return lines.map(({ row }) => row.id)
  }
  const all = Array.from({ length: 2_100 }, (_, id) => id)
  assert.deepEqual(await idsOf({ sql, cursor: first.body.cursor }), all.slice(50))
  assert.deepEqual(await idsOf({ sql, asOf: first.body.readTimestamp }), all)
  assert.deepEqual(await idsOf({ sql }), all.slice(0, 1001))
})

test('HEAD reads no rows, and leaves nothing open', async (t) => {
  const { server, seen, storage } = await serverWithLongRows(t)
  const path = '/v1/tables/item/rows?format=ndjson'
  const { status, headers, text } = await server.send({ method: 'HEAD', path })
  assert.deepEqual([status, text], [200, ''])
  assert.match(String(headers['content-type']), /^application\/x-ndjson/)
  assert.equal(seen.scans, 1)
  assert.equal((await storage.status()).openTransactions, 0)
})

test('CSV follows RFC 4180, and tells NULL from an empty text', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, "a,b" TEXT, j JSON)')
  await server.post('/v1/tables/item/rows', [
    { id: 1, 'a,b': 'say "hi",\r\nthen go', j: { k: [1] } },
    { id: 2, 'a,b': '', j: null },
    { id: '9007199254740993' },
  ])
  const expected =
    'id,"a,b",j\r\n1,"say ""hi"",\r\nthen go","{""k"":[1]}"\r\n2,"",\r\n9007199254740993,,\r\n'
  const json = { sql: 'SCAN * FROM item' }
  const { text, headers } = await server.send({
    method: 'POST',
    path: '/v1/query?format=csv',
    json,
  })
  assert.equal(text, expected)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal((await server.get('/v1/tables/item/rows?format=csv')).text, expected)
  const get = { sql: 'GET id FROM item WHERE id IN (2, 1)' }
  const got = await server.send({ method: 'POST', path: '/v1/query?format=csv', json: get })
  assert.equal(got.text, 'id\r\n2\r\n1\r\n')
})

test('CSV of more than a page in a transaction is refused before the COMMIT of its request', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  await server.post('/v1/tables/item/rows', [{ id: 1 }, { id: 2 }])
  const transaction = await server.begin()
  await server.query('INSERT INTO item (id) VALUES (3)', { transaction })
  const path = '/v1/query?format=csv'
  const json = { transaction, pageSize: 1, sql: 'SCAN * FROM item; COMMIT' }
  assert.equal((await server.send({ method: 'POST', path, json })).status, 400)
  assert.deepEqual(await server.rows('SCAN * FROM item'), [{ id: 1 }, { id: 2 }])
  const whole = { transaction, sql: 'SCAN * FROM item; COMMIT' }
  assert.equal(
    (await server.send({ method: 'POST', path, json: whole })).text,
    'id\r\n1\r\n2\r\n3\r\n',
  )
  assert.equal((await server.rows('SCAN * FROM item')).length, 3)
})
