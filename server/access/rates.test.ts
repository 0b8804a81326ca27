// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManualClock } from '../../test/manual-clock.ts'
import { AddressedClient } from '../../test/server/addressed-client.ts'
import { openSocket } from '../../test/server/socket-client.ts'
import { type Sending, startTestServer } from '../../test/server/test-server.ts'
import { TokenServer } from '../../test/server/token-server.ts'

const SHOW = { method: 'POST', path: '/v1/query', json: { sql: 'SHOW TABLES' } } as const

/** What a client can ask for: the fast path, the ordinary way, other operations, and a path that there is not. */
const DOORS: readonly Sending[] = [
  SHOW,
  { ...SHOW, headers: { 'idempotency-key': 'k' } },
  { ...SHOW, json: undefined, text: '{', headers: { 'content-type': 'application/json' } },
  { method: 'POST', path: '/v1/transactions', json: {} },
  { path: '/v1/limits' },
  { path: '/v1/nothing' },
]

async function ratedServer(t: Parameters<typeof startTestServer>[0], rate: number) {
  const clock = new ManualClock()
  const server = await startTestServer(t, { flags: { rate: `${rate}` }, outside: { clock } })
  return { clock, server }
}

describe('--rate', () => {
  test('a client has its rate, and twice as much in one go, at every door', async (t) => {
    const { clock, server } = await ratedServer(t, 1)
    for (const door of DOORS) {
      await clock.advance(60_000)
      const label = JSON.stringify(door)
      for (let times = 0; times < 2; times += 1) {
        assert.notEqual((await server.send(door)).status, 429, label)
      }
      const { status, headers, body } = await server.send(door)
      assert.deepEqual([status, body.code, body.retryable], [429, 'rate_limited', true], label)
      assert.deepEqual([body.limit, body.limitValue], ['rate', 1])
      assert.equal(headers['retry-after'], '1')
      await clock.advance(1_000)
      assert.notEqual((await server.send(door)).status, 429, label)
      assert.equal((await server.send(door)).status, 429, label)
    }
  })

  test('is of each client, by its token whatever address it comes from', async (t) => {
    const clock = new ManualClock()
    const flags = { rate: '4' }
    const tokens = await TokenServer.start(t, { clock, flags })
    const { url } = await tokens.server.listen()
    const made = (name: string) => tokens.made(`CREATE TOKEN ${name} ROLE admin EXPIRES IN 1 DAY`)
    const one = await made('one')
    const other = await made('other')
    const from = async (address: string, token: string) => {
      const client = new AddressedClient(url, address)
      const headers = { authorization: `Bearer ${token}` }
      const { status } = await client.send('POST', '/v1/query', SHOW.json, headers)
      client.close()
      return status
    }
    for (let times = 0; times < 8; times += 1) {
      assert.equal(await from(`127.0.0.${2 + times}`, one), 200)
    }
    assert.equal(await from('127.0.0.20', one), 429)
    assert.equal(await from('127.0.0.2', other), 200)
  })

  test('does not count health, preflights, documentation, or those without a valid token', async (t) => {
    const clock = new ManualClock()
    const origin = 'https://app.example'
    const flags = { rate: '1', 'allow-origin': origin }
    const tokens = await TokenServer.start(t, { clock, flags })
    const { server } = tokens
    await clock.advance(60_000)
    const preflight = { origin, 'access-control-request-method': 'POST' }
    for (let times = 0; times < 5; times += 1) {
      for (const path of ['/healthz', '/readyz', '/', '/openapi.json']) {
        assert.equal((await server.get(path)).status, 200, path)
      }
      const asked = { method: 'OPTIONS', path: '/v1/query', headers: preflight } as const
      assert.equal((await server.send(asked)).status, 204)
      assert.equal((await server.query('SHOW TABLES')).status, 401)
    }
    assert.equal((await tokens.query('SHOW TABLES')).status, 200)
  })

  test('counts the frames of a socket that ask for work, and answers those beyond by their id', async (t) => {
    const { clock, server } = await ratedServer(t, 2)
    await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY)')
    const { port } = await server.listen()
    await clock.advance(60_000)
    const socket = await openSocket(t, port)
    // The handshake was the first one.
    socket.send({ type: 'query', id: '1', sql: 'SHOW TABLES' })
    assert.equal((await socket.about('1')).type, 'result')
    socket.send({ type: 'query', id: '2', sql: 1 })
    assert.equal((await socket.about('2')).code, 'invalid_request')
    socket.send({ type: 'subscribe', id: '3', sql: 'SCAN * FROM t' })
    assert.notEqual((await socket.about('3')).type, 'error')
    const work = {
      query: { sql: 'SHOW TABLES' },
      subscribe: { sql: 'SCAN * FROM t' },
      observe: { observer: 'o' },
    }
    for (const [type, fields] of Object.entries(work)) {
      socket.send({ type, id: type, ...fields })
      const refused = await socket.about(type)
      assert.deepEqual(
        [refused.type, refused.code, refused.status, refused.retryable],
        ['error', 'rate_limited', 429, true],
        type,
      )
    }
    socket.send({ type: 'release', id: '4', notification: 'n' })
    assert.equal((await socket.about('4')).code, 'unknown_notification')
    socket.send({ type: 'unsubscribe', id: '3' })
    assert.equal((await socket.about('3')).type, 'unsubscribed')
    assert.equal((await server.query('SHOW TABLES')).body.code, 'rate_limited')
    await clock.advance(1_000)
    assert.equal((await socket.query('SHOW TABLES')).type, 'result')
  })

  test('counts handshakes as well', async (t) => {
    const { server } = await ratedServer(t, 1)
    const { port } = await server.listen()
    await openSocket(t, port)
    await openSocket(t, port)
    await assert.rejects(openSocket(t, port), /429/)
  })
})
