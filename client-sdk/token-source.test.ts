// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problem, startScriptedServer } from '../test/client-sdk/scripted-server.ts'
import {
  change,
  comeBackAtOnce,
  given,
  insert,
  startScriptedSocket,
  subscribed,
} from '../test/client-sdk/scripted-socket.ts'
import { connect } from './client.ts'
import { TokenSource } from './token-source.ts'

const QUERY = 'POST /v1/query'
const DONE = [200, { results: [{ columns: [], rows: [], rowsAffected: 0 }], attempts: 1 }] as const
const EXPIRED = problem(401, 'token_expired')
const REFUSED = problem(401, 'unauthenticated')

/** A function that gives t1, t2 and so on. */
function numbered() {
  let count = 0
  const give = async () => {
    count += 1
    return `t${count}`
  }
  return { give, count: () => count }
}

test('a function is asked for a token once, and again when the server says that it has expired', async (t) => {
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: DONE },
    { expect: QUERY, answer: DONE },
    { expect: QUERY, answer: EXPIRED },
    { expect: QUERY, answer: DONE },
  ])
  const { give, count } = numbered()
  const db = connect({ url: server.url, token: give })
  assert.equal(count(), 0, 'nothing is asked before it is needed')
  for (let n = 0; n < 3; n += 1) await db.query('SHOW TABLES')
  server.assertPlayed()
  assert.deepEqual(
    server.seen.map(({ headers }) => headers.authorization),
    ['Bearer t1', 'Bearer t1', 'Bearer t1', 'Bearer t2'],
  )
})

test('a token that is given again after it has expired is not sent for ever', async (t) => {
  const server = await startScriptedServer(t, [
    { expect: QUERY, answer: EXPIRED },
    { expect: QUERY, answer: EXPIRED },
    { expect: QUERY, answer: EXPIRED },
  ])
  const fixed = connect({ url: server.url, token: 'old' })
  await assert.rejects(fixed.query('SHOW TABLES'), { code: 'token_expired' })
  const same = connect({ url: server.url, token: () => 'old' })
  await assert.rejects(same.query('SHOW TABLES'), { code: 'token_expired' })
  const failing = connect({ url: server.url, token: () => Promise.reject(new Error('no login')) })
  await assert.rejects(failing.query('SHOW TABLES'), /no login/)
  assert.equal(server.seen.length, 2)
})

test('many who wait for a token wait for one', async () => {
  const { give, count } = numbered()
  const tokens = new TokenSource(give)
  const url = 'https://db.example'
  const first = await Promise.all([tokens.for(url), tokens.for(url), tokens.for(url)])
  assert.deepEqual([first, count()], [['t1', 't1', 't1'], 1])
  const next = await Promise.all([tokens.renewed('t1'), tokens.renewed('t1')])
  assert.deepEqual([next, count()], [['t2', 't2'], 2])
  assert.equal(await tokens.renewed('t1'), 't2', 'it was renewed meanwhile')
})

test('a token does not travel to other machines in the clear, unless it is said', () => {
  for (const url of [
    'http://10.0.0.4:4270',
    'http://db.example',
    'http://localhost.evil.example',
  ]) {
    assert.throws(() => connect({ url, token: 'secret' }), /in the clear/, url)
    assert.throws(() => connect({ url, token: () => 'secret' }), TypeError, url)
    connect({ url, token: 'secret', insecure: true })
    connect({ url })
  }
  for (const url of [
    'https://db.example',
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'http://localhost',
  ]) {
    connect({ url, token: 'secret' })
  }
})

test('a socket shows another token before the last one ends, and after it has ended comes back with one', async (t) => {
  const server = await startScriptedSocket(t)
  comeBackAtOnce(t)
  const { give, count } = numbered()
  const db = connect({ url: server.url, token: give })
  t.after(() => db.close())
  const events = db.subscribe('SCAN * FROM note', [], { since: 5 })
  const first = given(events.next())
  const one = await server.connection()
  assert.deepEqual(await one.next(), { type: 'auth', token: 't1' })
  const asked = await one.next()
  one.send({ type: 'authenticated' }, subscribed(asked.id, 5), { type: 'authExpiring' })
  assert.deepEqual(await one.next(), { type: 'auth', token: 't2' })
  one.close(4401, 'token_expired')
  const other = await server.connection()
  assert.deepEqual(await other.next(), { type: 'auth', token: 't3' })
  const again = await other.next()
  assert.deepEqual([again.type, again.since], ['subscribe', 5])
  other.send(subscribed(again.id, 5), change(again.id, 7, [insert('a', 1)]))
  const event = await first
  assert.equal(event.kind === 'commit' && event.timestamp, 7)
  assert.equal(count(), 3)
  await events.return()
})

