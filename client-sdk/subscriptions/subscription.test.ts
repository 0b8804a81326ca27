// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import {
  change,
  comeBackAtOnce,
  given,
  insert,
  problem,
  startScriptedSocket,
  subscribed,
  wireRow,
} from '../../test/client-sdk/scripted-socket.ts'
import { again, SQL, start } from '../../test/client-sdk/scripted-subscription.ts'
import { connect, PercoliteError, type SubscriptionEvent } from '../client.ts'

test('the rows of the snapshot come first, then whole commits, gathered from their frames', async (t) => {
  const { subscription, first, connection, asked } = await start(t, { snapshot: true })
  const { id, ...request } = asked
  assert.deepEqual(request, { type: 'subscribe', sql: SQL, params: { n: 0 }, snapshot: true })
  connection.send(
    subscribed(id, 10),
    { type: 'rows', id, rows: [wireRow('a', 1)] },
    { type: 'snapshotEnd', id, timestamp: 10 },
    change(id, 12, [insert('b', 2)], false),
    change(id, 12, [{ op: 'leave', key: ['a'] }]),
    change(id, 13, [insert('c', 3)]),
  )
  assert.equal(subscription.position, undefined)
  assert.deepEqual(await given(first), { kind: 'rows', rows: [wireRow('a', 1)] })
  assert.deepEqual(await given(subscription.next()), { kind: 'snapshot', timestamp: 10 })
  assert.equal(subscription.position, 10)
  assert.deepEqual(await given(subscription.next()), {
    kind: 'commit',
    timestamp: 12,
    changes: [insert('b', 2), { op: 'leave', key: ['a'] }],
  })
  assert.equal(subscription.position, 12, 'what was given counts, not what has come')
})

test('after a lost connection it goes on behind the last whole commit, and no part of one is kept', async (t) => {
  const told: unknown[] = []
  const { server, subscription, first, connection, asked } = await start(t, {
    since: 5,
    onConnect: () => told.push('connected'),
    onReconnect: (error, tries) => told.push([error.code, tries]),
  })
  assert.equal(asked.since, 5)
  assert.equal(asked.snapshot, undefined)
  const { id } = asked
  connection.send(subscribed(id, 5), change(id, 7, [insert('a', 1)]))
  connection.send(change(id, 9, [insert('b', 2)], false))
  assert.equal((await given(first)).kind, 'commit')
  const next = subscription.next()
  connection.drop()
  const second = await again(server)
  assert.equal(second.asked.since, 7)
  second.connection.send(subscribed(second.asked.id, 7))
  second.connection.send(change(second.asked.id, 9, [insert('b', 2), insert('c', 3)]))
  assert.deepEqual(await given(next), {
    kind: 'commit',
    timestamp: 9,
    changes: [insert('b', 2), insert('c', 3)],
  })
  assert.deepEqual(told, ['connected', ['connection_failed', 1], 'connected'])
})

test('progress moves where it comes back to, and is told to those who ask', async (t) => {
  for (const progress of [true, false]) {
    const { server, subscription, first, connection, asked } = await start(t, { progress })
    connection.send(subscribed(asked.id, 5), { type: 'progress', id: asked.id, timestamp: 8 })
    if (progress) {
      assert.deepEqual(await given(first), { kind: 'progress', timestamp: 8 })
      assert.equal(subscription.position, 8)
    }
    connection.send({ type: 'progress', id: asked.id, timestamp: 9 })
    connection.close(1001, 'The server is stopping.')
    const second = await again(server)
    assert.equal(second.asked.since, 9)
    await subscription.return()
  }
})

