// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Answer, startTestServer, type TestServer } from '../../../test/server/test-server.ts'

const ROWS = '/v1/tables/account/rows'

async function serverWithAccounts(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0, note TEXT)',
  )
  await server.rows(
    "INSERT INTO account (id, balance, note) VALUES ('bob', 10, 'old'), ('joe', 2, NULL)",
  )
  return server
}

function send(
  server: TestServer,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return server.send({ method, path, headers, ...(json === undefined ? {} : { json }) })
}

function outcome({ status, body }: Answer): unknown[] {
  return [status, body?.code]
}

test('a row that is posted is answered with its place, its tag, and what was generated', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE "a b" (id TEXT PRIMARY KEY DEFAULT uuid(), n INTEGER DEFAULT 7)')
  const posted = await send(server, 'POST', '/v1/tables/a%20b/rows', {})
  assert.equal(posted.status, 201)
  assert.match(posted.body.id, /^[0-9a-f-]{36}$/)
  assert.equal(posted.body.n, 7)
  assert.equal(posted.headers.location, `/v1/tables/a%20b/rows/${posted.body.id}`)
  const found = await server.get(String(posted.headers.location))
  assert.deepEqual(found.body, posted.body)
  assert.equal(found.headers.etag, posted.headers.etag)
  assert.match(
    String(found.headers.etag),
    new RegExp(`^"${posted.headers['percolite-commit-timestamp']}-[\\w.]{8}"$`),
  )
})

test('several rows go in together or not at all, whichever columns each of them has', async (t) => {
  const server = await serverWithAccounts(t)
  const refused = await send(server, 'POST', ROWS, [
    { id: 'eve' },
    { id: 'kim', note: 'x' },
    { id: 'bob' },
  ])
  assert.deepEqual(outcome(refused), [409, 'already_exists'])
  assert.deepEqual(refused.body.key, ['bob'])
  const posted = await send(server, 'POST', ROWS, [
    { id: 'eve' },
    { note: 'x', id: 'kim', balance: 1 },
  ])
  assert.equal(posted.status, 201)
  assert.deepEqual(posted.body, [
    { id: 'eve', balance: 0, note: null },
    { id: 'kim', balance: 1, note: 'x' },
  ])
  const { body } = await server.get(`${ROWS}?columns=id`)
  assert.deepEqual(
    body.rows.map(({ id }: { id: string }) => id),
    ['bob', 'eve', 'joe', 'kim'],
  )
})

test('PUT makes a row or replaces it whole, PATCH changes what it names', async (t) => {
  const server = await serverWithAccounts(t)
  const made = await send(server, 'PUT', `${ROWS}/kim`, { balance: 1 })
  assert.deepEqual([made.status, made.body], [201, { id: 'kim', balance: 1, note: null }])
  const patched = await send(server, 'PATCH', `${ROWS}/bob`, { balance: 11 })
  assert.deepEqual([patched.status, patched.body], [200, { id: 'bob', balance: 11, note: 'old' }])
  const replaced = await send(server, 'PUT', `${ROWS}/bob`, { id: 'bob', balance: 12 })
  assert.deepEqual([replaced.status, replaced.body], [200, { id: 'bob', balance: 12, note: null }])
  assert.equal((await server.get(`${ROWS}/bob`)).headers.etag, replaced.headers.etag)
  const absent = await send(server, 'PATCH', `${ROWS}/nobody`, { balance: 1 })
  assert.deepEqual(outcome(absent), [404, 'row_not_found'])
  const other = await send(server, 'PATCH', `${ROWS}/bob`, { id: 'joe' })
  assert.deepEqual(outcome(other), [400, 'invalid_request'])
  const nothing = await send(server, 'PATCH', `${ROWS}/bob`, {})
  assert.deepEqual([nothing.status, nothing.headers.etag], [200, replaced.headers.etag])
})

test('a row with a name that stands twice is refused, alone and among others', async (t) => {
  const server = await serverWithAccounts(t)
  const sendText = (method: 'POST' | 'PUT' | 'PATCH', path: string, text: string) =>
    server.send({ method, path, text, headers: { 'Content-Type': 'application/json' } })
  for (const [method, path, body, pointer] of [
    ['POST', ROWS, '{"id":"kim","balance":1,"balance":2}', '/balance'],
    ['POST', ROWS, '[{"id":"kim"},{"id":"eve","note":"a:b","n\\u006fte":null}]', '/1/note'],
    ['PUT', `${ROWS}/kim`, '{"id":"kim","balance":1,"balance":1}', '/balance'],
    ['PATCH', `${ROWS}/bob`, '{"balance":1,"balance":2}', '/balance'],
  ] as const) {
    const refused = await sendText(method, path, body)
    assert.deepEqual([...outcome(refused), refused.body.pointer], [400, 'type_mismatch', pointer])
  }
  const once = await sendText('PUT', `${ROWS}/bob`, '{"id":"bob","balance":12,"note":"\\"a\\":1"}')
  assert.equal(once.status, 200, once.text)
})

