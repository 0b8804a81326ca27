// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { noSecondCopy, notPrimary, type StorageError, superseded } from '../../storage/storage.ts'
import { openSocket } from '../../test/server/socket-client.ts'
import { type Sending, startTestServer } from '../../test/server/test-server.ts'
import { refusingStore } from '../../test/standby/refusing-store.ts'

const PRIMARY = 'https://primary.example:4270'

/** Writes of one statement each. */
const STATEMENTS = [
  "INSERT INTO note (id, text) VALUES (9, 'x')",
  "INSERT INTO numbered (text) VALUES ('x')",
  "INSERT INTO note (id, text) VALUES (1, 'x') ON CONFLICT DO UPDATE SET text = excluded.text",
  "SET text = 'x' ON note WHERE id = 1",
  "SET text = 'x' ON note WHERE id = 8",
  "SET text = text || 'x' ON note WHERE id = 1",
  "SET text = 'x' ON note WHERE id >= 1",
  'DELETE FROM note WHERE id = 1',
  'DELETE FROM note WHERE id >= 1',
  'NOTIFY hint ON note WHERE id = 1',
]

const DEFINITIONS = [
  'CREATE TABLE other (id INTEGER PRIMARY KEY)',
  'ALTER TABLE note ADD COLUMN more TEXT',
  'ALTER TABLE file DROP COLUMN body',
  'CREATE INDEX byText ON note (text)',
  'DROP TABLE file',
  'CREATE OBSERVER other ON note (text)',
  'ALTER OBSERVER seen PAUSE',
  'ALTER OBSERVER seen REPLAY FROM 0',
  'DROP OBSERVER seen',
]

const ACCESS = [
  'CREATE ROLE app',
  'GRANT WRITE ON note TO reader',
  'REVOKE READ ON note FROM reader',
  'CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY',
  'ROTATE SECRET CURSOR',
  'DROP ROLE spare',
]

const READS = [
  'GET * FROM note WHERE id = 1',
  'SCAN * FROM note USE PRIMARY KEY',
  'GET * FROM note WHERE id = 1 FOR UPDATE',
  'CHECK text IS NOT NULL ON note WHERE id = 1',
  'SHOW TABLES',
  'SHOW GRANTS',
  "EXPLAIN SET text = 'x' ON note WHERE id = 1",
]

function requestsOf(sql: string, key = 1): Sending[] {
  const path = '/v1/query'
  return [
    { method: 'POST', path, json: { sql } },
    { method: 'POST', path, text: sql, headers: { 'content-type': 'text/plain' } },
    { method: 'POST', path, json: { sql: `BEGIN; ${sql}; COMMIT` } },
    { method: 'POST', path, json: { sql }, headers: { 'idempotency-key': `key-${key}` } },
  ]
}

const ROWS: readonly Sending[] = [
  { method: 'POST', path: '/v1/tables/note/rows', json: { id: 9, text: 'x' } },
  { method: 'POST', path: '/v1/tables/note/rows', json: [{ id: 9, text: 'x' }] },
  { method: 'POST', path: '/v1/tables/numbered/rows', json: { text: 'x' } },
  { method: 'PUT', path: '/v1/tables/note/rows/1', json: { text: 'x' } },
  { method: 'PATCH', path: '/v1/tables/note/rows/1', json: { text: 'x' } },
  { method: 'DELETE', path: '/v1/tables/note/rows/1' },
  {
    ...{ method: 'PUT', path: '/v1/tables/file/rows/1/body', text: 'bytes' },
    headers: { 'content-type': 'application/octet-stream' },
  },
]

const SCRIPTS = [
  "INSERT INTO note (id, text) VALUES (9, 'x')",
  'CREATE TABLE other (id INTEGER PRIMARY KEY)',
  "BEGIN; SET text = 'x' ON note WHERE id = 1; COMMIT",
]

async function refusingServer(t: TestContext, refusal: StorageError) {
  const { storage, refuseWrites } = await refusingStore(t)
  const server = await startTestServer(t, { deps: { storage } })
  t.after(() => storage.close())
  for (const sql of [
    'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)',
    'CREATE TABLE numbered (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)',
    'CREATE TABLE file (id INTEGER PRIMARY KEY, body BYTES)',
    "INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'); INSERT INTO file (id) VALUES (1)",
    'CREATE OBSERVER seen ON note (text)',
    'CREATE WEAK OBSERVER hint ON note (text)',
    'CREATE ROLE reader; CREATE ROLE spare; GRANT READ ON note TO reader',
  ]) {
    await server.rows(sql)
  }
  const before = await server.rows('SCAN * FROM note USE PRIMARY KEY')
  refuseWrites(refusal)
  return { server, refuseWrites, before }
}

