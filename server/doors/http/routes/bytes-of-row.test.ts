// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startTestServer } from '../../../../test/server/test-server.ts'
import { TokenServer } from '../../../../test/server/token-server.ts'

const PHOTO = '/v1/tables/post/rows/a/photo'
const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 7) % 256))

async function serverWithPosts(t: TestContext) {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE post (id TEXT PRIMARY KEY, title TEXT, photo BYTES, far BYTES, FAMILY f (far))',
  )
  await server.rows("INSERT INTO post (id, title) VALUES ('a', 'first')")
  const put = (path: string, bytes: Buffer, headers = {}) =>
    server.send({
      ...{ method: 'PUT', path, text: bytes },
      headers: { 'content-type': 'application/octet-stream', ...headers },
    })
  const get = (path: string, headers = {}) => server.send({ path, headers })
  return { server, put, get }
}

test('bytes that are put are read as they are, also from a family, and nothing else of the row changes', async (t) => {
  const { server, put, get } = await serverWithPosts(t)
  assert.equal((await get(PHOTO)).status, 204, 'NULL')
  const { url } = await server.listen()
  for (const path of [PHOTO, '/v1/tables/post/rows/a/far']) {
    const set = await put(path, BYTES)
    assert.equal(set.status, 204, set.text)
    const response = await fetch(`${url}${path}`, { headers: { host: 'localhost:4270' } })
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), BYTES)
    assert.equal(response.headers.get('etag'), set.headers.etag)
  }
  assert.deepEqual((await server.get('/v1/tables/post/rows/a?columns=id,title')).body, {
    id: 'a',
    title: 'first',
  })
  assert.equal((await put(PHOTO, Buffer.alloc(0))).status, 204)
  const empty = await get(PHOTO)
  assert.deepEqual([empty.status, empty.text], [200, ''])
})

test('no stored bytes are a page of this origin', async (t) => {
  const { put, get } = await serverWithPosts(t)
  await put(PHOTO, Buffer.from('<script>alert(1)</script>'))
  const { headers } = await get(PHOTO, { accept: 'text/html' })
  assert.equal(headers['content-type'], 'application/octet-stream')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-disposition'], 'attachment')
  assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
})

test('one range of bytes is answered alone, and anything else with all of them', async (t) => {
  const { put, get } = await serverWithPosts(t)
  const text = 'abcdefghij'
  const etag = String((await put(PHOTO, Buffer.from(text))).headers.etag)
  const cases: [string, string, string | undefined][] = [
    ['bytes=0-0', 'a', 'bytes 0-0/10'],
    ['bytes=2-4', 'cde', 'bytes 2-4/10'],
    ['bytes=7-', 'hij', 'bytes 7-9/10'],
    ['bytes=-3', 'hij', 'bytes 7-9/10'],
    ['bytes=-99', text, 'bytes 0-9/10'],
    ['bytes=8-99', 'ij', 'bytes 8-9/10'],
    ...['bytes=10-', 'bytes=4-2', 'bytes=-0', 'bytes=-', 'bytes=0-1,3-4', 'rows=0-1', 'x'].map(
      (range): [string, string, undefined] => [range, text, undefined],
    ),
  ]
  for (const [range, body, contentRange] of cases) {
    const answer = await get(PHOTO, { range })
    const found = [answer.text, answer.headers['content-range'], answer.status]
    assert.deepEqual(found, [body, contentRange, contentRange === undefined ? 200 : 206], range)
  }
  assert.equal((await get(PHOTO, { range: 'bytes=0-0', 'if-range': etag })).status, 206)
  assert.equal((await get(PHOTO, { range: 'bytes=0-0', 'if-range': '"1"' })).status, 200)
  assert.equal((await get(PHOTO, { 'if-none-match': etag })).status, 304)
  assert.equal((await put(PHOTO, BYTES, { 'if-match': '"1"' })).status, 412)
  assert.equal((await put(PHOTO, BYTES, { 'if-match': etag })).status, 204)
})

test('only the columns of type BYTES of a row that is there have bytes', async (t) => {
  const { server, put, get } = await serverWithPosts(t)
  const refusals: [string, string, number][] = [
    ['/v1/tables/post/rows/a/title', 'type_mismatch', 400],
    ['/v1/tables/post/rows/a/foto', 'unknown_column', 400],
    ['/v1/tables/post/rows/b/photo', 'row_not_found', 404],
    ['/v1/tables/toast/rows/a/photo', 'unknown_table', 404],
  ]
  for (const [path, code, status] of refusals) {
    for (const { status: found, body } of [await get(path), await put(path, BYTES)]) {
      assert.deepEqual([body.code, found], [code, status], path)
    }
  }
  const json = await server.send({ method: 'PUT', path: PHOTO, json: {} })
  assert.equal(json.status, 415)
})

test('a connection that has read rows reads their bytes as well', async (t) => {
  const { server } = await serverWithPosts(t)
  await server.query('CREATE TABLE file (id INTEGER PRIMARY KEY, bytes BYTES)')
  await server.rows("INSERT INTO file (id, bytes) VALUES (1, x'0102')")
  const { url } = await server.listen()
  for (const path of ['', '', '', '/bytes']) {
    const response = await fetch(`${url}/v1/tables/file/rows/1${path}`)
    assert.equal(response.status, 200)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (path !== '') assert.deepEqual(bytes, Buffer.from([1, 2]))
  }
})

test('a rule about rows holds for their bytes, as does the right to write', async (t) => {
  const tokens = await TokenServer.start(t)
  const admin = tokens.as(tokens.token)
  for (const sql of [
    'CREATE TABLE file (id INTEGER PRIMARY KEY, owner TEXT, bytes BYTES)',
    "INSERT INTO file (id, owner, bytes) VALUES (1, 'ann', x'01'), (2, 'bob', x'02')",
    'CREATE ROLE member',
    'CREATE ROLE reader',
    'GRANT READ, WRITE ON file TO member WHERE owner = token.sub',
    'GRANT READ ON file TO reader',
  ]) {
    assert.equal((await admin.query(sql)).status, 200, sql)
  }
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'))
  const reader = tokens.as(await tokens.made('CREATE TOKEN rob ROLE reader EXPIRES IN 1 DAY'))
  const put = (who: typeof ann, path: string) =>
    who.send({
      ...{ method: 'PUT', path, text: 'new' },
      headers: { 'content-type': 'application/octet-stream' },
    })
  const [own, others] = ['/v1/tables/file/rows/1/bytes', '/v1/tables/file/rows/2/bytes']
  assert.deepEqual(
    [(await put(ann, own)).status, (await ann.send({ path: own })).text],
    [204, 'new'],
  )
  assert.deepEqual(
    [(await put(ann, others)).status, (await ann.send({ path: others })).status],
    [404, 404],
  )
  assert.deepEqual(
    [(await put(reader, own)).status, (await reader.send({ path: others })).status],
    [403, 200],
  )
})