test('a replaced row keeps its unique entry, and another row cannot have the same', async (t) => {
  const server = await serverWithAccounts(t)
  await server.query('CREATE UNIQUE INDEX byNote ON account (note)')
  await server.indexesBuilt('account')
  const replaced = await send(server, 'PUT', `${ROWS}/bob`, { note: 'old', balance: 1 })
  assert.equal(replaced.status, 200, replaced.text)
  const refused = await send(server, 'PUT', `${ROWS}/joe`, { note: 'old' })
  assert.deepEqual(outcome(refused), [409, 'unique_violation'])
  assert.equal(refused.body.index, 'byNote')
  const { body } = await server.get(
    `${ROWS}?where=note%20=%20:n&params=${encodeURIComponent('{"n":"old"}')}`,
  )
  assert.deepEqual(body.rows, [{ id: 'bob', balance: 1, note: 'old' }])
})

test('DELETE removes a row once', async (t) => {
  const server = await serverWithAccounts(t)
  const gone = await send(server, 'DELETE', `${ROWS}/bob`)
  assert.deepEqual([gone.status, gone.text, gone.headers['content-type']], [204, '', undefined])
  assert.deepEqual(outcome(await send(server, 'DELETE', `${ROWS}/bob`)), [404, 'row_not_found'])
  assert.deepEqual(outcome(await server.get(`${ROWS}/bob`)), [404, 'row_not_found'])
})

test('a write with conditions happens only to the version they name', async (t) => {
  const server = await serverWithAccounts(t)
  const tag = String((await server.get(`${ROWS}/bob`)).headers.etag)
  const stale = { 'if-match': '"1", W/"2"' }
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    const body = method === 'DELETE' ? undefined : { balance: 0 }
    const refused = await send(server, method, `${ROWS}/bob`, body, stale)
    assert.deepEqual(outcome(refused), [412, 'precondition_failed'], method)
    assert.equal(refused.body.etag, tag)
    const nowhere = await send(server, method, `${ROWS}/nobody`, body, { 'if-match': '*' })
    assert.deepEqual(outcome(nowhere), [412, 'precondition_failed'], method)
  }
  const weak = await send(
    server,
    'PATCH',
    `${ROWS}/bob`,
    { balance: 0 },
    { 'if-match': `W/${tag}` },
  )
  assert.equal(weak.status, 412)
  const created = await send(server, 'PUT', `${ROWS}/bob`, {}, { 'if-none-match': '*' })
  assert.equal(created.status, 412)
  const met = await send(
    server,
    'PATCH',
    `${ROWS}/bob`,
    { balance: 1 },
    { 'if-match': `"1",${tag}` },
  )
  assert.equal(met.status, 200)
  assert.notEqual(met.headers.etag, tag)
  const again = await send(server, 'PATCH', `${ROWS}/bob`, { balance: 2 }, { 'if-match': tag })
  assert.equal(again.status, 412)
  const free = await send(server, 'PUT', `${ROWS}/kim`, {}, { 'if-none-match': '*' })
  assert.equal(free.status, 201)
  const wrong = await send(server, 'PUT', `${ROWS}/kim`, {}, { 'if-match': 'abc' })
  assert.deepEqual(outcome(wrong), [400, 'invalid_request'])
})

test('of many who change one version of a row at once, one does', async (t) => {
  const server = await serverWithAccounts(t)
  const tag = String((await server.get(`${ROWS}/bob`)).headers.etag)
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, balance) =>
      send(server, 'PATCH', `${ROWS}/bob`, { balance }, { 'if-match': tag }),
    ),
  )
  const statuses = answers.map(({ status }) => status).toSorted()
  assert.deepEqual(statuses, [200, ...Array(15).fill(412)])
  const made = await Promise.all(
    Array.from({ length: 16 }, (_, balance) =>
      send(server, 'PUT', `${ROWS}/new`, { balance }, { 'if-none-match': '*' }),
    ),
  )
  assert.equal(made.filter(({ status }) => status === 201).length, 1)
})