describe('a write at a standby', () => {
  const refusal = notPrimary(PRIMARY)
  const wanted = [421, 'not_primary', false, PRIMARY, refusal.fields.hint]

  test('is not_primary with the address of the primary, at every door of statements', async (t) => {
    const { server, before } = await refusingServer(t, refusal)
    const refused = async (sending: Sending) => {
      const { status, body, headers } = await server.send(sending)
      const { code, retryable, primary, hint } = body ?? {}
      const facts = [status, code, retryable, primary, hint]
      assert.deepEqual(facts, wanted, `${JSON.stringify(sending)}: ${JSON.stringify(body)}`)
      assert.equal(headers['retry-after'], undefined)
    }
    for (const [at, sql] of STATEMENTS.entries()) {
      for (const sending of requestsOf(sql, at)) await refused(sending)
    }
    const post = { method: 'POST', path: '/v1/query' } as const
    for (const sql of [...DEFINITIONS, ...ACCESS]) await refused({ ...post, json: { sql } })
    for (const sending of ROWS) {
      await refused(sending)
      if (sending.json === undefined) continue
      await refused({ ...sending, headers: { 'idempotency-key': 'of-rows' } })
    }
    for (const sql of SCRIPTS) await refused({ ...post, path: '/v1/scripts', json: { sql } })
    assert.deepEqual(await server.rows('SCAN * FROM note USE PRIMARY KEY'), before)
  })

  test('does not end an open transaction, which goes on reading', async (t) => {
    const { server, before } = await refusingServer(t, refusal)
    const transaction = await server.begin()
    const path = `/v1/transactions/${transaction}`
    const inside = (sql: string) =>
      server.send({ method: 'POST', path: `${path}/query`, json: { sql } })
    const { status, body } = await inside("SET text = 'x' ON note WHERE id = 1")
    assert.deepEqual([status, body.code, body.primary], [421, 'not_primary', PRIMARY])
    const { body: read } = await inside('SCAN * FROM note USE PRIMARY KEY')
    assert.deepEqual(read.results[0].rows, before)
    const committed = await server.send({ method: 'POST', path: `${path}/commit` })
    assert.deepEqual([committed.status, committed.body.commitTimestamp], [200, null])
  })

  test('is the same error in a frame, and the socket stays', async (t) => {
    const { server, before } = await refusingServer(t, refusal)
    const { port } = await server.listen()
    const client = await openSocket(t, port)
    for (const sql of [STATEMENTS[0], STATEMENTS[3], DEFINITIONS[0], ACCESS[0]] as string[]) {
      const { type, status, code, primary, retryable } = await client.query(sql)
      assert.deepEqual([type, status, code], ['error', 421, 'not_primary'], sql)
      assert.deepEqual([primary, retryable], [PRIMARY, false], sql)
    }
    const { results } = await client.query('SCAN * FROM note USE PRIMARY KEY')
    assert.deepEqual(results[0].rows, before)
    const subscribed = await client.subscribe('s', 'SCAN * FROM note USE PRIMARY KEY')
    assert.equal(subscribed.type, 'subscribed')
  })

  test('is no reason to refuse what reads', async (t) => {
    const { server } = await refusingServer(t, refusal)
    for (const sql of READS) assert.equal((await server.query(sql)).status, 200, sql)
    for (const path of [
      ...['/v1/tables', '/v1/tables/note', '/v1/tables/note/rows', '/v1/tables/note/rows/1'],
      ...['/v1/tables/note/rows?format=csv', '/v1/status', '/v1/observers', '/readyz'],
    ]) {
      assert.equal((await server.get(path)).status, 200, path)
    }
  })
})

describe('a write without a second copy', () => {
  test('is no_second_copy, which may be sent again after a second', async (t) => {
    const { server, refuseWrites } = await refusingServer(t, noSecondCopy())
    const sending: Sending[] = [
      ...STATEMENTS.slice(0, 2).flatMap((sql) => requestsOf(sql).slice(0, 1)),
      ...ROWS.slice(0, 1),
      { method: 'POST', path: '/v1/query', json: { sql: DEFINITIONS[0] } },
    ]
    for (const each of sending) {
      const { status, body, headers } = await server.send(each)
      const facts = [status, body.code, body.retryable, headers['retry-after']]
      assert.deepEqual(facts, [503, 'no_second_copy', true, '1'], JSON.stringify(each))
    }
    refuseWrites(undefined)
    for (const each of sending.slice(1)) {
      const { status, text } = await server.send(each)
      assert.ok(status < 300, text)
    }
  })
})

describe('a write at a server that was replaced', () => {
  test('is superseded, with the address of the new primary', async (t) => {
    const { server } = await refusingServer(t, superseded(PRIMARY))
    const { status, body, headers } = await server.query(STATEMENTS[0] as string)
    assert.deepEqual([status, body.code, body.primary], [503, 'superseded', PRIMARY])
    assert.deepEqual([body.retryable, headers['retry-after']], [false, undefined])
  })
})
