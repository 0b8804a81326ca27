// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, problem, startScriptedServer } from '../../test/client-sdk/scripted-server.ts'
import { connect, PercoliteError } from '../client.ts'

const QUERY = 'POST /v1/query'
const ID = [{ name: 'id', type: 'INTEGER' }]

test('a query of several pages follows the cursors and keeps its parameters', async (t) => {
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: answerOf(ID, [{ id: 1 }, { id: 2 }], { cursor: 'c1' }) },
    { expect: QUERY, answer: answerOf(ID, [{ id: 3 }], { cursor: 'c2' }) },
    { expect: QUERY, answer: answerOf(ID, [{ id: 4 }]) },
  ])
  const db = connect({ url: `${server.url}/` })
  const result = await db.query('SCAN id FROM t WHERE id > :low', { low: 0 })
  assert.deepEqual(result.rows, [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }])
  assert.equal(result.readTimestamp, 100)
  server.assertPlayed()
  assert.deepEqual(
    server.seen.map((one) => one.body),
    [undefined, 'c1', 'c2'].map((cursor) => ({
      sql: 'SCAN id FROM t WHERE id > :low',
      params: { low: 0 },
      ...(cursor && { cursor }),
    })),
  )
})

test('a query with more rows than maxRows is refused and not cut', async (t) => {
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: answerOf(ID, [{ id: 1 }, { id: 2 }], { cursor: 'c1' }) },
    { expect: QUERY, answer: answerOf(ID, [{ id: 1 }, { id: 2 }]) },
  ])
  const db = connect({ url: server.url })
  await assert.rejects(db.query('SCAN id FROM t', [], { maxRows: 2 }), {
    code: 'result_too_large',
    fields: { limit: 'maxRows', limitValue: 2 },
  })
  const exact = await db.query('SCAN id FROM t', [], { maxRows: 2 })
  assert.equal(exact.rows.length, 2)
  server.assertPlayed()
})

test('a template becomes text with numbered parameters', async (t) => {
  const server = await startScriptedServer(t, [{ expect: QUERY, answer: answerOf([], []) }])
  const id = "it's; DROP TABLE t --"
  await connect({ url: server.url }).sql`SET n = ${7} ON t WHERE id = ${id}`
  assert.deepEqual(server.seen[0]?.body, {
    sql: 'SET n = $1 ON t WHERE id = $2',
    params: [7, id],
  })
})

test('parameters go in the JSON form of their type, and what JSON would change is refused', async (t) => {
  const server = await startScriptedServer(t, [{ expect: QUERY, answer: answerOf([], []) }])
  const db = connect({ url: server.url })
  await db.query('GET * FROM t WHERE id IN :ids', {
    ids: [5n, 2n ** 60n],
    bytes: Uint8Array.of(0, 255, 128),
    at: new Date('2026-01-31T12:00:00Z'),
    json: { a: [1, null] },
    nothing: null,
  })
  assert.deepEqual(server.seen[0]?.body, {
    sql: 'GET * FROM t WHERE id IN :ids',
    params: {
      ids: [5, '1152921504606846976'],
      bytes: 'AP+A',
      at: '2026-01-31T12:00:00.000Z',
      json: { a: [1, null] },
      nothing: null,
    },
  })
  await assert.rejects(db.query('…', [Number.NaN]), /The parameter \$1 is NaN/)
  await assert.rejects(db.query('…', { n: undefined }), /The parameter :n is undefined/)
  await assert.rejects(db.query('…', { j: { a: [Number.NaN] } }), /:j\.a\[0\] is NaN/)
  await assert.rejects(db.query('…', { j: { a: undefined } }), /:j\.a is undefined/)
  await assert.rejects(db.query('…', { j: { a: 1n } }), /:j\.a is a bigint/)
  await assert.rejects(db.query('…', { j: new Map() }), /:j is a Map/)
})

