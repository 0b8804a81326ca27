// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../storage/storage.ts'
import { Receiving } from '../../../test/relays/receiving.ts'
import { RelayScene } from '../../../test/relays/relay-scene.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { SERVER_LIMITS } from '../../limits.ts'

test('commits reach the receiver whole and in their order, signed, with the rows as subscriptions have them', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.run("INSERT INTO orders (id, state) VALUES (0, 'before the relay')")
  await scene.createRelay()
  await scene.run(`BEGIN; INSERT INTO orders (id, state) VALUES (1, 'new'), (2, 'new');
    INSERT INTO payment (id, amount) VALUES (7, 90); INSERT INTO other (id) VALUES (1); COMMIT`)
  await scene.run("SET state = 'paid' ON orders WHERE id = 1")
  await scene.run('DELETE FROM orders WHERE id = 2')
  await scene.run('INSERT INTO other (id) VALUES (2)')
  await scene.receiving.until(() => scene.receiving.seen.length === 3, 'three commits')
  const messages = scene.receiving.seen.map(({ body }) => JSON.parse(body))
  const changes = messages.map(({ data }) => data.changes)
  const note = null
  assert.deepEqual(changes[0], [
    { table: 'orders', op: 'insert', key: [1], row: { id: 1, state: 'new', note } },
    { table: 'orders', op: 'insert', key: [2], row: { id: 2, state: 'new', note } },
    { table: 'payment', op: 'insert', key: [7], row: { id: 7, amount: 90 } },
  ])
  assert.deepEqual(changes[1], [
    { table: 'orders', op: 'update', key: [1], row: { id: 1, state: 'paid', note } },
  ])
  assert.deepEqual(changes[2], [{ table: 'orders', op: 'delete', key: [2] }])
  const stamps = messages.map(({ data }) => data.commitTimestamp)
  assert.deepEqual(
    stamps,
    stamps.toSorted((a, b) => a - b),
  )
  for (const { type, data } of messages) {
    assert.deepEqual([type, data.part, data.last, data.relay], ['commit', 1, true, 'shop'])
  }
  await scene.untilSent(3)
  assert.deepEqual(scene.receiving.copyOf('orders'), [{ id: 1, state: 'paid', note }])
  assert.deepEqual(scene.receiving.copyOf('payment'), [{ id: 7, amount: 90 }])
})

test('a receiver that is away gets everything when it is back, once each', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.createRelay()
  const port = Number(new URL(scene.receiving.url).port)
  await scene.receiving.away()
  for (let id = 1; id <= 20; id += 1) {
    await scene.run('INSERT INTO orders (id, state) VALUES (:id, :state)', {
      params: { id, state: `of ${id}` },
    })
  }
  const failing = await scene.untilState('failing')
  assert.match(failing.reason, /ECONNREFUSED/)
  await scene.receiving.listen(port)
  await scene.untilCopied()
  const ids = scene.receiving.seen.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  assert.equal((await scene.untilState('sending')).reason, null)
})

test('answers that are lost: the same message comes again under its id, and the example applies it once', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.createRelay()
  const lost = new Set<string>()
  scene.receiving.reply = ({ id }) => {
    if (lost.has(id)) return { kind: 'pass' }
    lost.add(id)
    return lost.size % 2 === 0 ? { kind: 'swallow' } : { kind: 'close' }
  }
  for (let id = 1; id <= 4; id += 1) {
    await scene.run('INSERT INTO orders (id, state) VALUES (:id, :state)', {
      params: { id, state: '' },
    })
    await scene.run('SET state = state || :more ON orders WHERE id = 1', { params: { more: '.' } })
  }
  await scene.untilSent(8)
  await scene.untilCopied()
  const { seen } = scene.receiving
  for (const [id, same] of Map.groupBy(seen, (one) => one.id)) {
    assert.equal(same.length, 2, id)
    assert.equal(same[0]?.body, same[1]?.body)
  }
  // No later commit goes out before the one before was taken.
  const order = seen.map(({ id }) => id)
  assert.deepEqual(order, order.toSorted())
})

