// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { CLIENT_FRAMES } from './client-frame.ts'

const MINUTE_MS = 60_000

async function guardedSocket(t: Parameters<typeof TokenServer.start>[0], token?: string) {
  const guarded = await TokenServer.start(t)
  const { port } = await guarded.server.listen()
  const shown = token ?? ''
  const options = shown === '' ? {} : { headers: { authorization: `Bearer ${shown}` } }
  return { guarded, port, socket: await openSocket(t, port, options) }
}

test('a socket without a token is told to show one, and then works', async (t) => {
  const { guarded, socket } = await guardedSocket(t)
  assert.equal(socket.welcome.auth, 'required')
  socket.send({ type: 'auth', token: guarded.token })
  const { type, role, subject, expiresAt } = await socket.next()
  assert.deepEqual([type, role], ['authenticated', 'admin'])
  assert.match(subject, /^token:[a-z2-7]{10}$/)
  assert.match(expiresAt, /^2026-04-01T/)
  assert.equal((await socket.query('SHOW TABLES')).type, 'result')
})

test('frames that are sent right behind the token are taken after it', async (t) => {
  const { guarded, socket } = await guardedSocket(t)
  socket.send({ type: 'auth', token: guarded.token })
  for (const id of ['1', '2', '3']) socket.send({ type: 'query', id, sql: 'SHOW TABLES' })
  assert.equal((await socket.next()).type, 'authenticated')
  for (const id of ['1', '2', '3']) assert.equal((await socket.about(id)).type, 'result')
  assert.equal((await socket.query('SHOW TOKENS')).type, 'result')
})

test('a token in the handshake is enough, and a wrong one is refused there', async (t) => {
  const { guarded, port } = await guardedSocket(t)
  const headers = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const socket = await openSocket(t, port, headers(guarded.token))
  assert.equal(socket.welcome.auth, 'done')
  assert.equal((await socket.query('SHOW TABLES')).type, 'result')
  await assert.rejects(openSocket(t, port, headers('pct_wrong')), /401/)
})

test('every frame but auth is refused before it, whatever is in it', async (t) => {
  const { port } = await guardedSocket(t)
  for (const type of CLIENT_FRAMES.filter((each) => each !== 'auth')) {
    const socket = await openSocket(t, port)
    socket.send({ type, id: '1', sql: 'SHOW TABLES', observer: 'o', notification: 'n' })
    assert.deepEqual(await socket.closed(), { code: 4401, reason: 'unauthenticated' }, type)
    assert.deepEqual(socket.unread, [], type)
  }
})

test('any other frame, a wrong token or none in time close it with 4401', async (t) => {
  const { guarded, port, socket } = await guardedSocket(t)
  socket.send({ type: 'query', id: '1', sql: 'SHOW TABLES' })
  assert.deepEqual(await socket.closed(), { code: 4401, reason: 'unauthenticated' })
  const guessing = await openSocket(t, port)
  guessing.send({ type: 'auth', token: `${guarded.token}x` })
  assert.deepEqual(await guessing.closed(), { code: 4401, reason: 'unauthenticated' })
  const silent = await openSocket(t, port)
  await guarded.clock.advance(SERVER_LIMITS.authenticationMsMax)
  assert.deepEqual(await silent.closed(), { code: 4401, reason: 'unauthenticated' })
  const long = await openSocket(t, port)
  long.send({ type: 'auth', token: 'x', more: 'x'.repeat(SERVER_LIMITS.unauthenticatedBytesMax) })
  assert.equal((await long.closed()).code, 4400)
})

test('it stays with its token: a rotated one is taken, another closes it with 4403', async (t) => {
  const { guarded, socket } = await guardedSocket(t)
  socket.send({ type: 'auth', token: guarded.token })
  await socket.next()
  const rotated = await guarded.made('ROTATE TOKEN root KEEP 1 HOUR')
  socket.send({ type: 'auth', token: rotated })
  assert.equal((await socket.next()).type, 'authenticated')
  const other = await guarded.query('CREATE TOKEN web ROLE admin EXPIRES IN 1 DAY', rotated)
  socket.send({ type: 'auth', token: other.body.results[0].rows[0].token })
  assert.equal((await socket.closed()).code, 4403)
})

test('its client is told a minute before its token ends, and closed with 4401 then', async (t) => {
  const { guarded, port } = await guardedSocket(t)
  const token = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 30 MINUTES')
  const socket = await openSocket(t, port)
  socket.send({ type: 'auth', token })
  const { expiresAt } = await socket.next()
  await guarded.clock.advance(29 * MINUTE_MS + 2_000)
  assert.deepEqual(await socket.next(), { type: 'authExpiring', expiresAt })
  await guarded.clock.advance(MINUTE_MS)
  assert.deepEqual(await socket.closed(), { code: 4401, reason: 'token_expired' })
})

test('DROP TOKEN closes it, with all that it runs, and others stay', async (t) => {
  const { guarded, port, socket: other } = await guardedSocket(t)
  other.send({ type: 'auth', token: guarded.token })
  await other.next()
  await guarded.query('CREATE TABLE a (id INTEGER PRIMARY KEY)')
  const token = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 1 DAY')
  const socket = await openSocket(t, port, { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await socket.subscribe('s', 'SCAN * FROM a USE PRIMARY KEY')).type, 'subscribed')
  await guarded.query('DROP TOKEN web')
  assert.deepEqual(await socket.closed(), { code: 4401, reason: 'unauthenticated' })
  assert.equal((await other.query('SHOW TABLES')).type, 'result')
})

test('a socket that was open to all is closed by the first token', async (t) => {
  const server = await startTestServer(t, { deps: { clock: new ManualClock() } })
  const { port } = await server.listen()
  const socket = await openSocket(t, port)
  assert.equal(socket.welcome.auth, 'none')
  socket.send({ type: 'auth', token: 'of another server' })
  assert.equal((await socket.query('SHOW TABLES')).type, 'result')
  await server.query('CREATE TOKEN first ROLE admin EXPIRES IN 1 DAY')
  assert.deepEqual(await socket.closed(), { code: 4401, reason: 'unauthenticated' })
})