test('when the server does not keep what was missed, a reset and a new snapshot come', async (t) => {
  comeBackAtOnce(t)
  const { subscription, first, connection, asked } = await start(t, { since: 5 })
  connection.send(problem(asked.id, 'resume_too_old', 410))
  assert.deepEqual(await given(first), { kind: 'reset' })
  assert.equal(subscription.position, undefined)
  const { id, snapshot, since } = await connection.next().then(() => connection.next())
  assert.deepEqual([snapshot, since], [true, undefined])
  connection.send(subscribed(id, 20), { type: 'snapshotEnd', id, timestamp: 20 })
  assert.deepEqual(await given(subscription.next()), { kind: 'snapshot', timestamp: 20 })
})

test('a server that is there again and has not kept what was missed is asked again at once', async (t) => {
  comeBackAtOnce(t)
  const lost: unknown[] = []
  const { server, connection, asked } = await start(t, {
    onReconnect: (error, tries) => lost.push([error.code, tries]),
  })
  connection.send(subscribed(asked.id, 5), change(asked.id, 7, [insert('a', 1)]))
  connection.drop()
  for (let times = 0; times < 3; times += 1) (await again(server)).connection.drop()
  const last = await again(server)
  last.connection.send(problem(last.asked.id, 'resume_too_old', 410))
  assert.equal((await last.connection.next()).type, 'unsubscribe')
  assert.equal((await last.connection.next()).snapshot, true)
  const away = [1, 2, 3, 4].map((tries) => ['connection_failed', tries])
  assert.deepEqual(lost, [...away, ['resume_too_old', 1]])
})

test('what a function throws that is told of the connection does not end the subscription', async (t) => {
  for (const told of [
    () => {
      throw new Error('The log is full.')
    },
    async () => {
      throw new Error('The log is full.')
    },
  ]) {
    const { server, first, connection, asked } = await start(t, {
      onConnect: told,
      onReconnect: told,
    })
    connection.send(subscribed(asked.id, 5))
    connection.drop()
    const second = await again(server)
    second.connection.send(subscribed(second.asked.id, 5), change(second.asked.id, 7, []))
    assert.equal((await given(first)).kind, 'commit')
  }
})

test('who wants no snapshot is told by an error that changes were missed', async (t) => {
  const { subscription, first, connection, asked } = await start(t, { since: 5, snapshot: false })
  connection.send(problem(asked.id, 'resume_too_old', 410))
  await assert.rejects(first, { code: 'resume_too_old', httpStatus: 410 })
  assert.deepEqual(await subscription.next(), { done: true, value: undefined })
})

test('a snapshot that is broken off begins again behind a reset', async (t) => {
  const { server, subscription, first, connection, asked } = await start(t, { snapshot: true })
  const { id } = asked
  connection.send(subscribed(id, 10), { type: 'rows', id, rows: [wireRow('a', 1)] })
  assert.equal((await given(first)).kind, 'rows')
  connection.drop()
  assert.deepEqual(await given(subscription.next()), { kind: 'reset' })
  const second = await again(server)
  assert.equal(second.asked.snapshot, true)
})

test('a first connection that fails is an error, and so is a statement that the server refuses', async (t) => {
  const { first, connection, asked } = await start(t)
  connection.send(problem(asked.id, 'not_subscribable', 400))
  await assert.rejects(first, (error) => {
    assert.ok(error instanceof PercoliteError)
    assert.deepEqual([error.code, error.httpStatus], ['not_subscribable', 400])
    assert.equal(error.message, 'It is not_subscribable.')
    return true
  })
  const server = await startScriptedSocket(t)
  await server.stop()
  const db = connect({ url: server.url })
  await assert.rejects(db.subscribe(SQL).next(), { code: 'connection_failed' })
})

test('where there is no WebSocket, who subscribes is told what to do', async (t) => {
  t.mock.property(globalThis, 'WebSocket', undefined as unknown as typeof WebSocket)
  const db = connect({ url: 'http://127.0.0.1:1' })
  await assert.rejects(db.subscribe(SQL).next(), /give connect one/)
})