const TYPED = [
  { name: 'n', type: 'INTEGER' },
  { name: 'b', type: 'BYTES' },
  { name: 'at', type: 'TIMESTAMP' },
]
const AT = '2026-01-31T12:00:00.000001Z'

test('with numbers an INTEGER beyond 2^53 is an error, never another type', async (t) => {
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: answerOf(TYPED, [{ n: 2 ** 53 - 1, b: 'AP+A', at: AT }]) },
    { expect: QUERY, answer: answerOf(TYPED, [{ n: '9007199254740992', b: null, at: null }]) },
  ])
  const db = connect({ url: server.url })
  const { rows } = await db.query('SCAN * FROM t')
  assert.deepEqual(rows, [{ n: 2 ** 53 - 1, b: Uint8Array.of(0, 255, 128), at: AT }])
  await assert.rejects(db.query('SCAN * FROM t'), {
    code: 'integer_out_of_range',
    fields: { column: 'n', value: '9007199254740992' },
  })
})

test('with bigints every INTEGER is one, whatever its value', async (t) => {
  const rows = [{ n: 1 }, { n: '-9223372036854775808' }, { n: null }]
  const server = await startScriptedServer(t, [{ expect: QUERY, answer: answerOf(TYPED, rows) }])
  const db = connect({ url: server.url, integers: 'bigint' })
  const result = await db.query('SCAN * FROM t')
  assert.deepEqual(
    result.rows.map((row) => row.n),
    [1n, -(2n ** 63n), null],
  )
})

test('several statements go in one request and each is answered', async (t) => {
  const results = [
    { columns: [], rows: [], rowsAffected: 1 },
    { columns: ID, rows: [{ id: 1 }], rowsAffected: 0 },
  ]
  const answer = { results, readTimestamp: 1, commitTimestamp: 2, attempts: 3 }
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: [200, answer] },
    {
      expect: QUERY,
      answer: [200, { ...answer, results: [...results, { ...results[0], rowsAffected: 4 }] }],
    },
  ])
  const db = connect({ url: server.url })
  const script = await db.execute([
    { sql: 'INSERT INTO t (id) VALUES (:id)', params: { id: 1n } },
    'GET id FROM t WHERE id = 1',
  ])
  assert.deepEqual(script, { ...answer, rowsAffected: 1 })
  assert.deepEqual(server.seen[0]?.body, {
    statements: [
      { sql: 'INSERT INTO t (id) VALUES (:id)', params: { id: 1 } },
      { sql: 'GET id FROM t WHERE id = 1' },
    ],
  })
  const query = await db.query('INSERT …; GET id FROM t WHERE id = 1; SET …')
  assert.deepEqual([query.rows, query.columns, query.rowsAffected], [[{ id: 1 }], ID, 5])
  assert.deepEqual(
    query.results?.map(({ rows, rowsAffected }) => [rows, rowsAffected]),
    [
      [[], 1],
      [[{ id: 1 }], 0],
      [[], 4],
    ],
  )
})

test('a problem becomes an error with its code, place, hint and fields', async (t) => {
  const fields = { line: 2, column: 5, statement: 1, hint: 'Write GET.', expected: ['GET'] }
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: problem(400, 'syntax_error', fields) },
    { expect: QUERY, answer: problem(409, 'write_conflict', { retryable: true, table: 't' }) },
  ])
  const db = connect({ url: server.url, token: 'secret' })
  await assert.rejects(db.query('SELECT 1'), (error) => {
    assert.ok(error instanceof PercoliteError)
    assert.equal(error.code, 'syntax_error')
    assert.equal(error.httpStatus, 400)
    assert.equal(error.message, 'It is syntax_error.')
    assert.equal(error.retryable, false)
    assert.equal(error.statement, 1)
    assert.deepEqual(error.position, { line: 2, column: 5 })
    assert.equal(error.hint, 'Write GET.')
    assert.deepEqual(error.fields.expected, ['GET'])
    return true
  })
  await assert.rejects(db.query('SET …'), { code: 'write_conflict', retryable: true })
  assert.equal(server.seen[0]?.headers.authorization, 'Bearer secret')
  server.assertPlayed()
})