test('a socket whose token is refused as expired ends where there is no other', async (t) => {
  const server = await startScriptedSocket(t)
  comeBackAtOnce(t)
  for (const token of ['old', () => 'old']) {
    const db = connect({ url: server.url, token })
    t.after(() => db.close())
    const first = db.subscribe('SCAN * FROM note').next()
    const ended = assert.rejects(first, { code: 'token_expired' })
    const connections = typeof token === 'string' ? 1 : 2
    for (let n = 0; n < connections; n += 1) {
      const connection = await server.connection()
      assert.deepEqual(await connection.next(), { type: 'auth', token: 'old' })
      connection.close(4401, 'token_expired')
    }
    await ended
  }
})

test('after a rotation the function is asked once more, over HTTP and on the socket', async (t) => {
  const http = await startScriptedServer(t, [
    { expect: QUERY, answer: REFUSED },
    { expect: QUERY, answer: DONE },
    { expect: QUERY, answer: problem(401, 'unauthenticated', { statement: 1 }) },
    { expect: QUERY, answer: problem(401, 'unauthenticated', { statement: 0 }) },
    { expect: QUERY, answer: DONE },
    { expect: QUERY, answer: problem(429, 'client_overloaded', { limit: 'failedTokensMax' }) },
    { expect: QUERY, answer: DONE },
    { expect: QUERY, answer: REFUSED },
    { expect: QUERY, answer: REFUSED },
  ])
  const { give, count } = numbered()
  const db = connect({ url: http.url, token: give })
  await db.query('SHOW TABLES')
  await assert.rejects(db.query('DROP …; CREATE …'), { code: 'unauthenticated' })
  assert.equal(count(), 2, 'what was done in part is not sent again')
  await db.query('SCAN …')
  assert.equal(count(), 3, 'what was running and was undone is')
  await db.query('SHOW TABLES')
  assert.equal(count(), 4, 'others of this address had shown as many wrong ones')
  await assert.rejects(db.query('SHOW TABLES'), { code: 'unauthenticated' })
  assert.equal(count(), 5)

  const server = await startScriptedSocket(t)
  comeBackAtOnce(t)
  const other = numbered()
  const far = connect({ url: server.url, token: other.give })
  t.after(() => far.close())
  const events = far.subscribe('SCAN * FROM note', [], { since: 5 })
  const first = given(events.next())
  for (const token of ['t1', 't2']) {
    const connection = await server.connection()
    assert.deepEqual(await connection.next(), { type: 'auth', token })
    if (token === 't1') connection.close(4401, 'unauthenticated')
    else connection.send({ type: 'authenticated' }, subscribed((await connection.next()).id, 5))
    // A token of another holder on a socket that stands: it is shown on a new one.
    if (token === 't2') connection.close(4403, 'A socket stays with whom it began with.')
  }
  for (const token of ['t3', 't4']) {
    const connection = await server.connection()
    assert.deepEqual(await connection.next(), { type: 'auth', token })
    connection.close(4401, 'unauthenticated')
    if (token === 't3') break
  }
  await assert.rejects(first, { code: 'unauthenticated' })
  assert.equal(other.count(), 3, 'none was taken since: that is the error')
})

test('two sockets of one token that has expired both come back', async () => {
  const { give } = numbered()
  const tokens = new TokenSource(give)
  await tokens.for('https://db.example')
  assert.deepEqual([tokens.leaves('t1'), tokens.leaves('t1')], [true, true])
  await tokens.for('https://db.example')
  assert.equal(tokens.leaves('t1'), true, 'there is another one by now')
  assert.equal(tokens.leaves('t2'), false, 'and that one is refused too')
})

