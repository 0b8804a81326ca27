// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openStorage } from '../../../storage/storage.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

const ITEM = 'CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)'

async function idOf(server: Pick<TestServer, 'send'>): Promise<unknown> {
  const { body } = await server.send({ path: '/v1/tables/item' })
  const { body: list } = await server.send({ path: '/v1/tables' })
  assert.equal(list.tables[0].id, body.id)
  return body.id
}

describe('what a client is told of a table', () => {
  test('is another id after it was dropped and made again, and the same after a restart', async (t) => {
    const storage = await openStorage({ engine: 'memory' })
    const before = await startTestServer(t, { deps: { storage } })
    await before.query(ITEM)
    const first = await idOf(before)
    assert.match(String(first), /^[\w-]{16}$/)
    await before.query('DROP TABLE item')
    await before.query(ITEM)
    const second = await idOf(before)
    assert.notEqual(second, first)
    const after = await startTestServer(t, { deps: { storage } })
    assert.equal(await idOf(after), second)
  })

  test('tells not how many were ever made: two databases give the same table other ids and shapes', async (t) => {
    const told = async () => {
      const server = await startTestServer(t)
      await server.query(ITEM)
      const client = await openSocket(t, (await server.listen()).port)
      const { shape } = await client.subscribe('all', 'SCAN * FROM item USE PRIMARY KEY')
      return { id: await idOf(server), shape }
    }
    const [one, other] = [await told(), await told()]
    assert.match(String(one.shape), /^[\w-]{16}$/)
    assert.notEqual(one.id, other.id)
    assert.notEqual(one.shape, other.shape)
  })
})

test('a cursor does not show where it continues, which may be at a row that a rule hides', async (t) => {
  const tokens = await TokenServer.start(t)
  const run = async (sql: string) => assert.equal((await tokens.query(sql)).status, 200, sql)
  await run('CREATE TABLE todo (id TEXT PRIMARY KEY, owner TEXT)')
  await run("INSERT INTO todo (id, owner) VALUES ('a', 'ann'), ('hidden', 'bob'), ('z', 'ann')")
  await run('CREATE ROLE member; GRANT READ ON todo TO member WHERE owner = token.sub')
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'))
  const sql = 'SCAN id, COUNT(*) AS n FROM todo USE PRIMARY KEY GROUP BY id'
  const { body } = await ann.query(sql, { pageSize: 1 })
  assert.deepEqual(body.results[0].rows, [{ id: 'a', n: 1 }])
  const cursor = String(body.cursor)
  for (const part of cursor.split('.')) {
    assert.doesNotMatch(Buffer.from(part, 'base64url').toString('latin1'), /hidden|todo/)
  }
  const { body: next } = await ann.query(sql, { pageSize: 1, cursor })
  assert.deepEqual(next.results[0].rows, [{ id: 'z', n: 1 }])
})