test('a lost connection, a silent server and a stranger are told apart; nothing is sent twice', async (t) => {
  const server = await startScriptedServer(t, [
    { expect: QUERY, drop: true },
    { expect: QUERY, silent: true },
    { expect: QUERY, answer: [502, 'Bad gateway'] },
    { expect: QUERY, answer: [200] },
  ])
  const db = connect({ url: server.url })
  // Only who waits in vain is impatient: on a busy machine an answer may take longer than this.
  const impatient = connect({ url: server.url, timeoutMs: 50 })
  await assert.rejects(db.query('SET …'), { code: 'connection_failed', retryable: false })
  await assert.rejects(impatient.query('SET …'), { code: 'request_timed_out', retryable: false })
  await assert.rejects(db.query('SET …'), { code: 'invalid_answer', httpStatus: 502 })
  await assert.rejects(db.query('SET …'), { code: 'invalid_answer', httpStatus: 200 })
  server.assertPlayed()
})

test('a caller who gives up gets the reason they gave', async (t) => {
  const server = await startScriptedServer(t, [{ expect: QUERY, silent: true }])
  const controller = new AbortController()
  const asked = connect({ url: server.url }).query('SCAN …', [], { signal: controller.signal })
  controller.abort(new Error('enough'))
  await assert.rejects(asked, /enough/)
})

test('a scan asks for the next page only when the one before is used up', async (t) => {
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: answerOf(ID, [{ id: 1 }, { id: 2 }], { cursor: 'c1' }) },
    { expect: QUERY, answer: answerOf(ID, [{ id: 3 }]) },
  ])
  const ids: unknown[] = []
  for await (const row of connect({ url: server.url }).scan('SCAN …', [], { pageSize: 2 })) {
    if (row.id === 2) assert.equal(server.seen.length, 1)
    ids.push(row.id)
  }
  assert.deepEqual(ids, [1, 2, 3])
  server.assertPlayed()
  assert.deepEqual(server.seen[1]?.body, { sql: 'SCAN …', params: [], pageSize: 2, cursor: 'c1' })
})

test('a scan that is left early, or aborted, asks for nothing more', async (t) => {
  const page = answerOf(ID, [{ id: 1 }, { id: 2 }], { cursor: 'c1' })
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: page },
    { expect: QUERY, answer: page },
  ])
  const db = connect({ url: server.url })
  for await (const row of db.scan('SCAN …')) if (row.id === 1) break
  const controller = new AbortController()
  await assert.rejects(async () => {
    for await (const _ of db.scan('SCAN …', [], { signal: controller.signal })) {
      controller.abort(new Error('enough'))
    }
  }, /enough/)
  server.assertPlayed()
})

test('an address that is none is refused when it is given', () => {
  assert.throws(() => connect({ url: 'nonsense' }), TypeError)
})

test('the environment names the server where there is one', async (t) => {
  const server = await startScriptedServer(t, [{ expect: QUERY, answer: answerOf([], []) }])
  const before = { url: process.env.PERCOLITE_URL, token: process.env.PERCOLITE_TOKEN }
  Object.assign(process.env, { PERCOLITE_URL: server.url, PERCOLITE_TOKEN: 'from-environment' })
  t.after(() => {
    delete process.env.PERCOLITE_URL
    delete process.env.PERCOLITE_TOKEN
    if (before.url !== undefined) process.env.PERCOLITE_URL = before.url
    if (before.token !== undefined) process.env.PERCOLITE_TOKEN = before.token
  })
  await connect().query('SHOW TABLES')
  assert.equal(server.seen[0]?.headers.authorization, 'Bearer from-environment')
})
