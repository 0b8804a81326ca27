// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  COLUMNS,
  change,
  comeBackAtOnce,
  given,
  insert,
  listed,
  patch,
  problem,
  snapshotEnd,
  startScriptedSocket,
  subscribed,
  wireRow,
} from '../../test/client-sdk/scripted-socket.ts'
import { again } from '../../test/client-sdk/scripted-subscription.ts'
import { type ConnectOptions, connect, type SubscribeOptions } from '../client.ts'

// A server that plays a script tells lists: the mode `result`.

const SQL = 'SCAN id, n FROM t ORDER BY n LIMIT 3'
const a = { id: 'a', n: 1 }
const b = { id: 'b', n: 2 }
const c = { id: 'c', n: 3 }

async function start(t: TestContext, options: SubscribeOptions = {}, connecting: object = {}) {
  const server = await startScriptedSocket(t)
  const db = connect({ url: server.url, ...connecting } as ConnectOptions)
  t.after(() => db.close())
  const result = { ...options, mode: 'result' } as const
  const subscription = db.subscribe<{ id: string; n: number }>(SQL, [], result)
  const first = subscription.next()
  first.catch(() => undefined)
  const connection = await server.connection()
  const request = await connection.next()
  return { server, db, subscription, first, connection, request, id: request.id as string }
}

/** One whose list is `[a, b]` with the digest `ab`, as of 10. */
async function startWithList(t: TestContext, options: SubscribeOptions = {}) {
  const started = await start(t, options)
  const { subscription, first, connection, id } = started
  connection.send(listed(id, 10), { type: 'rows', id, rows: [a, b] }, snapshotEnd(id, 10, 'ab'))
  assert.deepEqual(await given(first), { kind: 'rows', rows: [a, b] })
  assert.equal((await given(subscription.next())).kind, 'snapshot')
  return started
}

test('the rows come in the order of the list, and then patches, gathered from their frames', async (t) => {
  const { subscription, first, connection, request, id } = await start(t)
  const { id: _, ...fields } = request
  assert.deepEqual(fields, {
    type: 'subscribe',
    sql: SQL,
    params: [],
    mode: 'result',
    snapshot: false,
  })
  connection.send(
    listed(id, 10),
    { type: 'rows', id, rows: [b] },
    { type: 'rows', id, rows: [a] },
    snapshotEnd(id, 10, 'ba'),
    patch(id, 12, [[0, 1, []]], undefined),
    patch(id, 12, [[1, 0, [c]]], 'ac'),
  )
  assert.deepEqual(await given(first), { kind: 'rows', rows: [b] })
  assert.equal(subscription.position, undefined)
  assert.deepEqual(await given(subscription.next()), { kind: 'rows', rows: [a] })
  const state = { timestamp: 10, digest: 'ba' }
  assert.deepEqual(await given(subscription.next()), { kind: 'snapshot', ...state })
  assert.deepEqual(subscription.columns, COLUMNS)
  assert.deepEqual(JSON.parse(JSON.stringify(subscription.bookmark)), {
    mode: 'result',
    since: 10,
    history: 'h',
    digest: 'ba',
  })
  assert.deepEqual(await given(subscription.next()), {
    kind: 'patch',
    timestamp: 12,
    digest: 'ac',
    splice: [
      [0, 1, []],
      [1, 0, [c]],
    ],
  })
  assert.deepEqual([subscription.position, subscription.bookmark.digest], [12, 'ac'])
})

test('of a patch that was cut in the middle nothing is kept, and it goes on from the list before it', async (t) => {
  const { server, subscription, connection, id } = await startWithList(t)
  connection.send(patch(id, 15, [[0, 2, []]], undefined))
  const next = subscription.next()
  await setImmediate()
  connection.drop()
  const second = await again(server)
  const { since, history, digest, mode, snapshot } = second.asked
  assert.deepEqual([since, history, digest, mode, snapshot], [10, 'h', 'ab', 'result', undefined])
  const { id: other } = second.asked
  second.connection.send(listed(other, 10), patch(other, 17, [[2, 0, [c]]], 'abc'))
  assert.deepEqual(await given(next), {
    kind: 'patch',
    timestamp: 17,
    digest: 'abc',
    splice: [[2, 0, [c]]],
  })
})

test('progress moves the stamp that it comes back with, and the digest stays', async (t) => {
  for (const progress of [true, false]) {
    const { server, subscription, connection, id } = await startWithList(t, { progress })
    connection.send({ type: 'progress', id, timestamp: 20 })
    if (progress) assert.equal((await given(subscription.next())).kind, 'progress')
    while (subscription.position === 10) await setImmediate()
    const { since, digest } = subscription.bookmark
    assert.deepEqual([since, digest], [20, 'ab'])
    const next = subscription.next()
    connection.drop()
    const second = await again(server)
    assert.deepEqual([second.asked.since, second.asked.digest], [20, 'ab'])
    await subscription.return()
    await next
  }
})

