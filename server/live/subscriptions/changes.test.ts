// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStorage } from '../../../storage/storage.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'

async function world(t: TestContext, deps = {}) {
  const server = await startTestServer(t, { deps })
  const { port } = await server.listen()
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  const ask = async (parameters: Record<string, string>, method = 'GET') => {
    const path = `/v1/changes?${new URLSearchParams(parameters)}`
    const asking = request({ port, path, method })
    asking.end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    // The lines may be broken off, which the close tells as well.
    answer.on('error', () => undefined)
    t.after(() => answer.destroy())
    return answer
  }
  return { server, ask }
}

function linesOf(answer: IncomingMessage) {
  const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
  return async () => {
    const { value, done } = await lines.next()
    return done ? undefined : JSON.parse(value)
  }
}

test('a subscription to the rows with a member, or a word, is told as rows gain and lose it', async (t) => {
  const { server, ask } = await world(t)
  await server.query('CREATE TABLE post (id INTEGER PRIMARY KEY, tags JSON, body TEXT)')
  await server.query('CREATE INDEX byTag ON post (EACH tags)')
  await server.query('CREATE INDEX words ON post (WORDS body)')
  await server.indexesBuilt('post')
  await server.query(
    `INSERT INTO post (id, tags, body) VALUES (1, '["x"]', 'An X'), (2, '["y"]', 'a Y')`,
  )
  for (const where of ["'x' = ANY (tags)", "body MATCH 'an x*'"]) {
    const next = linesOf(await ask({ sql: `SCAN id FROM post WHERE ${where}`, snapshot: 'true' }))
    await next()
    assert.deepEqual((await next()).rows, [{ key: [1], row: { id: 1 } }])
    await next()
    for (const [id, tags, body, op] of [
      [2, '["y","x"]', 'X, an other', 'enter'],
      [1, '["z"]', 'an other', 'leave'],
      [1, '["x"]', 'an xylophone', 'enter'],
      [2, '["y"]', 'a Y', 'leave'],
    ]) {
      await server.query(`SET tags = '${tags}', body = '${body}' ON post WHERE id = ${id}`)
      const { changes } = await next()
      assert.deepEqual([changes.length, changes[0].op, changes[0].key], [1, op, [id]])
    }
  }
})

test('a subscription comes as lines, the frames of the socket without their id', async (t) => {
  const { server, ask } = await world(t)
  await server.query("SET balance = 1 ON account WHERE id = 'bob'")
  const sql = 'SCAN * FROM account USE PRIMARY KEY WHERE balance < :most'
  const answer = await ask({ sql, snapshot: 'true', params: '{"most":5}', integers: 'string' })
  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-type']), /^application\/x-ndjson/)
  const next = linesOf(answer)
  const { timestamp, ...subscribed } = await next()
  assert.deepEqual(
    [subscribed.type, subscribed.id, subscribed.key],
    ['subscribed', undefined, [{ name: 'id', type: 'TEXT' }]],
  )
  const row = { id: 'bob', balance: '1' }
  assert.deepEqual(await next(), { type: 'rows', rows: [{ key: ['bob'], row }] })
  assert.deepEqual(await next(), { type: 'snapshotEnd', timestamp })
  const { body } = await server.query("DELETE FROM account WHERE id = 'bob'")
  assert.deepEqual(await next(), {
    type: 'change',
    commitTimestamp: body.commitTimestamp,
    changes: [{ op: 'delete', key: ['bob'] }],
    last: true,
  })
  const again = linesOf(await ask({ sql: 'SCAN id FROM account', since: String(timestamp) }))
  assert.equal((await again()).timestamp, timestamp)
  assert.equal((await again()).commitTimestamp, body.commitTimestamp)
})

test('what is wrong is an answer of its own as long as no line was sent, and the last line later', async (t) => {
  const { server, ask } = await world(t)
  for (const [parameters, status, code] of [
    [{ sql: 'SCAN * FROM nothing' }, 404, 'unknown_table'],
    [{ sql: 'SCAN * FROM account LIMIT 1', mode: 'rows' }, 400, 'not_subscribable'],
    [{ sql: 'SCAN * FROM account WHERE balance = 1', snapshot: 'true' }, 400, 'unbounded_scan'],
    [{ sql: 'SCAN * FROM account', snapshot: 'true', since: '1' }, 400, 'invalid_request'],
    [{ sql: 'SCAN * FROM account', params: '7' }, 400, 'invalid_request'],
    [{ sql: 'SCAN * FROM account', params: '{' }, 400, 'invalid_request'],
    [{ sql: 'SCAN * FROM account', since: '9007199254740991' }, 400, 'timestamp_in_future'],
    [{}, 400, 'invalid_request'],
  ] as const) {
    const path = `/v1/changes?${new URLSearchParams(parameters)}`
    const { status: given, body } = await server.get(path)
    assert.deepEqual([given, body.code], [status, code], path)
  }
  const next = linesOf(await ask({ sql: 'SCAN * FROM account' }))
  await next()
  await server.query('DROP TABLE account')
  const last = await next()
  assert.deepEqual([last.type, last.code, last.status], ['error', 'unknown_table', 404])
  assert.equal(await next(), undefined)
})

test('a stopping server ends the lines, and does not wait for those who read them', async (t) => {
  const { server, ask } = await world(t)
  const next = linesOf(await ask({ sql: 'SCAN * FROM account' }))
  await next()
  const startedMs = performance.now()
  const closed = server.server.close()
  const last = await next()
  assert.deepEqual([last.type, last.code, last.retryable], ['error', 'overloaded', true])
  assert.equal(await next(), undefined)
  await closed
  assert.ok(performance.now() - startedMs < 5_000)
})

test('a reader who goes ends the subscription, and HEAD begins none', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  let following = 0
  const { feed } = storage
  const follow = feed.follow.bind(feed)
  feed.follow = (position, listener) => {
    following += 1
    const follower = follow(position, listener)
    const stop = follower.stop.bind(follower)
    follower.stop = () => {
      following -= 1
      stop()
    }
    return follower
  }
  const { ask } = await world(t, { storage })
  const head = await ask({ sql: 'SCAN * FROM account' }, 'HEAD')
  assert.equal(head.statusCode, 200)
  head.resume()
  const answer = await ask({ sql: 'SCAN * FROM account' })
  await linesOf(answer)()
  while (following === 0) await setImmediate()
  answer.destroy()
  while (following > 0) await setImmediate()
})

test('a reader who takes nothing for a minute is broken off, an idle one is not', async (t) => {
  const clock = new ManualClock()
  const { server, ask } = await world(t, { clock })
  await server.query('CREATE TABLE text (id TEXT PRIMARY KEY, body TEXT)')
  const idle = linesOf(await ask({ sql: 'SCAN * FROM account' }))
  await idle()
  const stuck = await ask({ sql: 'SCAN * FROM text' })
  stuck.pause()
  const params = ['x'.repeat(100_000)]
  for (let n = 0; n < 200; n += 1)
    await server.query("SET body = $1 ON text WHERE id = 'x'", { params })
  await clock.advance(SERVER_LIMITS.socketSilenceMsMax + 2 * SERVER_LIMITS.progressMs)
  const closed = Promise.withResolvers<void>()
  stuck.on('close', () => closed.resolve())
  stuck.resume()
  await closed.promise
  assert.equal(stuck.complete, false)
  await server.query("SET balance = 1 ON account WHERE id = 'bob'")
  for (let line = await idle(); line.type !== 'change'; line = await idle()) {
    assert.equal(line.type, 'progress')
  }
})
