// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { startRealServer } from '../test/client-sdk/real-server.ts'
import {
  startMute,
  startRefusing,
  startSlow,
  vacantUrl,
} from '../test/client-sdk/refusing-server.ts'
import { given } from '../test/client-sdk/scripted-socket.ts'
import { type ConnectOptions, connect } from './client.ts'
import { putMany } from './many.ts'

// A client of several addresses uses the one that takes writes.

const { url: primary, db: direct } = await startRealServer('--engine', 'memory')
await direct.query('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)')
await direct.query('CREATE OBSERVER seen ON item (name)')
const ALL = 'SCAN * FROM item USE PRIMARY KEY'

/** A client, and the origins of what it has sent by HTTP. */
function clientOf(t: TestContext, url: readonly string[], options: ConnectOptions = {}) {
  const origins: string[] = []
  const counting = (target: string | URL | Request, init?: RequestInit) => {
    origins.push(new URL(String(target)).origin)
    return (options.fetch ?? fetch)(target, init)
  }
  const db = connect({ ...options, url, fetch: counting as typeof fetch })
  t.after(() => db.close())
  return { db, origins }
}

let id = 0
function nextId(): number {
  id += 1
  return id
}

describe('the first address', () => {
  test('is down: a write goes to the second one, and all that follows goes there at once', async (t) => {
    const down = await vacantUrl()
    const { db, origins } = clientOf(t, [down, primary])
    await db.query('INSERT INTO item (id, name) VALUES ($1, $2)', [nextId(), 'a'])
    assert.deepEqual(origins, [down, primary])
    await db.transaction((tx) => tx.query(`SET name = 'b' ON item WHERE id = ${id}`))
    await db.table('item').put(id, { name: 'c' })
    assert.equal((await db.table<{ name: string }>('item').get(id))?.row.name, 'c')
    assert.ok(!origins.slice(1).includes(down), origins.join())
  })

  test('is down: a transaction, a subscription and an observer begin at the second one', async (t) => {
    const { db } = clientOf(t, [await vacantUrl(), primary])
    await using events = db.subscribe(ALL, [], { snapshot: true })
    assert.equal((await given(events.next())).kind, 'rows')
    const other = clientOf(t, [await vacantUrl(), primary]).db
    const seen = Promise.withResolvers<unknown>()
    await using _worker = other.observe('seen', (_tx, event) => seen.resolve(event.row))
    await clientOf(t, [await vacantUrl(), primary]).db.transaction(async (tx) => {
      await tx.query('INSERT INTO item (id, name) VALUES ($1, $2)', [nextId(), 'observed'])
    })
    assert.ok(await seen.promise)
  })

  test('is a standby, or a primary that was superseded: writes of every kind go on to the primary', async (t) => {
    for (const code of ['not_primary', 'superseded'] as const) {
      const standby = await startRefusing(t, code, primary)
      const { db, origins } = clientOf(t, [standby.url, primary])
      await db.transaction(async (tx) => {
        await tx.query('INSERT INTO item (id, name) VALUES ($1, $2)', [nextId(), code])
      })
      assert.deepEqual(origins.slice(0, 2), [standby.url, primary])
      const many = clientOf(t, [standby.url, primary]).db
      assert.equal((await putMany(many, 'item', [{ id, name: 'many' }])).rows, 1)
      const { row } = await clientOf(t, [standby.url, primary])
        .db.table('item')
        .put(id, { name: 'p' })
      assert.equal(row?.name, 'p')
    }
  })

  test('is a standby: its socket is left by all when an observer is refused there', async (t) => {
    const standby = await startRefusing(t, 'not_primary')
    const { db } = clientOf(t, [standby.url, primary])
    const seen = Promise.withResolvers<unknown>()
    await using _worker = db.observe('seen', (_tx, { row }) => {
      if (row?.name === 'for the worker') seen.resolve(row)
    })
    await direct.query('INSERT INTO item (id, name) VALUES ($1, $2)', [nextId(), 'for the worker'])
    assert.deepEqual(await seen.promise, { id, name: 'for the worker' })
    assert.equal(standby.requests(), 1)
  })
})

test('a first address that is mute leaves its share of the time to the second one', async (t) => {
  const mute = await startMute(t)
  const options = { timeoutMs: 1_000 }
  const reading = clientOf(t, [mute, primary], options)
  assert.equal(await reading.db.table('item').get(-1), undefined)
  assert.deepEqual(reading.origins, [mute, primary])
  const keyed = clientOf(t, [mute, primary], options)
  await keyed.db.table('item').put(nextId(), { name: 'k' }, { idempotencyKey: `mute-${id}` })
  assert.deepEqual(keyed.origins, [mute, primary])
  // Only the first of an answer has to come within the share.
  const slow = clientOf(t, [await startSlow(t, 700), primary], options)
  assert.deepEqual(await slow.db.request('GET', '/v1/status'), { slow: true })
  assert.equal(slow.origins.length, 1)
})

test('a script that stopped between its parts is not sent on, one of which nothing is done is', async (t) => {
  for (const code of ['not_primary', 'superseded', 'moved'] as const) {
    const answers = [
      { results: [{ statement: 0 }], done: 1 },
      { results: [], done: 0 },
    ]
    for (const [at, stopped] of answers.entries()) {
      const refusing = await startRefusing(t, code, primary, stopped)
      const { db, origins } = clientOf(t, [refusing.url, primary])
      const script = db.script(`INSERT INTO item (id, name) VALUES (${nextId()}, 'script')`)
      if (at === 0) await assert.rejects(script, { code })
      else assert.equal((await script).done, 1)
      assert.deepEqual(origins, at === 0 ? [refusing.url] : [refusing.url, primary], code)
    }
  }
})

