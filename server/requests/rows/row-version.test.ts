// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'

const ROW = '/v1/tables/account/rows/bob'

async function world(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, note TEXT)')
  await server.query("INSERT INTO account (id, balance, note) VALUES ('bob', 1, 'x')")
  return server
}

const etagOf = async (server: TestServer, more = '') =>
  String((await server.get(ROW + more)).headers.etag)

test('ADD and DROP COLUMN change the tag of rows that nobody writes', async (t) => {
  const server = await world(t)
  const tags = [await etagOf(server)]
  for (const sql of [
    'ALTER TABLE account ADD COLUMN a INTEGER',
    'ALTER TABLE account DROP COLUMN a',
    'ALTER TABLE account ADD COLUMN a INTEGER DEFAULT 7',
    'ALTER TABLE account DROP COLUMN note',
    'ALTER TABLE account ADD COLUMN note TEXT',
  ]) {
    const { status, text } = await server.query(sql)
    assert.equal(status, 200, text)
    const stale = String(tags.at(-1))
    const read = await server.send({ path: ROW, headers: { 'if-none-match': stale } })
    const tag = String(read.headers.etag)
    if (sql.includes('DROP COLUMN a')) assert.equal(tag, tags[0], 'the columns of before are back')
    else assert.ok(!tags.includes(tag), sql)
    assert.equal(read.status, 200, sql)
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      const json = method === 'DELETE' ? {} : { json: { balance: 2 } }
      const refused = await server.send({
        method,
        path: ROW,
        ...json,
        headers: { 'if-match': stale },
      })
      assert.deepEqual([refused.status, refused.body.etag], [412, tag], `${sql}: ${method}`)
    }
    tags.push(tag)
  }
  const patched = await server.send({
    method: 'PATCH',
    path: ROW,
    json: { balance: 2 },
    headers: { 'if-match': String(tags.at(-1)) },
  })
  assert.equal(patched.status, 200)
})

test('each form of a row has a tag of its own, and any of them names its version in a write', async (t) => {
  const server = await world(t)
  const forms = [
    '',
    '?columns=id',
    '?columns=id,note',
    '?columns=note,id',
    '?integers=string',
    '?described=true',
  ]
  const tags = await Promise.all(forms.map((form) => etagOf(server, form)))
  assert.equal(new Set(tags).size, forms.length)
  for (const [index, form] of forms.entries()) {
    for (const [other, tag] of tags.entries()) {
      const headers = { 'if-none-match': `"x", W/${tag}` }
      const { status } = await server.send({ path: ROW + form, headers })
      assert.equal(status, index === other ? 304 : 200)
    }
  }
  for (const form of forms) {
    const tag = await etagOf(server, form)
    const headers = { 'if-match': tag }
    const met = await server.send({ method: 'PATCH', path: ROW, json: { balance: 5 }, headers })
    assert.equal(met.status, 200, form)
    assert.equal(met.headers.etag, await etagOf(server))
    const again = await server.send({ method: 'PATCH', path: ROW, json: { balance: 5 }, headers })
    assert.equal(again.status, 412)
  }
})

test('a commit timestamp alone names the version of a row, whatever its columns', async (t) => {
  const server = await world(t)
  const { body } = await server.query("SET balance = 3 ON account WHERE id = 'bob'")
  await server.query('ALTER TABLE account ADD COLUMN a INTEGER')
  const headers = { 'if-match': `"${body.commitTimestamp}"` }
  const read = await server.send({ path: ROW, headers: { 'if-none-match': headers['if-match'] } })
  assert.equal(read.status, 200, 'no answer has such a tag')
  const met = await server.send({ method: 'PATCH', path: ROW, json: { a: 1 }, headers })
  assert.equal(met.status, 200)
  const again = await server.send({ method: 'PATCH', path: ROW, json: { a: 1 }, headers })
  assert.equal(again.status, 412)
})

test('If-None-Match compares weakly before a write, and If-Match strongly', async (t) => {
  const server = await world(t)
  const put = (headers: Readonly<Record<string, string>>) =>
    server.send({ method: 'PUT', path: ROW, json: { balance: 9 }, headers })
  const tag = await etagOf(server)
  assert.equal((await put({ 'if-none-match': `W/${tag}` })).status, 412)
  assert.equal((await put({ 'if-none-match': `, "1",, W/${tag}` })).status, 412)
  assert.equal((await put({ 'if-none-match': '*' })).status, 412)
  assert.equal((await put({ 'if-match': `W/${tag}` })).status, 412)
  for (const name of ['if-match', 'if-none-match']) {
    for (const value of ['1795383160024000', '"1" "2"', '*, "1"', ',']) {
      const { status, body } = await put({ [name]: value })
      assert.deepEqual([status, body.code], [400, 'invalid_request'], `${name}: ${value}`)
    }
  }
  assert.equal((await server.get(ROW)).body.balance, 1)
  assert.equal((await put({ 'if-match': `"1", ${tag} ,` })).status, 200)
})