test('the tag of a row is that of its newest family', async (t) => {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE page (id TEXT PRIMARY KEY, body TEXT, hits INTEGER, FAMILY counts (hits))',
  )
  const made = await send(server, 'PUT', '/v1/tables/page/rows/a', { body: 'x', hits: 1 })
  const counted = await send(server, 'PATCH', '/v1/tables/page/rows/a', { hits: 2 })
  assert.notEqual(counted.headers.etag, made.headers.etag)
  const found = await server.get('/v1/tables/page/rows/a?columns=body')
  assert.deepEqual(found.body, { body: 'x' })
  const version = String(counted.headers.etag).slice(0, -1)
  assert.ok(String(found.headers.etag).startsWith(version), 'a part of the row has its version')
  const { body } = await server.get('/v1/tables/page')
  assert.deepEqual(body.families, [{ name: 'counts', columns: ['hits'] }])
  const cells = await server.get('/v1/tables/page/cells/a')
  assert.deepEqual(
    cells.body.data.map(({ family, row }: { family?: string; row: unknown }) => [family, row]),
    [
      [undefined, { id: 'a', body: 'x' }],
      ['counts', { id: 'a', hits: 2 }],
      ['counts', { id: 'a', hits: 1 }],
    ],
  )
})

test('of two who change different families of one version, one does', async (t) => {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE page (id TEXT PRIMARY KEY, body TEXT, hits INTEGER, FAMILY counts (hits))',
  )
  const path = '/v1/tables/page/rows/a'
  for (let round = 0; round < 10; round += 1) {
    const { headers } = await send(server, 'PUT', path, { body: 'x', hits: 1 })
    const condition = { 'if-match': String(headers.etag) }
    const answers = await Promise.all([
      send(server, 'PATCH', path, { hits: 2 }, condition),
      send(server, 'PATCH', path, { body: 'y' }, condition),
    ])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412])
  }
})

test('a reader who has the row already is told so, and gets no body', async (t) => {
  const server = await serverWithAccounts(t)
  const { headers } = await server.get(`${ROWS}/bob`)
  const same = { 'if-none-match': String(headers.etag) }
  const unchanged = await send(server, 'GET', `${ROWS}/bob`, undefined, same)
  assert.deepEqual([unchanged.status, unchanged.text], [304, ''])
  await send(server, 'PATCH', `${ROWS}/bob`, { balance: 0 })
  assert.equal((await send(server, 'GET', `${ROWS}/bob`, undefined, same)).status, 200)
})

test('a write that is repeated with its key answers the same and does nothing', async (t) => {
  const server = await serverWithAccounts(t)
  const key = { 'idempotency-key': 'once' }
  const first = await send(server, 'POST', ROWS, { id: 'eve' }, key)
  const second = await send(server, 'POST', ROWS, { id: 'eve' }, key)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal(first.headers['idempotent-replayed'], undefined)
  for (const name of ['etag', 'location', 'percolite-commit-timestamp']) {
    assert.equal(second.headers[name], first.headers[name], name)
  }
  assert.deepEqual([second.status, second.body], [201, first.body])
  const other = await send(server, 'POST', ROWS, { id: 'kim' }, key)
  assert.deepEqual(outcome(other), [422, 'idempotency_key_reused'])
  const gone = { 'idempotency-key': 'gone' }
  assert.equal((await send(server, 'DELETE', `${ROWS}/eve`, undefined, gone)).status, 204)
  assert.equal((await send(server, 'DELETE', `${ROWS}/eve`, undefined, gone)).status, 204)
  const many = { 'idempotency-key': 'many' }
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send(server, 'POST', ROWS, [{ id: 'a' }, { id: 'b' }], many)),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
})

test('the rows of a page are bounded, filtered and ordered as asked, and are of one moment', async (t) => {
  const server = await serverWithAccounts(t)
  const first = await server.get(`${ROWS}?limit=1&order=id%20desc&columns=id,balance`)
  assert.deepEqual(first.body.rows, [{ id: 'joe', balance: 2 }])
  assert.equal(Number(first.headers['percolite-read-timestamp']), first.body.readTimestamp)
  await send(server, 'DELETE', `${ROWS}/bob`)
  const rest = `&order=id%20desc&columns=id,balance&cursor=${first.body.cursor}`
  const second = await server.get(`${ROWS}?limit=9${rest}`)
  assert.deepEqual(second.body.rows, [{ id: 'bob', balance: 10 }])
  assert.equal(second.body.readTimestamp, first.body.readTimestamp)
  assert.equal(second.body.cursor, undefined)
  const foreign = await server.get(`${ROWS}?cursor=${first.body.cursor}`)
  assert.deepEqual(outcome(foreign), [400, 'bad_cursor'])
  const query = await server.query('SCAN * FROM account', { cursor: first.body.cursor })
  assert.deepEqual(outcome(query), [400, 'bad_cursor'])
  const past = await server.get(`${ROWS}?asOf=${first.body.readTimestamp}&where=id%20=%20'bob'`)
  assert.equal(past.body.rows.length, 1)
  const old = await server.get(`${ROWS}/bob?asOf=${first.body.readTimestamp}`)
  assert.equal(old.body.balance, 10)
})