test('of three, the one that the standby names is next, and no other address is ever used', async (t) => {
  const third = await startRefusing(t, 'not_primary')
  const naming = await startRefusing(t, 'not_primary', primary)
  const { db, origins } = clientOf(t, [naming.url, third.url, primary])
  await db.table('item').put(nextId(), { name: 'a' })
  assert.deepEqual(origins, [naming.url, primary])

  const foreign = await startRefusing(t, 'not_primary')
  const misled = await startRefusing(t, 'not_primary', foreign.url)
  const all = clientOf(t, [misled.url, third.url], { token: 'of-ours' })
  await assert.rejects(all.db.query('SHOW TABLES'), { code: 'not_primary' })
  assert.deepEqual(all.origins, [misled.url, third.url])
  await assert.rejects(clientOf(t, [misled.url]).db.query('SHOW TABLES'), { code: 'not_primary' })
  assert.equal(foreign.requests(), 0)
})

describe('no address', () => {
  test('can be reached: the error names both, of requests and of subscriptions', async (t) => {
    const [first, second] = [await vacantUrl(), await vacantUrl()]
    const { db, origins } = clientOf(t, [first, second])
    const names = new RegExp(`${first}.*${second}`)
    const failed = { code: 'connection_failed', message: names }
    await assert.rejects(db.query('SHOW TABLES'), failed)
    assert.deepEqual(origins, [first, second])
    const other = clientOf(t, [first, second]).db
    await assert.rejects(other.subscribe(ALL).next(), failed)
  })

  test('answers: a call ends within its time, and the next one begins at the second', async (t) => {
    const [first, second] = [await startMute(t), await startMute(t)]
    const { db, origins } = clientOf(t, [first, second], { timeoutMs: 300 })
    const begun = performance.now()
    const late = { code: 'request_timed_out', message: new RegExp(`${first}, ${second}: not in`) }
    const lateAgain = { ...late, message: new RegExp(`${second}, ${first}: not in`) }
    await assert.rejects(db.request('GET', '/v1/status'), late)
    await assert.rejects(db.request('GET', '/v1/status'), lateAgain)
    await assert.rejects(db.subscribe(ALL).next(), late)
    const tookMs = performance.now() - begun
    assert.ok(tookMs > 800 && tookMs < 5_000, `${tookMs} ms`)
    assert.deepEqual(origins, [first, second, second, first])
  })

  test('is given all of the time by a write that must not be sent twice, and its error names the one', async (t) => {
    const [first, second] = [await startMute(t), await startMute(t)]
    const { db, origins } = clientOf(t, [first, second], { timeoutMs: 400 })
    const begun = performance.now()
    await assert.rejects(db.query('SHOW TABLES'), {
      code: 'request_timed_out',
      message: `No answer from ${first}: not in time`,
    })
    assert.ok(performance.now() - begun > 350)
    assert.deepEqual(origins, [first])
  })

  test('is a TypeError where the list is empty, has none, or one that a token would reach in the clear', () => {
    assert.throws(() => connect({ url: [] }), TypeError)
    assert.throws(() => connect({ url: [primary, 'nowhere'] }), TypeError)
    const url = [primary, 'http://db.example']
    assert.throws(() => connect({ url, token: 'secret' }), /db.example in the clear/)
  })
})

describe('a write whose outcome is not known', () => {
  /** As a page has it, whose browser does not say why: what was sent to the first address may have arrived. */
  function broken(first: string): typeof fetch {
    const call = (target: string | URL | Request, init?: RequestInit) => {
      if (String(target).startsWith(first)) return Promise.reject(new TypeError('Failed to fetch'))
      return fetch(target, init)
    }
    return call as typeof fetch
  }

  test('is not sent elsewhere without a key, with one it is, and so is a read', async (t) => {
    const first = await vacantUrl()
    const options = { fetch: broken(first) }
    const { db, origins } = clientOf(t, [first, primary], options)
    const insert = db.query('INSERT INTO item (id, name) VALUES ($1, $2)', [nextId(), 'a'])
    await assert.rejects(insert, { code: 'connection_failed' })
    assert.deepEqual(origins, [first])
    assert.equal(await db.table('item').get(id), undefined, 'it asks the second one from now on')
    assert.deepEqual(origins, [first, primary])

    const keyed = clientOf(t, [first, primary], options)
    await keyed.db.table('item').put(id, { name: 'b' }, { idempotencyKey: `key-${id}` })
    assert.deepEqual(keyed.origins, [first, primary])
    const reading = clientOf(t, [first, primary], options)
    assert.ok(await reading.db.table('item').get(id))
    assert.deepEqual(reading.origins, [first, primary])
  })

  test('is not sent elsewhere by a connection that broke, and the server is not left for that', async (t) => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    let isBroken = true
    const call = (target: string | URL | Request, init?: RequestInit) => {
      if (!isBroken) return fetch(target, init)
      isBroken = false
      return Promise.reject(new TypeError('fetch failed', { cause: reset }))
    }
    const { db, origins } = clientOf(t, [primary, await vacantUrl()], {
      fetch: call as typeof fetch,
    })
    await assert.rejects(db.query('SHOW TABLES'), { code: 'connection_failed' })
    await db.query('SHOW TABLES')
    assert.deepEqual(origins, [primary, primary])
  })
})