test('a close that is about the client is that error, and nobody comes back', async (t) => {
  for (const [closeCode, code] of [
    [4401, 'unauthenticated'],
    [4403, 'forbidden'],
  ] as const) {
    const { first, connection, asked } = await start(t)
    connection.send(subscribed(asked.id, 5))
    connection.close(closeCode, 'so it is')
    await assert.rejects(first, { code, fields: { closeCode } })
  }
})

test('what is no frame of the server is invalid_answer', async (t) => {
  const { first, connection } = await start(t)
  connection.send('nonsense')
  await assert.rejects(first, { code: 'invalid_answer' })
})

test('leaving the loop ends the subscription, and a socket that nobody uses is closed', async (t) => {
  const { db, subscription, first, connection, asked } = await start(t)
  connection.send(subscribed(asked.id, 5), change(asked.id, 6, [insert('a', 1)]))
  await given(first)
  const other = db.subscribe(SQL)[Symbol.asyncIterator]()
  const waiting = other.next()
  const second = await connection.next()
  assert.equal(second.type, 'subscribe', 'they share the socket')
  connection.send(subscribed(second.id, 6), change(second.id, 7, [insert('b', 1)]))
  connection.send(change(asked.id, 7, [insert('b', 1)]))
  await waiting
  for await (const { kind } of subscription) {
    assert.equal(kind, 'commit')
    break
  }
  assert.deepEqual(await connection.next(), { type: 'unsubscribe', id: asked.id })
  assert.deepEqual(await subscription.next(), { done: true, value: undefined })
  await using _ = other
  await other.return()
  assert.deepEqual(await connection.next(), { type: 'unsubscribe', id: second.id })
  await connection.closed
})

test('a signal ends it with its reason, whatever is waiting', async (t) => {
  const controller = new AbortController()
  const { subscription, first, connection, asked } = await start(t, { signal: controller.signal })
  connection.send(subscribed(asked.id, 5), change(asked.id, 6, [insert('a', 1)]))
  await given(first)
  const next = subscription.next()
  controller.abort(new Error('enough'))
  await assert.rejects(next, /enough/)
  assert.equal((await subscription.next()).done, true)
  assert.deepEqual(await connection.next(), { type: 'unsubscribe', id: asked.id })
  const never = connect().subscribe(SQL, [], { signal: AbortSignal.abort(new Error('before')) })
  await assert.rejects(never.next(), /before/)
})

test('closing the client ends all that is left, and nothing can be begun on it', async (t) => {
  const { db, subscription, first, connection, asked } = await start(t)
  connection.send(subscribed(asked.id, 5))
  await setImmediate()
  db.close()
  await assert.rejects(first, { code: 'client_closed' })
  assert.equal((await subscription.next()).done, true)
  await assert.rejects(db.live(SQL).next(), { code: 'client_closed' })
  await connection.closed
})

test('the token goes first', async (t) => {
  const { connection, asked } = await start(t, {}, { token: 'secret' })
  assert.deepEqual(asked, { type: 'auth', token: 'secret' })
  assert.equal((await connection.next()).type, 'subscribe')
})

test('values have the types of their columns, also of one that is new, and keys do', async (t) => {
  const { first, subscription, connection, asked } = await start(t, {}, { integers: 'bigint' })
  const { id } = asked
  const key = [
    { name: 'k', type: 'INTEGER' },
    { name: 'b', type: 'BYTES' },
  ]
  const columns = [{ name: 'n', type: 'INTEGER' }]
  connection.send({ type: 'subscribed', id, timestamp: 5, columns, key })
  const update = (row: object) => ({ op: 'update', key: ['9007199254740993', 'AP+A'], row })
  connection.send(change(id, 6, [update({ n: 1 }), { op: 'delete', key: [2, ''] }]))
  connection.send({ type: 'columns', id, columns: [...columns, { name: 'm', type: 'INTEGER' }] })
  connection.send(change(id, 7, [update({ n: null, m: 3 })]))
  const decodedKey = [9007199254740993n, Uint8Array.of(0, 255, 128)]
  const changesOf = (event: SubscriptionEvent<unknown>) => event.kind === 'commit' && event.changes
  assert.deepEqual(changesOf(await given(first)), [
    { op: 'update', key: decodedKey, row: { n: 1n } },
    { op: 'delete', key: [2n, new Uint8Array()] },
  ])
  assert.deepEqual(changesOf(await given(subscription.next())), [
    { op: 'update', key: decodedKey, row: { n: null, m: 3n } },
  ])
})