test('a condition that bounds no key needs index=primary', async (t) => {
  const server = await serverWithAccounts(t)
  const where = `where=${encodeURIComponent('balance > :n')}&params=${encodeURIComponent('{"n":5}')}`
  const refused = await server.get(`${ROWS}?${where}`)
  assert.deepEqual(outcome(refused), [400, 'unbounded_scan'])
  assert.match(refused.body.suggestedIndex, /^CREATE INDEX .*balance/)
  const walked = await server.get(`${ROWS}?${where}&index=primary`)
  assert.deepEqual(
    walked.body.rows.map(({ id }: { id: string }) => id),
    ['bob'],
  )
  const unknown = await server.get(`${ROWS}?index=byNothing`)
  assert.deepEqual(outcome(unknown), [404, 'unknown_index'])
})

test('where is one condition: nothing can be added to it, and its mistakes have their place', async (t) => {
  const server = await serverWithAccounts(t)
  const ask = (where: string) => server.get(`${ROWS}?where=${encodeURIComponent(where)}`)
  for (const where of [
    "id = 'bob' LIMIT 1",
    "id = 'bob' ORDER BY id",
    "id = 'bob'; DELETE FROM account USE PRIMARY KEY",
  ]) {
    const { status, body } = await ask(where)
    assert.deepEqual([status, body.code], [400, 'syntax_error'], where)
  }
  const commented = await ask("id = 'bob' -- and nobody else")
  assert.equal(commented.body.rows.length, 1)
  const broken = await ask("id = 'bob' AND\n balance >")
  assert.deepEqual(
    [broken.body.code, broken.body.line, broken.body.column],
    ['syntax_error', 2, 11],
  )
  const unknown = await ask("id = 'bob' AND\n balanse > 1")
  assert.deepEqual([unknown.body.line, unknown.body.column], [2, 2])
  assert.equal(unknown.body.statement, undefined)
  assert.equal((await server.get(`${ROWS}?columns=id`)).body.rows.length, 2)
})

test('a page of rows that no key gives is told the parameter of the path, which then answers', async (t) => {
  const server = await serverWithAccounts(t)
  const unordered = await server.get(`${ROWS}?order=balance`)
  assert.equal(unordered.body.code, 'invalid_request')
  assert.doesNotMatch(unordered.body.hint, /LIMIT|ORDER BY/)
  const orders = [...unordered.body.hint.matchAll(/order=([^.]*?)(?=, or|\.)/g)]
  assert.ok(orders.length > 1, unordered.body.hint)
  for (const [, order = ''] of orders) {
    const { status, text } = await server.get(`${ROWS}?order=${encodeURIComponent(order)}`)
    assert.equal(status, 200, `${order}: ${text}`)
  }
  const where = encodeURIComponent('balance > 3')
  for (const format of ['json', 'ndjson']) {
    const { body } = await server.get(`${ROWS}?where=${where}&format=${format}`)
    assert.match(body.hint, /say index=primary to walk the table/)
    assert.doesNotMatch(body.hint, /SCAN/)
  }
  assert.equal((await server.get(`${ROWS}?where=${where}&index=primary`)).status, 200)
})

test('a mistake in a body names the column, and of several rows which one', async (t) => {
  const server = await serverWithAccounts(t)
  const wrong = await send(server, 'POST', ROWS, [{ id: 'a' }, { id: 'b', balance: 'much' }])
  assert.deepEqual(outcome(wrong), [400, 'type_mismatch'])
  assert.deepEqual(
    [wrong.body.columnName, wrong.body.row, wrong.body.line],
    ['balance', 1, undefined],
  )
  const unknown = await send(server, 'PATCH', `${ROWS}/bob`, { balanse: 1 })
  assert.deepEqual(outcome(unknown), [400, 'unknown_column'])
  assert.deepEqual(unknown.body.nearest, ['balance'])
  const missing = await send(server, 'POST', ROWS, { balance: 1 })
  assert.deepEqual(outcome(missing), [400, 'not_null_violation'])
  const many = await send(server, 'POST', ROWS, Array(10_001).fill({}))
  assert.deepEqual([many.body.limit, many.body.actual], ['postedRowsMax', 10_001])
})

test('many who raise one row by PATCH after a GET lose nothing when each asks for its version', async (t) => {
  const server = await serverWithAccounts(t)
  const raise = async (): Promise<void> => {
    const { body, headers } = await server.get(`${ROWS}/bob`)
    const { status } = await send(
      server,
      'PATCH',
      `${ROWS}/bob`,
      { balance: body.balance + 1 },
      {
        'if-match': String(headers.etag),
      },
    )
    return status === 200 ? undefined : raise()
  }
  await Promise.all(Array.from({ length: 12 }, raise))
  assert.equal((await server.get(`${ROWS}/bob`)).body.balance, 22)
})