test('a commit of 5 MB goes out in parts of one commit, and is applied when all are there', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.createRelay()
  const early: unknown[] = []
  scene.receiving.reply = ({ id }, count) => {
    if (count <= 5) early.push(...scene.receiving.copyOf('orders'))
    // The answer to the second part is lost.
    return id.endsWith('.2') && count === 2 ? { kind: 'swallow' } : { kind: 'pass' }
  }
  const rows = Array.from({ length: 520 }, (_, id) => `(${id}, 'new')`)
  await scene.run(
    `BEGIN; INSERT INTO orders (id, state) VALUES ${rows.join(', ')};
     SET note = :note ON orders WHERE id >= 0; COMMIT`,
    { params: { note: 'x'.repeat(10_000) } },
  )
  await scene.run("INSERT INTO orders (id, state) VALUES (1000, 'after')")
  await scene.untilCopied()
  const parts = scene.receiving.seen.map(({ body }) => JSON.parse(body).data)
  const [first] = parts
  const ofCommit = parts.filter(({ id }) => id === first.id)
  const numbers = ofCommit.map(({ part }) => part)
  assert.deepEqual(numbers, [1, 2, 2, 3, 4, 5])
  assert.deepEqual(
    ofCommit.map(({ last }) => last),
    [false, false, false, false, false, true],
  )
  assert.equal(parts.at(-1).id === first.id, false, 'the next commit comes after all parts')
  assert.deepEqual(early, [], 'nothing is applied before the last part')
  const sizes = scene.receiving.seen.map(({ body }) => body.length)
  assert.ok(Math.max(...sizes) < SERVER_LIMITS.relayPartBytes + 50_000, `${sizes}`)
})

test('410 stops it; RESUME goes on where it was', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.createRelay()
  scene.receiving.reply = () => ({ kind: 'answer', status: 410 })
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
  const { reason } = await scene.untilState('stopped')
  assert.match(reason, /410/)
  await scene.run("INSERT INTO orders (id, state) VALUES (2, 'new')")
  const count = scene.receiving.seen.length
  assert.equal(count, 1)
  scene.receiving.reply = () => ({ kind: 'pass' })
  await scene.run('ALTER RELAY shop RESUME')
  await scene.untilCopied()
})

test('429 with Retry-After is tried again then, and not before', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.createRelay()
  const times: number[] = []
  scene.receiving.reply = (_, count) => {
    times.push(performance.now())
    return count > 1
      ? { kind: 'pass' }
      : { kind: 'answer', status: 429, headers: { 'retry-after': '3' } }
  }
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
  await scene.untilCopied()
  const [first = 0, second = 0] = times
  assert.ok(second - first >= 2_990, `${second - first} ms`)
})

test('a redirect is followed nowhere', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.createRelay()
  const headers = { location: `${scene.receiving.url}/elsewhere` }
  scene.receiving.reply = (_, count) =>
    count === 1 ? { kind: 'answer', status: 307, headers } : { kind: 'pass' }
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
  const { reason } = await scene.untilState('failing')
  assert.match(reason, /307, and redirects are not followed/)
  assert.equal(scene.receiving.seen.length, 1)
  await scene.untilCopied()
})

test('paused it sends nothing; RESUME FROM NOW leaves out what was written meanwhile', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.createRelay()
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'seen')")
  await scene.untilCopied()
  await scene.run('ALTER RELAY shop PAUSE')
  await scene.untilState('paused')
  await scene.run("INSERT INTO orders (id, state) VALUES (2, 'missed')")
  await scene.run('ALTER RELAY shop RESUME FROM NOW')
  await scene.run("INSERT INTO orders (id, state) VALUES (3, 'seen')")
  await scene.receiving.until(() => scene.receiving.copyOf('orders').length === 2, 'two rows')
  assert.deepEqual(
    scene.receiving.copyOf('orders').map(({ id }) => id),
    [1, 3],
  )
})