test('a number that does not fit ends the subscription with integer_out_of_range', async (t) => {
  const { first, connection, asked } = await start(t)
  const { id } = asked
  const row = { id: 'a', n: '9007199254740993' }
  connection.send(subscribed(id, 5), change(id, 6, [{ op: 'insert', key: ['a'], row }]))
  await assert.rejects(first, { code: 'integer_out_of_range' })
  assert.deepEqual(await connection.next(), { type: 'unsubscribe', id })
})

test('what follows the frame that ended a subscription is not given, for there would be a gap', async (t) => {
  const { subscription, first, connection, asked } = await start(t)
  const { id } = asked
  const row = { id: 'a', n: '9007199254740993' }
  connection.send(
    subscribed(id, 5),
    change(id, 6, [insert('b', 1)]),
    change(id, 7, [{ op: 'insert', key: ['a'], row }]),
    change(id, 8, [insert('c', 3)]),
  )
  assert.equal(((await given(first)) as { timestamp: number }).timestamp, 6)
  await connection.next()
  await assert.rejects(subscription.next(), { code: 'integer_out_of_range' })
  assert.equal(subscription.position, 6)
})

test('a server that has fallen silent is asked, and left when it does not answer', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { server, subscription, first, connection, asked } = await start(t)
  const silence = async () => {
    t.mock.timers.tick(20_000)
    return await connection.next()
  }
  connection.send(subscribed(asked.id, 5), change(asked.id, 6, [insert('a', 1)]))
  await given(first)
  const { type, id } = await silence()
  assert.equal(type, 'unsubscribe')
  connection.send({ type: 'unsubscribed', id }, change(asked.id, 7, [insert('b', 1)]))
  await given(subscription.next())
  await silence()
  const next = subscription.next()
  next.catch(() => undefined)
  t.mock.timers.tick(20_000)
  const second = await again(server)
  assert.equal(second.asked.since, 7)
})

test('progress that nobody wants to hear of moves the position, when all before it was given', async (t) => {
  const { subscription, first, connection, asked } = await start(t, {})
  const { id } = asked
  connection.send(subscribed(id, 10), change(id, 12, [insert('a', 1)]))
  await given(first)
  connection.send({ type: 'progress', id, timestamp: 20 })
  while (subscription.position === 12) await setImmediate()
  assert.equal(subscription.position, 20)
  connection.send(change(id, 22, [insert('b', 2)]), { type: 'progress', id, timestamp: 30 })
  connection.send(change(id, 32, [insert('c', 3)]))
  await setTimeout(20)
  assert.equal(subscription.position, 20, 'what has come and was not given does not count')
  assert.equal(((await given(subscription.next())) as { timestamp: number }).timestamp, 22)
  assert.equal(subscription.position, 22)
})

test('who closes while somebody begins leaves nobody waiting', async (t) => {
  for (let turns = 0; turns < 16; turns += 1) {
    const { db, connection, first, asked } = await start(t, {})
    connection.send(subscribed(asked.id, 10), change(asked.id, 12, [insert('a', 1)]))
    await given(first)
    const late = db.subscribe(SQL, { n: 1 }).next()
    const refused = assert.rejects(late, { code: 'client_closed' })
    for (let turn = 0; turn < turns; turn += 1) await undefined
    db.close()
    await refused
  }
})