test('a function that never answers heeds signal and timeoutMs, and leaves others alone', async (t) => {
  const server = await startScriptedServer(t, [{ expect: QUERY, answer: DONE }])
  let calls = 0
  const token = () => {
    calls += 1
    return calls < 3 ? new Promise<string>(() => undefined) : 't'
  }
  const db = connect({ url: server.url, token })
  const timeoutMs = -1_990 // The client waits two seconds longer than the server.
  await assert.rejects(db.query('SHOW TABLES', [], { timeoutMs }), { code: 'request_timed_out' })
  const leaving = new AbortController()
  const left = db.query('SHOW TABLES', [], { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  await db.query('SHOW TABLES')
  assert.deepEqual([calls, server.seen.length], [3, 1])
})

test('a token that comes after a later one, because nobody waited for it, is not used', async () => {
  const url = 'https://db.example'
  const asks: Array<(token: string) => void> = []
  const tokens = new TokenSource(() => new Promise<string>((give) => void asks.push(give)))
  const leaving = new AbortController()
  const left = tokens.for(url, leaving.signal)
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  const later = tokens.for(url)
  asks[1]?.('of bob')
  assert.equal(await later, 'of bob')
  asks[0]?.('of ann')
  await new Promise(setImmediate)
  assert.equal(await tokens.for(url), 'of bob')
})

test('a function that rejects while the client is away is tried again like the connection', async (t) => {
  const server = await startScriptedSocket(t)
  comeBackAtOnce(t)
  let calls = 0
  const token = async () => {
    calls += 1
    if (calls === 2) throw new Error('no login now')
    if (calls === 3) return await new Promise<string>(() => undefined)
    return `t${calls}`
  }
  const db = connect({ url: server.url, token, timeoutMs: 100 })
  t.after(() => db.close())
  const reasons: string[] = []
  const events = db.subscribe('SCAN * FROM note', [], {
    since: 5,
    onReconnect: ({ code, message }) => void reasons.push(`${code}: ${message}`),
  })
  const first = given(events.next())
  const one = await server.connection()
  await one.next()
  one.send({ type: 'authenticated' }, subscribed((await one.next()).id, 5))
  one.close(4401, 'token_expired')
  const other = await server.connection()
  assert.deepEqual(await other.next(), { type: 'auth', token: 't4' })
  const { id } = await other.next()
  other.send(subscribed(id, 5), change(id, 7, [insert('a', 1)]))
  assert.equal((await first).kind, 'commit')
  assert.match(reasons[1] ?? '', /^connection_failed: No token: Error: no login now$/)
  assert.match(reasons[2] ?? '', /^request_timed_out/)
})

test('under other claims rows that live begin again, and what is begun while the client is away waits', async (t) => {
  const server = await startScriptedSocket(t)
  comeBackAtOnce(t)
  const db = connect({ url: server.url, token: numbered().give })
  t.after(() => db.close())
  const live = db.live<{ id: string }>('SCAN * FROM note')
  const first = given(live.next())
  const snapshot = (id: string, key: string, view: string) => [
    { ...subscribed(id, 5), view },
    { type: 'rows', id, rows: [{ key: [key], row: { id: key, n: 1 } }] },
    { type: 'snapshotEnd', id, timestamp: 6 },
  ]
  const one = await server.connection()
  await one.next()
  one.send({ type: 'authenticated' }, ...snapshot((await one.next()).id, 'ann', 'v1'))
  assert.deepEqual(await first, [{ id: 'ann', n: 1 }])
  one.close(4403, 'A socket stays with whom it began with.')
  const next = given(live.next())
  await one.closed
  const other = await server.connection()
  await other.next()
  const again = await other.next()
  assert.deepEqual([again.since, again.view], [6, 'v1'])
  other.send({ type: 'error', id: again.id, code: 'resume_too_old', status: 410, title: 'x' })
  let anew = await other.next()
  while (anew.type !== 'subscribe') anew = await other.next()
  assert.equal(anew.snapshot, true)
  other.send(...snapshot(anew.id, 'bob', 'v2'))
  assert.deepEqual(await next, [{ id: 'bob', n: 1 }])
  other.drop()
  const late = given(db.subscribe('SCAN * FROM late', [], { since: 5 }).next())
  const third = await server.connection()
  third.drop()
  const fourth = await server.connection()
  await fourth.next()
  for (let asked = await fourth.next(); ; asked = await fourth.next()) {
    if (asked.sql !== 'SCAN * FROM late') continue
    fourth.send(subscribed(asked.id, 5), change(asked.id, 7, [insert('a', 1)]))
    break
  }
  assert.equal((await late).kind, 'commit')
})
