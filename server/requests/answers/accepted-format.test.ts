// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'
import { formatOf, isJsonWanted } from './answer-format.ts'

test('Accept is read by RFC 9110, and format= comes first', () => {
  const cases: ReadonlyArray<readonly [string | undefined, string]> = [
    [undefined, 'json'],
    ['*/*', 'json'],
    ['text/csv', 'csv'],
    ['Text/CSV', 'csv'],
    ['text/csv; charset=utf-8', 'csv'],
    ['Text/CSV;Charset=UTF-8;q=0.7', 'csv'],
    ['text/csv; header=absent', 'json'],
    ['text/csv;q=0, application/json', 'json'],
    ['text/csv-schema', 'json'],
    ['application/json;q=0.5, text/csv;q=0.6', 'csv'],
    ['text/*', 'csv'],
    ['application/x-ndjson, */*;q=0.1', 'ndjson'],
    ['application/json, text/plain, */*', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['application/json;q=0, */*', 'ndjson'],
    ['image/png', 'json'],
    ['nonsense', 'json'],
  ]
  for (const [accept, format] of cases) {
    assert.equal(formatOf(undefined, accept), format, String(accept))
    assert.equal(isJsonWanted(accept), format === 'json', String(accept))
    assert.equal(formatOf('table', accept), 'table')
  }
})

test('an Accept that is too long is refused, and never taken apart', async (t) => {
  const server = await startTestServer(t)
  const long = '"'.padEnd(10_000, ',')
  const refused = await server.send({
    method: 'POST',
    path: '/v1/query',
    json: { sql: 'SHOW TABLES' },
    headers: { accept: long },
  })
  assert.deepEqual([refused.status, refused.body.limit], [413, 'acceptCharactersMax'])
})

test('what a cache may keep says that it depends on Accept', async (t) => {
  const server = await startTestServer(t, { flags: { 'allow-origin': 'https://app.example' } })
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  const path = '/v1/tables/item/rows?index=primary'
  const csv = await server.send({
    path,
    headers: { accept: 'text/csv;q=1, application/json;q=0.2' },
  })
  assert.match(String(csv.headers['content-type']), /^text\/csv/)
  assert.equal(csv.headers.vary, 'Accept')
  assert.equal((await server.get(path)).headers.vary, 'Accept')
  const origin = await server.send({ path, headers: { origin: 'https://app.example' } })
  assert.equal(origin.headers.vary, 'Origin, Accept')
  assert.equal((await server.get(`${path}&format=csv`)).headers.vary, undefined)
})

test('in CSV, NULL, an empty text and the word NULL differ, also in rows of one column', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, t TEXT, u TEXT)')
  const values = [null, '', 'NULL', ' x', 'a\r\nb', '"', 'x']
  await server.post(
    '/v1/tables/item/rows',
    values.map((t, id) => ({ id, t, u: t })),
  )
  const lone = await server.get('/v1/tables/item/rows?index=primary&columns=t&format=csv')
  assert.equal(lone.text, 't\r\nNULL\r\n""\r\n"NULL"\r\n" x"\r\n"a\r\nb"\r\n""""\r\nx\r\n')
  const both = await server.get('/v1/tables/item/rows?index=primary&columns=t,u&format=csv')
  assert.equal(
    both.text,
    't,u\r\n,\r\n"",""\r\nNULL,NULL\r\n" x"," x"\r\n"a\r\nb","a\r\nb"\r\n"""",""""\r\nx,x\r\n',
  )
})

test('tables that no path can hold cannot be made, and keys of dots have an escape', async (t) => {
  const server = await startTestServer(t)
  for (const name of ['.', '..']) {
    const { status, body } = await server.query(`CREATE TABLE "${name}" (id TEXT PRIMARY KEY)`)
    assert.deepEqual([status, body.code], [400, 'invalid_request'], name)
  }
  assert.equal((await server.query('CREATE TABLE "..." (id TEXT PRIMARY KEY)')).status, 200)
  const posted = await server.post('/v1/tables/.../rows', { id: '..' })
  assert.equal(posted.headers.location, '/v1/tables/.../rows/~2~2')
  assert.deepEqual((await server.get('/v1/tables/.../rows/~2~2')).body, { id: '..' })
})
