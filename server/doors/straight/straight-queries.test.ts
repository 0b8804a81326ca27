// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Answer, startTestServer, type TestServer } from '../../../test/server/test-server.ts'

/** A media type that says the same at more length: the ordinary route answers it. */
const ORDINARY = { 'content-type': 'application/json; charset=utf-8' }

async function serverWithItems(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id TEXT PRIMARY KEY, note TEXT, size INTEGER)')
  await server.rows("INSERT INTO item (id, note, size) VALUES ('a', 'grün', 1), ('b', NULL, 2)")
  await server.query('CREATE TABLE long (id INTEGER PRIMARY KEY, note TEXT)')
  const rows = Array.from({ length: 101 }, (_, id) => `(${id}, '${'x'.repeat(200)}')`)
  await server.rows(`INSERT INTO long (id, note) VALUES ${rows}`)
  return server
}

/** Timestamps, ids and cursors differ from request to request, and nothing else may. */
function comparable({ status, headers, text }: Answer) {
  const names = Object.keys(headers).filter((name) => name !== 'date')
  const same = ['content-type', 'x-content-type-options', 'allow', 'retry-after']
  return {
    status,
    names: names.filter((name) => name !== 'content-length').sort(),
    values: same.map((name) => headers[name]),
    text: text.replaceAll(/(?<="(?:transaction|expiresAt|cursor)":)"[^"]*"|\b\d{16}\b/g, '…'),
  }
}

const GET = 'GET * FROM item WHERE id = :id'

const SCAN = 'SCAN * FROM item WHERE id >= :id ORDER BY id DESC LIMIT 2'

const REQUESTS: Readonly<Record<string, string>> = {
  'a GET that finds its row': JSON.stringify({ sql: GET, params: { id: 'a' } }),
  'a GET that finds nothing': JSON.stringify({ sql: GET, params: { id: 'z' } }),
  'a GET of several rows': JSON.stringify({ sql: "GET id FROM item WHERE id IN ('b', 'z', 'a')" }),
  'a GET with integers as text': JSON.stringify({
    sql: GET,
    params: { id: 'b' },
    integers: 'string',
  }),
  'a GET without its parameter': JSON.stringify({ sql: GET, params: {} }),
  'a GET with a parameter of another type': JSON.stringify({ sql: GET, params: { id: 7 } }),
  'a GET of a table that is not there': JSON.stringify({ sql: 'GET * FROM nosuch WHERE id = 1' }),
  'a GET of the future': JSON.stringify({ sql: GET, params: { id: 'a' }, asOf: '2200-01-01' }),
  'a GET that divides by zero': JSON.stringify({
    sql: "GET size / 0 AS n FROM item WHERE id = 'a'",
  }),
  'a SET': JSON.stringify({ sql: "SET size = 3 ON item WHERE id = 'a'" }),
  'a SET that is not to be': JSON.stringify({ sql: "SET size = 'x' ON item WHERE id = 'a'" }),
  'a SCAN with another page': JSON.stringify({ sql: 'SCAN * FROM item', pageSize: 1 }),
  'a SCAN of a few rows': JSON.stringify({ sql: SCAN, params: { id: 'a' } }),
  'a SCAN of none': JSON.stringify({ sql: SCAN, params: { id: 'z' } }),
  'a SCAN of fewer than none': JSON.stringify({ sql: 'SCAN * FROM item LIMIT -1' }),
  'a SCAN without a bound': JSON.stringify({ sql: "SCAN * FROM item WHERE id LIKE '%'" }),
  'a SCAN of more rows than a turn reads': JSON.stringify({ sql: 'SCAN * FROM long' }),
  'a SCAN of longer rows': JSON.stringify({ sql: 'SCAN * FROM long LIMIT 90' }),
  'several statements': JSON.stringify({
    statements: [
      { sql: GET, params: { id: 'a' } },
      { sql: "CHECK size = 9 ON item WHERE id = 'a'" },
    ],
  }),
  'a transaction over several requests': JSON.stringify({ sql: 'BEGIN' }),
  'a transaction that is not closed': JSON.stringify({ sql: `BEGIN; ${GET}` }),
  'a mistake in the text': JSON.stringify({ sql: 'GET * FORM item' }),
  'a body that is no JSON': '{"sql": ',
  'a body of another shape': '{"sql": 7}',
  'a body with a field too many': '{"sql": "GET", "more": 1}',
  'a body that is not UTF-8': Buffer.from([0x22, 0xff, 0x22]).toString('latin1'),
  'no body': '',
}

test('a plain request is answered as by the ordinary route, mistakes included', async (t) => {
  const server = await serverWithItems(t)
  for (const [name, json] of Object.entries(REQUESTS)) {
    const text = Buffer.from(json, name.includes('UTF-8') ? 'latin1' : 'utf8')
    const send = (headers: Readonly<Record<string, string>>) =>
      server.send({ method: 'POST', path: '/v1/query', text, headers })
    const ordinary = comparable(await send(ORDINARY))
    // Twice: only a text that is remembered is answered in its turn.
    for (const _ of [1, 2]) {
      const short = comparable(await send({ 'content-type': 'application/json' }))
      assert.deepEqual(short, ordinary, name)
    }
  }
})

test('GETs and SCANs beside commits of their row see what was committed before their timestamp', async (t) => {
  const server = await serverWithItems(t)
  const commits: Array<{ readonly at: number; readonly size: number }> = []
  const reads: Array<{ readonly at: number; readonly size: number }> = []
  const set = async (size: number) => {
    const sql = "SET note = NULL, size = :size ON item WHERE id = 'a'"
    const { status, body } = await server.query(sql, { params: { size } })
    if (status === 200) commits.push({ at: body.commitTimestamp, size })
  }
  const get = async () => {
    const sql = reads.length % 2 === 0 ? GET : SCAN.replace('ORDER', 'AND id <= :id ORDER')
    const { body } = await server.query(sql, { params: { id: 'a' } })
    reads.push({ at: body.readTimestamp, size: body.results[0].rows[0].size })
    if (reads.length % 8 !== 0) await get()
  }
  await set(2)
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([set(100 + round), get(), setImmediate().then(get), set(200 + round)])
  }
  for (const { at, size } of reads) {
    const before = commits.filter((commit) => commit.at <= at)
    const newest = before.reduce((best, commit) => (commit.at > best.at ? commit : best))
    assert.equal(size, newest.size)
  }
})

test('a request in pieces, and two in one piece, are each answered once and in order', async (t) => {
  const server = await serverWithItems(t)
  const { port } = await server.listen()
  const body = (id: string) => JSON.stringify({ sql: GET, params: { id } })
  const request = (id: string) =>
    `POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body(id).length}\r\n\r\n${body(id)}`
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.setEncoding('utf8')
  let received = ''
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (text: string) => {
      received += text
      if (received.split('"attempts":1}\n').length === 4) resolve()
    })
  })
  const first = request('a')
  socket.write(first.slice(0, -20))
  await setImmediate()
  socket.write(`${first.slice(-20)}${request('b')}${request('z')}`)
  await answered
  const places = ['"id":"a","note":"grün"', '"id":"b","note":null', '"rows":[]'].map((part) =>
    received.indexOf(part),
  )
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.ok(!places.includes(-1))
})