test('RESUME FROM SNAPSHOT sends all rows of a moment, then what came after it', async (t) => {
  const scene = await RelayScene.start(t)
  const note = 'y'.repeat(20_000)
  for (let first = 0; first < 200; first += 50) {
    const rows = Array.from({ length: 50 }, (_, at) => `(${first + at}, 'old', '${note}')`)
    await scene.run(`INSERT INTO orders (id, state, note) VALUES ${rows.join(', ')}`)
  }
  await scene.run('INSERT INTO payment (id, amount) VALUES (1, 5)')
  await scene.createRelay()
  scene.receiving.reply = (_, count) => (count === 2 ? { kind: 'swallow' } : { kind: 'pass' })
  await scene.run('ALTER RELAY shop RESUME FROM SNAPSHOT')
  await scene.run("SET state = 'newer' ON orders WHERE id = 3")
  await scene.run('DELETE FROM orders WHERE id = 199')
  await scene.untilCopied()
  await scene.untilCopied('payment')
  const snapshot = scene.receiving.seen.filter(({ body }) => body.startsWith('{"type":"snapshot"'))
  const numbers = snapshot.map(({ body }) => JSON.parse(body).data.part)
  assert.deepEqual(numbers, [1, 2, 2, 3, 4])
})

test('a position below the safe point stops it, seen, and it holds no collection back', async (t) => {
  const flags = { retention: '1s', 'garbage-interval': '1h', 'transaction-timeout': '100ms' }
  const scene = await RelayScene.start(t, { flags: { ...flags, 'statement-timeout': '100ms' } })
  await scene.createRelay()
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
  await scene.untilSent(1)
  scene.receiving.reply = () => ({ kind: 'answer', status: 500 })
  const { storage } = scene.server.server
  for (let id = 2; (await scene.relay()).state !== 'stopped'; id += 1) {
    await scene.run('INSERT INTO orders (id) VALUES (:id)', { params: { id } })
    await sleep(250)
    await storage.collectGarbage()
    assert.ok(id < 200, 'it stops')
  }
  const { position, reason } = await scene.relay()
  assert.match(reason, /not kept any more/)
  assert.ok(storage.status().safePoint > Number(Date.parse(position)) * 1_000)
  scene.receiving.reply = () => ({ kind: 'pass' })
  await scene.run('ALTER RELAY shop RESUME')
  await scene.untilState('stopped')
  await scene.run('ALTER RELAY shop RESUME FROM SNAPSHOT')
  await scene.untilCopied()
})

test('nothing to send for longer than the retention: its position goes on, and it is not too old', async (t) => {
  const flags = { 'garbage-interval': '1h', 'transaction-timeout': '100ms' }
  const scene = await RelayScene.start(t, { flags: { ...flags, 'statement-timeout': '100ms' } })
  // The store's retention counts, whatever the server was started with.
  await scene.run("ALTER STORE SET retention = '1 second'")
  await scene.createRelay()
  const { storage } = scene.server.server
  for (let id = 1; id <= 16; id += 1) {
    await scene.run('INSERT INTO other (id) VALUES (:id)', { params: { id } })
    await sleep(200)
    await storage.collectGarbage()
  }
  const { safePoint } = storage.status()
  await scene.receiving.until(async () => {
    const { position } = await scene.relay()
    return Date.parse(position) * 1_000 > safePoint
  }, 'the position in the store is above the safe point')
  assert.equal((await scene.relay()).state, 'sending')
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
  await scene.untilCopied()
})

test('nothing to send, and a retention of a millisecond: it does not write its position all the time', async (t) => {
  const scene = await RelayScene.start(t)
  await scene.run("ALTER STORE SET retention = '1 millisecond'")
  await scene.createRelay()
  const commits = async () => {
    const { text } = await scene.server.get('/metrics')
    return Number(/^percolite_commit_duration_seconds_count (\d+)$/m.exec(text)?.[1])
  }
  const before = await commits()
  const beganMs = performance.now()
  await sleep(2_000)
  const count = (await commits()) - before
  const countMax = (performance.now() - beganMs) / 100 + 1
  assert.ok(count <= countMax, `${count} commits in two seconds`)
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
  await scene.untilCopied()
})

test('a receiver that never answers is waited for no longer than the bound; it stops after three days', async (t) => {
  let later = 0
  const clock = { ...systemClock, wallMicros: () => systemClock.wallMicros() + later }
  const scene = await RelayScene.start(t, { flags: { retention: '400h' }, deps: { clock } })
  await scene.createRelay()
  scene.receiving.reply = () => ({ kind: 'close' })
  await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
  await scene.untilState('failing')
  later = SERVER_LIMITS.relayRetryMsMax * 1_000 + 60_000_000
  const { reason } = await scene.untilState('stopped')
  assert.match(reason, /socket hang up/)
})

