// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type OutgoingHttpHeaders,
} from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { TurnReads } from '../../../storage/turn-reads.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

const BODY = JSON.stringify({ sql: 'GET * FROM t WHERE id = 1' })

/** One connection, and how often it was answered straight. */
class Connection {
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly straight: { count: number }

  constructor(t: TestContext, url: string) {
    this.#url = url
    t.after(() => this.#agent.destroy())
    const straight = { count: 0 }
    this.straight = straight
    const { row } = TurnReads.prototype
    t.mock.method(
      TurnReads.prototype,
      'row',
      function counted(this: TurnReads, ...asked: Parameters<typeof row>) {
        straight.count += 1
        return row.apply(this, asked)
      },
    )
  }

  /** A request whose body has not been sent. */
  begin(headers: OutgoingHttpHeaders): { sent: ClientRequest; status: Promise<number> } {
    const all = {
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) },
      ...headers,
    }
    const options = { agent: this.#agent, method: 'POST', headers: all }
    const sent = httpRequest(new URL('/v1/query', this.#url), options)
    sent.flushHeaders()
    const status = new Promise<number>((resolve, reject) => {
      sent.on('error', reject).on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
    })
    return { sent, status }
  }

  async ask(headers: OutgoingHttpHeaders): Promise<number> {
    const { sent, status } = this.begin(headers)
    sent.end(BODY)
    return await status
  }
}

async function tokens(t: TestContext) {
  const server = await TokenServer.start(t)
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY)')
  await server.query('INSERT INTO t (id) VALUES (1)')
  await server.query('CREATE ROLE reader')
  await server.query('GRANT READ ON t TO reader')
  const text = await server.made('CREATE TOKEN one ROLE reader EXPIRES IN 5 MINUTES')
  const { url } = await server.server.listen()
  const connection = new Connection(t, url)
  const authorization = `Bearer ${text}`
  for (let at = 0; at < 3; at += 1) assert.equal(await connection.ask({ authorization }), 200)
  assert.equal(connection.straight.count, 2, 'it goes straight by now')
  return { server, connection, authorization }
}

describe('who was let in before, on the same connection', () => {
  it('is not let in when the token has expired', async (t) => {
    const { server, connection, authorization } = await tokens(t)
    await server.clock.advance(6 * 60_000)
    // Only the first one has to wait for the clock of timestamps.
    for (let at = 0; at < 3; at += 1) assert.equal(await connection.ask({ authorization }), 401)
  })

  it('is not let in when the token is dropped between the head and the body', async (t) => {
    const { server, connection, authorization } = await tokens(t)
    const { sent, status } = connection.begin({ authorization })
    assert.equal((await server.query('DROP TOKEN one')).status, 200)
    sent.end(BODY)
    assert.equal(await status, 401)
    assert.equal(await connection.ask({ authorization }), 401)
  })

  it('is let in by the former text of a token that is rotated for as long as that holds', async (t) => {
    const { server, connection, authorization } = await tokens(t)
    const rotated = await server.made('ROTATE TOKEN one KEEP 1 MINUTE')
    for (let at = 0; at < 3; at += 1) {
      assert.equal(await connection.ask({ authorization }), 200)
      assert.equal(await connection.ask({ authorization: `Bearer ${rotated}` }), 200)
    }
    await server.clock.advance(2 * 60_000)
    for (let at = 0; at < 3; at += 1) {
      assert.equal(await connection.ask({ authorization }), 401)
      assert.equal(await connection.ask({ authorization: `Bearer ${rotated}` }), 200)
    }
  })

  it('is another client with another forwarded address, and has another rate', async (t) => {
    const server = await startTestServer(t, { flags: { 'trust-proxy': 'loopback', rate: '1' } })
    await server.rows('CREATE TABLE t (id INTEGER PRIMARY KEY)')
    await server.rows('INSERT INTO t (id) VALUES (1)')
    const { url } = await server.listen()
    const connection = new Connection(t, url)
    const from = (address: string) => connection.ask({ 'x-forwarded-for': address })
    const all: number[] = []
    for (let at = 0; at < 4; at += 1) all.push(await from('192.0.2.1'), await from('192.0.2.2'))
    assert.deepEqual(all.slice(0, 4), [200, 200, 200, 200])
    assert.ok(all.slice(4).includes(429), String(all))
    assert.equal(await from('192.0.2.3'), 200)
    assert.ok(connection.straight.count > 0)
  })

  it('is not remembered by a long head, and asked each time', async (t) => {
    const { connection, authorization } = await tokens(t)
    const long = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`x-${at}-${'x'.repeat(85)}`, '1']),
    )
    const before = connection.straight.count
    for (let at = 0; at < 3; at += 1)
      assert.equal(await connection.ask({ authorization, ...long }), 200)
    assert.equal(connection.straight.count, before)
    for (let at = 0; at < 2; at += 1) assert.equal(await connection.ask({ authorization }), 200)
    assert.ok(connection.straight.count > before)
  })

  it('is asked again for its host', async (t) => {
    const { connection, authorization } = await tokens(t)
    assert.equal(await connection.ask({ authorization, host: 'elsewhere.example' }), 403)
    assert.equal(await connection.ask({ authorization }), 200)
  })
})