test('where the list of the bookmark is another one by now, a reset comes before its rows', async (t) => {
  const { server, subscription, connection } = await startWithList(t)
  const next = subscription.next()
  connection.drop()
  const second = await again(server)
  const { id } = second.asked
  second.connection.send(
    listed(id, 30, { reset: true }),
    { type: 'rows', id, rows: [c] },
    snapshotEnd(id, 30, 'c'),
  )
  assert.deepEqual(await given(next), { kind: 'reset' })
  assert.deepEqual([subscription.position, subscription.bookmark.digest], [undefined, undefined])
  assert.deepEqual(await given(subscription.next()), { kind: 'rows', rows: [c] })
  assert.equal((await given(subscription.next())).kind, 'snapshot')
  assert.deepEqual([subscription.position, subscription.bookmark.digest], [30, 'c'])
})

test('a list whose rows were cut off comes whole behind a reset, and a bookmark is not sent', async (t) => {
  const { server, subscription, first, connection, id } = await start(t)
  connection.send(listed(id, 10), { type: 'rows', id, rows: [a] })
  await given(first)
  connection.drop()
  assert.deepEqual(await given(subscription.next()), { kind: 'reset' })
  const { asked } = await again(server)
  assert.deepEqual([asked.since, asked.digest, asked.mode], [undefined, undefined, 'result'])
})

test('a bookmark that was kept goes on where it was made, in its mode', async (t) => {
  const { db, subscription, connection } = await startWithList(t)
  const kept = JSON.parse(JSON.stringify(subscription.bookmark))
  await subscription.return()
  const later = db.subscribe(SQL, [], kept)
  const next = later.next()
  next.catch(() => undefined)
  assert.equal((await connection.next()).type, 'unsubscribe')
  const { id, type: _, sql: __, params: ___, ...sent } = await connection.next()
  assert.deepEqual(sent, kept)
  connection.send(listed(id, 10), patch(id, 11, [[0, 1, []]], 'b'))
  assert.deepEqual(await given(next), {
    kind: 'patch',
    timestamp: 11,
    digest: 'b',
    splice: [[0, 1, []]],
  })
})

test('without a mode the server chooses, and it comes back in the one that it chose', async (t) => {
  const server = await startScriptedSocket(t)
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const subscription = db.subscribe(SQL)
  const first = subscription.next()
  const { connection, asked } = await again(server)
  assert.ok(!('mode' in asked))
  connection.send(listed(asked.id, 10), { type: 'rows', id: asked.id, rows: [a] })
  connection.send(snapshotEnd(asked.id, 10, 'a'))
  assert.deepEqual(await given(first), { kind: 'rows', rows: [a] })
  connection.drop()
  const { asked: second } = await again(server)
  assert.deepEqual([second.mode, second.since, second.digest], ['result', 10, 'a'])
})

test('with the mode rows it is as without, and a server that says no mode is asked for none', async (t) => {
  for (const mode of ['rows', undefined] as const) {
    const server = await startScriptedSocket(t)
    const db = connect({ url: server.url })
    t.after(() => db.close())
    const subscription = db.subscribe(SQL, [], { snapshot: true, ...(mode && { mode }) })
    const first = subscription.next()
    const { connection, asked } = await again(server)
    const { id } = asked
    assert.equal(asked.mode, mode)
    connection.send(
      { ...subscribed(id, 10), mode },
      { type: 'rows', id, rows: [wireRow('a', 1)] },
      { type: 'snapshotEnd', id, timestamp: 10 },
      change(id, 11, [insert('b', 2)]),
    )
    assert.deepEqual(await given(first), { kind: 'rows', rows: [wireRow('a', 1)] })
    assert.deepEqual(await given(subscription.next()), { kind: 'snapshot', timestamp: 10 })
    assert.equal((await given(subscription.next())).kind, 'commit')
    connection.drop()
    const { asked: second } = await again(server)
    assert.deepEqual([second.mode, second.since, second.digest], [mode, 11, undefined])
    assert.equal('mode' in second, mode !== undefined)
  }
})

test('a position of a result that the server refuses for good ends it, and one that it sheds comes back', async (t) => {
  comeBackAtOnce(t)
  const { subscription, connection, id } = await startWithList(t)
  connection.send(problem(id, 'overloaded', 429))
  assert.equal((await connection.next()).type, 'unsubscribe')
  const next = subscription.next()
  const request = await connection.next()
  assert.deepEqual([request.since, request.digest], [10, 'ab'])
  connection.send(problem(request.id, 'limit_exceeded', 400))
  await assert.rejects(next, { code: 'limit_exceeded' })
})

test('values have the types of their columns, and after a change of those the types of the new ones', async (t) => {
  const { subscription, first, connection, id } = await start(t, {}, { integers: 'bigint' })
  const columns = [...COLUMNS, { name: 'm', type: 'BYTES' }]
  connection.send(
    listed(id, 10),
    { type: 'rows', id, rows: [a] },
    snapshotEnd(id, 10, 'a'),
    { type: 'columns', id, columns, shape: 'other' },
    patch(id, 12, [[0, 1, [{ ...a, m: 'AP+A' }]]], 'am'),
  )
  assert.deepEqual(await given(first), { kind: 'rows', rows: [{ id: 'a', n: 1n }] })
  await given(subscription.next())
  assert.deepEqual(subscription.columns, COLUMNS)
  const event = await given(subscription.next())
  assert.deepEqual(event.kind === 'patch' && event.splice, [
    [0, 1, [{ id: 'a', n: 1n, m: Uint8Array.of(0, 255, 128) }]],
  ])
  assert.deepEqual(subscription.columns, columns)
})