test('after a restart it goes on where it was, in the middle of a commit as well', async (t) => {
  const data = await testFolder(t, 'relay')
  const receiving = await Receiving.start(t)
  const flags = { engine: 'sqlite', data, 'relay-to': receiving.url } as const
  const before = await startTestServer(t, { flags })
  const run = async (server: TestServer, sql: string, params = {}) => {
    const { status, text, body } = await server.query(sql, { params })
    assert.equal(status, 200, text.slice(0, 500))
    return body
  }
  await run(before, 'CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT)')
  const made = await run(before, `CREATE RELAY shop ON TABLES orders TO '${receiving.url}'`)
  receiving.secret = made.results[0].rows[0].secret
  receiving.reply = (_, count) => (count === 3 ? { kind: 'swallow' } : { kind: 'pass' })
  const rows = Array.from({ length: 400 }, (_, id) => `(${id})`).join(', ')
  const sql = `BEGIN; INSERT INTO orders (id) VALUES ${rows}; SET note = :note ON orders WHERE id >= 0; COMMIT`
  await run(before, sql, { note: 'z'.repeat(10_000) })
  await receiving.until(() => receiving.seen.length === 3, 'three parts')
  await before.server.close()
  const after = await startTestServer(t, { flags })
  await receiving.until(() => receiving.seen.length >= 5, 'the rest')
  const parts = receiving.seen.map(({ body }) => JSON.parse(body).data)
  assert.deepEqual(parts.map(({ part }) => part).slice(0, 5), [1, 2, 3, 3, 4])
  assert.equal(receiving.seen[2]?.body, receiving.seen[3]?.body)
  await receiving.until(() => receiving.copyOf('orders').length === 400, 'all rows')
  assert.equal((await after.rows('SHOW RELAYS')).length, 1)
})

test('a part that may have been taken is not another one after the rights have changed: no row is lost', async (t) => {
  const data = await testFolder(t, 'relay')
  const receiving = await Receiving.start(t)
  const start = (relayTo: string) =>
    startTestServer(t, { flags: { engine: 'sqlite', data, 'relay-to': relayTo } })
  const run = async (server: TestServer, sql: string, params = {}) => {
    const { status, text, body } = await server.query(sql, { params })
    assert.equal(status, 200, text.slice(0, 500))
    return body
  }
  const first = await start(receiving.url)
  await run(first, 'CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT, note TEXT)')
  await run(first, 'CREATE ROLE app')
  await run(first, 'GRANT READ ON orders TO app')
  const sql = `CREATE RELAY shop ON TABLES orders TO '${receiving.url}' AS ROLE app`
  receiving.secret = (await run(first, sql)).results[0].rows[0].secret
  receiving.reply = (_, count) => (count === 2 ? { kind: 'swallow' } : { kind: 'pass' })
  const rows = Array.from({ length: 400 }, (_, id) => `(${id}, '${id % 2 === 0 ? 'keep' : 'x'}')`)
  await run(
    first,
    `BEGIN; INSERT INTO orders (id, state) VALUES ${rows.join(', ')};
     SET note = :note ON orders WHERE id >= 0; COMMIT`,
    { note: 'z'.repeat(10_000) },
  )
  await receiving.until(() => receiving.seen.length === 2, 'two parts')
  await first.server.close()
  const second = await start('')
  const shown = async () => (await second.rows('SHOW RELAYS'))[0].reason ?? ''
  await receiving.until(async () => /see --relay-to/.test(await shown()), 'it says why')
  await run(second, 'REVOKE READ ON orders FROM app')
  await run(second, "GRANT READ ON orders TO app WHERE state = 'keep'")
  await second.server.close()
  const third = await start(receiving.url)
  await receiving.until(() => receiving.copyOf('orders').length > 0, 'all parts')
  const ids = new Set(receiving.copyOf('orders').map(({ id }) => Number(id)))
  const missing = rows.flatMap((_, id) => (id % 2 === 0 && !ids.has(id) ? [id] : []))
  assert.deepEqual(missing, [])
  assert.equal((await third.rows('SHOW RELAYS'))[0].state, 'sending')
})
