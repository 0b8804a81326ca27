// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import {
  type Answer,
  type Sending,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'

let server: TestServer
const atTheEnd: Array<() => unknown> = []

before(async () => {
  server = await startTestServer({ after: (step) => atTheEnd.push(step as () => unknown) })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10)")
})

after(async () => {
  for (const step of atTheEnd) await step()
})

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

function post(text: string | Buffer, headers: Record<string, string> = JSON_TYPE): Sending {
  return { method: 'POST', path: '/v1/query', text, headers }
}
function sql(text: string, more: Record<string, unknown> = {}): Sending {
  return { method: 'POST', path: '/v1/query', json: { sql: text, ...more } }
}

function assertProblem(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body?.code], [status, code], answer.text)
  assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
  assert.equal(answer.body.status, status)
  assert.ok(answer.text.endsWith('\n'))
  assert.doesNotMatch(answer.text, /\bat .*\.(ts|js):\d+|node_modules/, 'no stack trace')
}

const NESTED = `${'('.repeat(10_000)}1${')'.repeat(10_000)}`
const BAD: ReadonlyArray<readonly [string, Sending, number, string]> = [
  ['broken JSON', post('{"sql": "SHOW TABLES"'), 400, 'invalid_request'],
  ['an empty body', post(''), 400, 'invalid_request'],
  ['JSON that is no object', post('[1]'), 400, 'invalid_request'],
  ['text that is not UTF-8', post(Buffer.from([0x22, 0xff, 0x22])), 400, 'invalid_request'],
  ['raw text that is not UTF-8', post(Buffer.from([0xc3]), FORM_TYPE), 400, 'invalid_request'],
  ['half a surrogate pair', post('{"sql": "GET \\ud800"}'), 400, 'syntax_error'],
  [
    'a packed body',
    post('x', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    415,
    'unsupported_media_type',
  ],
  ...['iso-8859-1', '"latin1"', 'nonsense', '', 'utf-16', 'utf-8; charset=latin1'].flatMap(
    (charset) =>
      ['text/plain', 'application/json', 'application/sql;a=b'].map(
        (type) =>
          [
            `${type} in ${charset}`,
            post('SHOW TABLES', { 'content-type': `${type}; Charset=${charset}` }),
            415,
            'unsupported_media_type',
          ] as const,
      ),
  ),
  ['a JSON bomb', post('['.repeat(1_000_000)), 413, 'limit_exceeded'],
  ['an unknown field', sql('SHOW TABLES', { zzz: 1 }), 400, 'invalid_request'],
  ['a __proto__ field', post('{"sql": "SHOW TABLES", "__proto__": {}}'), 400, 'invalid_request'],
  ['a field of the wrong type', sql('SHOW TABLES', { params: 'x' }), 400, 'invalid_request'],
  ['a page of -1 rows', sql('SHOW TABLES', { pageSize: -1 }), 400, 'invalid_request'],
  ['sql and statements', sql('SHOW TABLES', { statements: [] }), 400, 'invalid_request'],
  ['no statement', sql(' ; -- nothing'), 400, 'invalid_request'],
  ['2 MB of text', sql('x'.repeat(2_000_000)), 413, 'limit_exceeded'],
  ['a body of 17 MB', post(Buffer.alloc(17 * 1024 * 1024, 0x20)), 413, 'limit_exceeded'],
  ['1,001 statements', sql('SHOW TABLES;'.repeat(1_001)), 413, 'limit_exceeded'],
  ['deep nesting', sql(`SCAN * FROM account WHERE ${NESTED} = 1`), 413, 'limit_exceeded'],
  [
    '10,001 parameters',
    sql('SHOW TABLES', { params: Array(10_001).fill(0) }),
    413,
    'limit_exceeded',
  ],
  ['a misspelled keyword', sql('GET * FORM account'), 400, 'syntax_error'],
  ['a statement of SQL', sql('SELECT * FROM account'), 400, 'syntax_error'],
  ['an unknown table', sql("GET * FROM acount WHERE id = 'bob'"), 404, 'unknown_table'],
  ['an unknown column', sql("GET balanse FROM account WHERE id = 'bob'"), 400, 'unknown_column'],
  ['a wrong type', sql('GET * FROM account WHERE id = 7'), 400, 'type_mismatch'],
  [
    'NULL where none may be',
    sql("SET balance = NULL ON account WHERE id = 'bob'"),
    400,
    'not_null_violation',
  ],
  [
    'too large an INTEGER',
    sql("SET balance = balance + 9223372036854775807 ON account WHERE id = 'bob'"),
    400,
    'out_of_range',
  ],
  ['a negative LIMIT', sql('SCAN * FROM account LIMIT -1'), 400, 'syntax_error'],
  [
    'a negative LIMIT by parameter',
    sql('SCAN * FROM account LIMIT :n', { params: { n: -1 } }),
    400,
    'out_of_range',
  ],
  ['a parameter without a value', sql('GET * FROM account WHERE id = :id'), 400, 'invalid_request'],
  [
    'a second row of one key',
    sql("INSERT INTO account (id, balance) VALUES ('bob', 1)"),
    409,
    'already_exists',
  ],
  [
    'a SET of no row',
    sql("SET balance = balance + 1 ON account WHERE id = 'x'"),
    404,
    'row_not_found',
  ],
  [
    'a condition that bounds no key',
    sql('SCAN * FROM account WHERE balance = 1'),
    400,
    'unbounded_scan',
  ],
  [
    'a BEGIN without its COMMIT',
    sql("BEGIN; SET balance = 1 ON account WHERE id = 'bob'"),
    400,
    'transaction_not_closed',
  ],
  [
    'CREATE among rows',
    sql('SHOW TABLES; CREATE TABLE t (id TEXT PRIMARY KEY)'),
    400,
    'script_mixture',
  ],
  [
    'an unknown transaction',
    sql('SHOW TABLES', { transaction: 'nope' }),
    404,
    'unknown_transaction',
  ],
  ['a cursor of nobody', sql('SCAN * FROM account', { cursor: 'x' }), 400, 'bad_cursor'],
  [
    'a transaction as of tomorrow',
    { method: 'POST', path: '/v1/transactions', json: { asOf: 9e15 } },
    400,
    'timestamp_in_future',
  ],
  [
    'a transaction as of never',
    { method: 'POST', path: '/v1/transactions', json: { asOf: 'never' } },
    400,
    'type_mismatch',
  ],
  [
    'JSON whose type was forgotten',
    post('{"sql": "SHOW TABLES"}', { 'content-type': 'application/x-www-form-urlencoded' }),
    400,
    'invalid_request',
  ],
  ['a body of pictures', post('x', { 'content-type': 'image/png' }), 415, 'unsupported_media_type'],
  [
    'text where only JSON is taken',
    { method: 'POST', path: '/v1/transactions', text: 'BEGIN', headers: FORM_TYPE },
    415,
    'unsupported_media_type',
  ],
  [
    'a body where none is taken',
    { method: 'POST', path: '/v1/transactions/x/commit', text: 'x', headers: FORM_TYPE },
    400,
    'invalid_request',
  ],
  ['an unknown parameter', { path: '/v1/tables?zzz=1' }, 400, 'invalid_request'],
  ['a parameter twice', { path: '/v1/locks?limit=1&limit=2' }, 400, 'invalid_request'],
  ['a parameter of the wrong type', { path: '/v1/locks?limit=many' }, 400, 'invalid_request'],
  [
    'a condition that is none',
    { path: '/v1/tables/account/rows?where=id%20%3D' },
    400,
    'syntax_error',
  ],
  [
    'values that are no JSON',
    { path: '/v1/tables/account/rows?params=%7B' },
    400,
    'invalid_request',
  ],
  ['values in a list', { path: '/v1/tables/account/rows?params=%5B1%5D' }, 400, 'invalid_request'],
  ['an order by nothing', { path: '/v1/tables/account/rows?order=' }, 400, 'invalid_request'],
  ['a page of 0 rows', { path: '/v1/tables/account/rows?limit=0' }, 400, 'invalid_request'],
  ['a form that is none', { path: '/v1/tables/account/rows?format=xml' }, 400, 'invalid_request'],
  ['a cursor of nobody for rows', { path: '/v1/tables/account/rows?cursor=x' }, 400, 'bad_cursor'],
  ['a key of two parts', { path: '/v1/tables/account/rows/a,b' }, 400, 'invalid_request'],
  ['a key with a wrong escape', { path: '/v1/tables/account/rows/a~9' }, 400, 'invalid_request'],
  [
    'no rows at all',
    { method: 'POST', path: '/v1/tables/account/rows', json: [] },
    400,
    'invalid_request',
  ],
  [
    'a row that is a text',
    { method: 'PUT', path: '/v1/tables/account/rows/a', json: 'x' },
    400,
    'invalid_request',
  ],
  [
    'a row of a table that is not there',
    { method: 'PUT', path: '/v1/tables/acount/rows/a', json: {} },
    404,
    'unknown_table',
  ],
  [
    'a key too long to be written',
    { method: 'PUT', path: `/v1/tables/account/rows/${'x'.repeat(5_000)}`, json: { balance: 1 } },
    413,
    'limit_exceeded',
  ],
  ['a path that is not there', { path: '/v2/query' }, 404, 'not_found'],
  ['a method that is not there', { path: '/v1/query' }, 405, 'method_not_allowed'],
  ['a path of broken escapes', { path: '/v1/tables/%zz' }, 400, 'invalid_request'],
  ['a path that is not UTF-8', { path: '/v1/tables/%ff' }, 400, 'invalid_request'],
  [
    'a path without end',
    { path: `/v1/tables/account/cells/${'x'.repeat(17_000)}` },
    414,
    'uri_too_long',
  ],
  [
    'a key without end',
    { path: `/v1/tables/account/cells/${'x'.repeat(5_000)}` },
    413,
    'limit_exceeded',
  ],
  [
    'a page of another origin',
    { ...sql('SHOW TABLES'), headers: { origin: 'http://evil.example' } },
    403,
    'origin_not_allowed',
  ],
  [
    'another host name',
    { path: '/', headers: { host: 'evil.example' } },
    403,
    'origin_not_allowed',
  ],
]

for (const [name, sending, status, code] of BAD) {
  test(`${name}: ${status} ${code}`, async () => {
    assertProblem(await server.send(sending), status, code)
  })
}

test('broken JSON is told with its place', async () => {
  const { body } = await server.send(post('{\n  "sql": "SHOW TABLES",\n  "params": [1,]\n}'))
  assert.deepEqual([body.line, body.column], [3, 16])
})

test('a limit is told by its name with both figures', async () => {
  const { body } = await server.send(sql('x'.repeat(2_000_000)))
  const { limit, limitValue, actual } = body
  const large = await server.send(post(Buffer.alloc(17 * 1024 * 1024, 0x20)))
  assert.deepEqual([large.body.limit, large.body.actual], ['bodyBytesMax', 17 * 1024 * 1024])
  assert.deepEqual([limit, limitValue, actual], ['statementTextBytesMax', 1_048_576, 2_000_000])
})

test('a syntax error has its place, what was expected, and the statement to write instead', async () => {
  const { body } = await server.send(sql('SELECT * FROM account'))
  assert.deepEqual([body.line, body.column], [1, 1])
  assert.match(body.hint, /SCAN \* FROM account/)
})

test('a mistake in a script is told with its statement', async () => {
  const { body } = await server.query('SHOW TABLES; SHOW TABLES;\nSCAN * FRM account')
  assert.deepEqual([body.code, body.statement, body.line], ['syntax_error', 2, 2])
})

test('AS OF with a name finds nothing among parameters without names', async () => {
  const text = "GET * FROM account AS OF :length WHERE id = 'bob'"
  assertProblem(await server.query(text, { params: [1] }), 400, 'invalid_request')
})

test('names of columns count in an answer: a short text cannot ask for a huge one', async () => {
  const get = `GET 1 AS "${'n'.repeat(900_000)}" FROM account WHERE id = 'bob'`
  const statements = Array.from({ length: 10 }, () => ({ sql: get }))
  assert.equal((await server.post('/v1/query', { statements })).status, 200)
  const many = Array.from({ length: 4 }, (_, i) => ({ sql: get.replace('1 AS', `${i} AS`) }))
  await server.rows(
    `INSERT INTO account (id, balance) VALUES ${Array.from({ length: 60 }, (_, i) => `('x${i}', 1)`)}`,
  )
  const ids = Array.from({ length: 60 }, (_, i) => `x${i}`)
  const large = many.map(({ sql: text }) => ({
    sql: text.replace("= 'bob'", 'IN :ids'),
    params: { ids },
  }))
  assertProblem(await server.post('/v1/query', { statements: large }), 413, 'limit_exceeded')
})

test('an unknown name is told with the nearest one', async () => {
  const { body } = await server.send(sql("GET balanse FROM account WHERE id = 'bob'"))
  assert.match(body.hint, /balance/)
  assert.equal(body.columnName, 'balanse')
  assert.deepEqual([body.statement, body.line, body.column], [0, 1, 5])
})

test('curl -d @file, which loses newlines, is refused only where a comment would swallow something', async () => {
  const swallowed = "SHOW TABLES; -- the next one GET * FROM account WHERE id = 'bob'"
  const answer = await server.send(post(swallowed, FORM_TYPE))
  assertProblem(answer, 400, 'invalid_request')
  assert.match(answer.body.hint, /--data-binary @file/)
  for (const text of [
    'DELETE FROM account -- some of them WHERE id = 1',
    '-- the tables SHOW TABLES',
    'BEGIN; SHOW TABLES; -- the end COMMIT',
    'SHOW TABLES -- all -- of them',
  ]) {
    assertProblem(await server.send(post(text, FORM_TYPE)), 400, 'invalid_request')
  }
  const harmless = [
    'SHOW TABLES -- all',
    'SHOW TABLES; --',
    'SCAN * FROM account USE PRIMARY KEY -- every one of them, as they are',
    "GET * FROM account WHERE id = '--'",
    'SHOW TABLES /* -- */',
    'SHOW TABLES -- all\n',
  ]
  for (const text of harmless) assert.equal((await server.send(post(text, FORM_TYPE))).status, 200)
  assert.equal(
    (await server.send(post('SHOW TABLES -- all', { 'content-type': 'text/plain' }))).status,
    200,
  )
})

test('a text of any kind may end in a comment', async () => {
  const sql = 'SHOW TABLES -- all of them'
  assert.equal((await server.query(sql)).status, 200)
  assert.equal((await server.post('/v1/query', { statements: [{ sql }] })).status, 200)
  for (const type of ['text/plain', 'application/sql']) {
    assert.equal((await server.send(post(sql, { 'content-type': type }))).status, 200)
  }
})

test('format=table tells every error as text, also one from before the statement', async () => {
  const path = '/v1/query?format=table'
  const form = FORM_TYPE
  const cases = [
    { path: `${path}&zzz=1`, text: 'SHOW TABLES', headers: form, status: 400 },
    { path, text: 'SCAN * FROM nothing USE PRIMARY KEY', headers: form, status: 404 },
    { path, text: 'x'.repeat(2 * 1024 * 1024), headers: form, status: 413 },
    { path, text: 'x'.repeat(17 * 1024 * 1024), headers: form, status: 413 },
    { path, text: '<a/>', headers: { 'content-type': 'text/xml' }, status: 415 },
    { path, text: '{', headers: { 'content-type': 'application/json' }, status: 400 },
    { path, text: '', headers: form, status: 400 },
    { path, text: 'SHOW TABLES', headers: { ...form, origin: 'http://x.example' }, status: 403 },
  ]
  for (const { status, ...sending } of cases) {
    const answer = await server.send({ method: 'POST', ...sending })
    assert.equal(answer.status, status, answer.text.slice(0, 200))
    assert.match(String(answer.headers['content-type']), /^text\/plain/)
    assert.match(answer.text, /^ERROR: {2}[a-z_]+: /)
  }
})

test('an operation without a body takes an empty object, and nothing else', async () => {
  const empty = [{ json: {} }, { text: '', headers: { 'content-type': 'application/json' } }, {}]
  for (const body of empty) {
    const committed = await server.begin()
    const path = `/v1/transactions/${committed}`
    const commit = await server.send({ method: 'POST', path: `${path}/commit`, ...body })
    assert.equal(commit.status, 200, commit.text)
    const rolledBack = `/v1/transactions/${await server.begin()}`
    const rollback = await server.send({ method: 'DELETE', path: rolledBack, ...body })
    assert.equal(rollback.status, 204, rollback.text)
    assert.equal((await server.send({ path: '/v1/status', ...body })).status, 200)
  }
  const open = `/v1/transactions/${await server.begin()}`
  for (const json of [{ a: 1 }, [], 0, 'x', null]) {
    const answer = await server.send({ method: 'POST', path: `${open}/commit`, json })
    if (json === null) assert.equal(answer.status, 200)
    else assertProblem(answer, 400, 'invalid_request')
  }
})

test('a method that is not there is answered with the ones that are', async () => {
  const { headers } = await server.send({ method: 'DELETE', path: '/v1/transactions' })
  assert.equal(headers.allow, 'GET, HEAD, POST')
})
