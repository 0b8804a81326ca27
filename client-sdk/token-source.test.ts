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
