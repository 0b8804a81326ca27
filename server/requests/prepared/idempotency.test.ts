// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { startTestServer, TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { readConfig } from '../../config.ts'
import { createServer } from '../../server.ts'

const SET = "SET n = n + 1 ON counter WHERE id = 'a'"

async function counterServer(t: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE counter (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  await server.query("INSERT INTO counter (id, n) VALUES ('a', 0)")
  return server
}

function send(server: TestServer, key: string, json: unknown = { sql: SET }) {
  return server.send({
    method: 'POST',
    path: '/v1/query',
    json,
    headers: { 'idempotency-key': key },
  })
}

async function counter(server: TestServer): Promise<number> {
  return (await server.rows("GET n FROM counter WHERE id = 'a'"))[0].n
}

describe('a request with an Idempotency-Key', () => {
  test('sent again does nothing and gets its first answer, stamps included', async (t) => {
    const server = await counterServer(t)
    const first = await send(server, 'k1')
    const second = await send(server, 'k1')
    assert.equal(first.status, 200)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers['idempotent-replayed'], 'true')
    for (const name of ['percolite-read-timestamp', 'percolite-commit-timestamp']) {
      assert.equal(String(second.headers[name]), String(first.headers[name]))
    }
    assert.equal(await counter(server), 1)
    await send(server, 'k2')
    assert.equal(await counter(server), 2)
  })

  test('sent fifty times at once is done once', async (t) => {
    const server = await counterServer(t)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(server, 'k1')))
    assert.equal(await counter(server), 1)
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(new Set(answers.map(({ body }) => body.commitTimestamp)).size, 1)
    const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
    assert.equal(replayed.length, 49)
  })

  test('with another body is refused with 422 and changes nothing', async (t) => {
    const server = await counterServer(t)
    await send(server, 'k1')
    const { status, body } = await send(server, 'k1', {
      sql: "SET n = 100 ON counter WHERE id = 'a'",
    })
    assert.deepEqual([status, body.code], [422, 'idempotency_key_reused'])
    assert.equal(await counter(server), 1)
  })

  test('that failed is not kept: with the mistake mended by time it runs', async (t) => {
    const server = await counterServer(t)
    const insert = { sql: "INSERT INTO counter (id, n) VALUES ('b', 1), ('a', 1)" }
    assert.equal((await send(server, 'k1', insert)).body.code, 'already_exists')
    await server.query("DELETE FROM counter WHERE id = 'a'")
    assert.equal((await send(server, 'k1', insert)).status, 200)
    assert.equal((await send(server, 'k1', insert)).headers['idempotent-replayed'], 'true')
  })

  test('that only reads is simply run again', async (t) => {
    const server = await counterServer(t)
    const read = { sql: "GET n FROM counter WHERE id = 'a'" }
    assert.equal((await send(server, 'k1', read)).body.results[0].rows[0].n, 0)
    await send(server, 'k2')
    const again = await send(server, 'k1', read)
    assert.equal(again.body.results[0].rows[0].n, 1)
    assert.equal(again.headers['idempotent-replayed'], undefined)
  })

  test('keeps big integers and bytes as they were answered', async (t) => {
    const server = await counterServer(t)
    const script = {
      statements: [
        { sql: "SET n = 9223372036854775807 ON counter WHERE id = 'a'" },
        { sql: "GET n FROM counter WHERE id = 'a'" },
      ],
      integers: 'string',
    }
    const first = await send(server, 'k1', script)
    assert.equal(first.body.results[1].rows[0].n, '9223372036854775807')
    assert.deepEqual((await send(server, 'k1', script)).body, first.body)
  })

  test('is refused where it means nothing, or is no key', async (t) => {
    const server = await counterServer(t)
    const transaction = await server.begin()
    const requests = [
      { sql: 'BEGIN' },
      { sql: 'CREATE TABLE other (id TEXT PRIMARY KEY)' },
      { sql: SET, transaction },
    ]
    for (const request of requests) {
      const { status, body } = await send(server, 'k1', request)
      assert.deepEqual([status, body.code], [400, 'invalid_request'], request.sql)
    }
    for (const key of ['', 'with space', 'x'.repeat(256), 'ä']) {
      const { status, body } = await send(server, key)
      assert.deepEqual([status, body.code], [400, 'invalid_request'], key)
    }
    assert.equal(await counter(server), 0)
  })

  test('too large an answer to keep is refused before anything is committed', async (t) => {
    const server = await counterServer(t)
    await server.query('CREATE TABLE note (id TEXT PRIMARY KEY, body TEXT)')
    await server.query('INSERT INTO note (id, body) VALUES (:id, :body)', {
      params: { id: 'a', body: 'x'.repeat(1_100_000) },
    })
    const script = { statements: [{ sql: SET }, { sql: 'SCAN * FROM note' }] }
    const { status, body } = await send(server, 'k1', script)
    assert.deepEqual([status, body.limit], [413, 'idempotentAnswerBytesMax'])
    assert.equal(await counter(server), 0)
  })

  test('is answered the same by the server that was started after a crash', async (t) => {
    const data = await testFolder(t, 'idempotency')
    const config = readConfig({ data, port: '0' })
    const before = new TestServer(await createServer(config))
    await before.query('CREATE TABLE counter (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
    await before.query("INSERT INTO counter (id, n) VALUES ('a', 0)")
    const first = await send(before, 'k1')
    await before.server.close()
    const after = new TestServer(await createServer(config))
    const second = await send(after, 'k1')
    assert.deepEqual(second.body, first.body)
    assert.equal(await counter(after), 1)
    await after.server.close()
  })

  test('sent to several gateways at once is done by one of them', async (t) => {
    const cellStore = new MemoryCellStore()
    const gateways = await Promise.all(
      [1, 2, 3].map(async () => {
        const storage = await openGateway(cellStore)
        return await startTestServer(t, { deps: { storage } })
      }),
    )
    const [server] = gateways as [TestServer, ...TestServer[]]
    await server.query('CREATE TABLE counter (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
    await server.query("INSERT INTO counter (id, n) VALUES ('a', 0)")
    const keys = Array.from({ length: 10 }, (_, round) => `k${round}`)
    for (const key of keys) {
      const answers = await Promise.all(gateways.map((gateway) => send(gateway, key)))
      const stamps = new Set(answers.map(({ body }) => body.commitTimestamp))
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200], key)
      assert.equal(stamps.size, 1)
    }
    assert.equal(await counter(server), keys.length)
  })
})
