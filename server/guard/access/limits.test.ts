// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, type Storage } from '../../../storage/storage.ts'
import { rolesServer } from '../../../test/access/roles-server.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { AddressedClient } from '../../../test/server/addressed-client.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { type Sending, startTestServer } from '../../../test/server/test-server.ts'
import { TokenClient, TokenServer } from '../../../test/server/token-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

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
  const server = await startTestServer(t, { flags: { rate: `${rate}` }, deps: { clock } })
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

/** Statements that take far longer together than any of these tests. */
const LONG = Array.from({ length: 1_000 }, () => ({
  sql: "SCAN count(*) FROM note USE PRIMARY KEY WHERE text <> 'secret'",
}))

const READ: Sending = { path: '/v1/tables/note/rows?limit=1' }

/** As `rolesServer`, with so many rows that a SCAN lets others have their turn, and two holders of the role `app`. */
async function limitedServer(t: Parameters<typeof rolesServer>[0]) {
  const scene = await rolesServer(t)
  const { admin, tokens, client } = scene
  const json = Array.from({ length: 5_000 }, (_, n) => ({ id: 10 + n, text: `text ${n}` }))
  const posted = await admin.send({ method: 'POST', path: '/v1/tables/note/rows', json })
  assert.equal(posted.status, 201)
  const one = await client('app', 'READ, WRITE ON note')
  const other = tokens.as(await tokens.made('CREATE TOKEN other ROLE app EXPIRES IN 1 DAY'))
  return { ...scene, one, other }
}

/** Resolves when a query of the client is at work, to what ends it. */
async function atWork(admin: TokenClient, client: TokenClient) {
  const answer = client.send({ method: 'POST', path: '/v1/query', json: { statements: LONG } })
  for (;;) {
    const { running } = (await admin.send({ path: '/v1/running' })).body
    const found = running.find((each: { operation: string }) => each.operation === 'query')
    if (found === undefined) continue
    return async () => {
      await admin.send({ method: 'DELETE', path: `/v1/running/${found.id}` })
      assert.equal((await answer).body.code, 'statement_cancelled')
    }
  }
}

const factsOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body.code,
  body.limit,
  body.limitValue,
  body.actual,
]

describe('ALTER ROLE LIMIT', () => {
  test('statement: they run no longer, whatever the request asks for', async (t) => {
    const { admin, run, one } = await limitedServer(t)
    const sql = "SCAN id FROM note USE PRIMARY KEY WHERE upper('a') = 'B'"
    await run('ALTER ROLE app LIMIT statement 1 MILLISECOND')
    for (const more of [{}, { timeoutMs: 60_000 }]) {
      const { status, body } = await one.query(sql, more)
      assert.deepEqual([status, body.code, body.timeoutMs], [504, 'statement_timeout', 1])
    }
    assert.equal((await admin.query(sql)).status, 200)
    await run('ALTER ROLE app LIMIT statement 1 DAY')
    const { body } = await one.query(sql, { timeoutMs: 1 })
    assert.deepEqual([body.code, body.timeoutMs], ['statement_timeout', 1])
    await run('ALTER ROLE app LIMIT statement NONE')
    assert.equal((await one.query(sql)).status, 200)
  })

  test('running: each holder has so many requests at work, and following changes is none', async (t) => {
    const { admin, run, tokens, one, other } = await limitedServer(t)
    await run('ALTER ROLE app LIMIT running 1')
    const { port } = await tokens.server.listen()
    const headers = { ...one.headers, host: 'localhost:4270' }
    const sql = encodeURIComponent('SCAN * FROM note WHERE id = 1')
    const path = `/v1/changes?snapshot=true&sql=${sql}`
    const following = request({ port, host: '127.0.0.1', path, headers })
    t.after(() => following.destroy())
    following.on('error', () => {})
    following.end()
    const [changes] = (await once(following, 'response')) as [IncomingMessage]
    assert.equal(changes.statusCode, 200)

    assert.equal((await one.send(READ)).status, 200)
    const socket = await openSocket(t, port, { headers: one.headers })
    const end = await atWork(admin, one)
    const refused = await one.send(READ)
    assert.deepEqual(factsOf(refused), [429, 'client_overloaded', 'running', 1, 2])
    assert.equal(refused.headers['retry-after'], '1')
    const frame = await socket.query('SHOW TABLES')
    assert.deepEqual([frame.code, frame.limit], ['client_overloaded', 'running'])
    assert.equal((await other.send(READ)).status, 200)
    assert.equal((await admin.send(READ)).status, 200)
    await run('ALTER ROLE app LIMIT running 2')
    assert.equal((await one.send(READ)).status, 200)
    await end()
    await run('ALTER ROLE app LIMIT running 1')
    assert.equal((await one.send(READ)).status, 200)
  })

  test('rate: counts each holder of the role, over HTTP and in frames', async (t) => {
    const { admin, run, tokens, one, other } = await limitedServer(t)
    const { port } = await tokens.server.listen()
    const socket = await openSocket(t, port, { headers: one.headers })
    await run('ALTER ROLE app LIMIT rate 1')
    assert.equal((await one.query('SHOW TABLES')).status, 200)
    assert.equal((await socket.query('SHOW TABLES')).type, 'result')
    const refused = await one.query('SHOW TABLES')
    assert.deepEqual(factsOf(refused), [429, 'rate_limited', 'rate', 1, undefined])
    assert.equal((await socket.query('SHOW TABLES')).code, 'rate_limited')
    assert.equal((await other.query('SHOW TABLES')).status, 200)
    for (let times = 0; times < 5; times += 1) {
      assert.equal((await admin.query('SHOW TABLES')).status, 200)
    }
    await run('ALTER ROLE app LIMIT rate NONE')
    assert.equal((await one.query('SHOW TABLES')).status, 200)
  })

  test('rate: never raises that of the server', async (t) => {
    const clock = new ManualClock()
    const tokens = await TokenServer.start(t, { clock, flags: { rate: '2' } })
    await tokens.query('CREATE ROLE app')
    await clock.advance(5_000)
    await tokens.query('ALTER ROLE app LIMIT rate 1000, running 1000000')
    const app = tokens.as(await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY'))
    const asked = await Promise.all(Array.from({ length: 10 }, () => app.query('SHOW TABLES')))
    assert.equal(asked.filter(({ status }) => status === 200).length, 4)
  })

  test('transactions and subscriptions: each holder has so many open', async (t) => {
    const { run, tokens, one, other } = await limitedServer(t)
    await run('ALTER ROLE app LIMIT transactions 1, subscriptions 1')
    const { port } = await tokens.server.listen()
    const begin = (who: TokenClient) =>
      who.send({ method: 'POST', path: '/v1/transactions', json: {} })
    const { transaction } = (await begin(one)).body
    assert.deepEqual(factsOf(await begin(one)), [
      ...[429, 'client_overloaded', 'transactions'],
      ...[1, 2],
    ])
    assert.equal(await one.refusal('BEGIN'), 'client_overloaded')
    assert.equal((await begin(other)).status, 201)
    await one.send({ method: 'DELETE', path: `/v1/transactions/${transaction}` })
    assert.equal((await begin(one)).status, 201)

    const socket = await openSocket(t, port, { headers: one.headers })
    const sql = 'SCAN * FROM note WHERE id = 1'
    assert.equal((await socket.subscribe('a', sql)).type, 'subscribed')
    const second = await socket.subscribe('b', sql)
    assert.deepEqual([second.code, second.limit], ['client_overloaded', 'subscriptions'])
    const changes = { path: `/v1/changes?sql=${encodeURIComponent(sql)}&snapshot=true` }
    assert.equal((await one.send(changes)).body.limit, 'subscriptions')
    socket.send({ type: 'unsubscribe', id: 'a' })
    await socket.about('a')
    assert.equal((await socket.subscribe('c', sql)).type, 'subscribed')
  })

  test('is shown, changed one by one, taken off, and stays after a restart', async (t) => {
    const flags = { engine: 'sqlite', data: await testFolder(t, 'limits') }
    const tokens = await TokenServer.start(t, { flags })
    const shownTo = async (who: TokenClient) =>
      (await who.rows('SHOW ROLES')).map(({ role, limits }) => [role, limits])
    const shown = () => shownTo(tokens.as(tokens.token))
    const alter = async (limits: string) => {
      assert.equal((await tokens.query(`ALTER ROLE app LIMIT ${limits}`)).status, 200, limits)
      return (await shown())[1]?.[1]
    }
    await tokens.query('CREATE ROLE app')
    assert.deepEqual(await shown(), [
      ['admin', null],
      ['app', null],
    ])
    assert.equal(
      await alter('rate 20, statement 2 SECONDS, running 4'),
      'statement 2 SECONDS, running 4, rate 20',
    )
    assert.equal(await alter('running NONE'), 'statement 2 SECONDS, rate 20')
    assert.equal(await alter('STATEMENT 90 SECONDS'), 'statement 90 SECONDS, rate 20')
    assert.equal(await alter('statement 60 SECONDS'), 'statement 1 MINUTE, rate 20')
    assert.equal(await alter('statement 1500 MILLISECONDS'), 'statement 1500 MILLISECONDS, rate 20')
    await tokens.query('GRANT INSPECT TO app')
    assert.equal((await shown())[1]?.[1], 'statement 1500 MILLISECONDS, rate 20')
    assert.equal(await alter('statement NONE, rate NONE, running NONE'), null)
    assert.equal(await alter('subscriptions 5'), 'subscriptions 5')
    assert.equal(await alter(`written ${2 ** 50}`), `subscriptions 5, written ${2 ** 50}`)
    assert.equal(await alter('written NONE'), 'subscriptions 5')
    await tokens.server.server.close()
    const again = await startTestServer(t, { flags, deps: { clock: tokens.clock } })
    assert.deepEqual(await shownTo(new TokenClient(again, tokens.token)), [
      ['admin', null],
      ['app', 'subscriptions 5'],
    ])
  })

  test('mistakes are told with their place and the remedy, and change nothing', async (t) => {
    const { admin, client } = await rolesServer(t)
    await client('app')
    const met = async (limits: string, role = 'app') => {
      const { code, column, hint, nearest } = (
        await admin.query(`ALTER ROLE ${role} LIMIT ${limits}`)
      ).body
      return [code, column, nearest ?? hint]
    }
    const off = 'LIMIT rate NONE takes it off.'
    assert.deepEqual(await met('rate 0'), ['out_of_range', 22, off])
    assert.deepEqual(await met('rate 1000001'), ['out_of_range', 22, off])
    assert.deepEqual(await met(`rate ${'9'.repeat(400)}`), ['out_of_range', 22, off])
    assert.equal((await met('rate -1'))[0], 'syntax_error')
    assert.equal((await met('rate 1.5'))[0], 'syntax_error')
    assert.equal((await met('rate'))[0], 'syntax_error')
    assert.equal((await met(''))[0], 'syntax_error')
    assert.equal((await met('statement 2 WEEKS'))[0], 'syntax_error')
    assert.equal((await met('statement 0 SECONDS'))[0], 'out_of_range')
    assert.equal((await met('statement 2 DAYS'))[0], 'out_of_range')
    assert.equal((await met(`written ${2 ** 50 + 1}`))[0], 'out_of_range')
    const seconds = 'Write LIMIT statement 2 SECONDS.'
    assert.deepEqual(await met('statement 2'), ['invalid_request', 22, seconds])
    assert.deepEqual(await met('rate 2 SECONDS'), ['invalid_request', 22, 'Write LIMIT rate 20.'])
    assert.deepEqual(await met('runing 2'), ['invalid_request', 22, ['running']])
    assert.match((await met('memory 2'))[2], /^The limits of a role are statement, running, rate/)
    for (const name of ['__proto__', 'constructor', '"toString"']) {
      assert.equal((await met(`${name} 2`))[0], 'invalid_request', name)
    }
    assert.deepEqual(await met('rate 1, running 2, rate NONE'), ['invalid_request', 41, undefined])
    assert.deepEqual((await met('rate 1', 'nobody')).slice(0, 2), ['unknown_role', 12])
    assert.deepEqual((await met('rate 1', 'admin')).slice(0, 2), ['invalid_request', 12])
    const limits = (await admin.rows('SHOW ROLES')).map((role) => role.limits)
    assert.deepEqual(limits, [null, null])
  })

  test('needs ADMIN, and stands alone', async (t) => {
    const { admin, client } = await rolesServer(t)
    const ops = await client('ops', 'DEFINE, INSPECT')
    assert.equal(await ops.refusal('ALTER ROLE ops LIMIT rate NONE'), 'not_permitted')
    const mixed = 'BEGIN; ALTER ROLE ops LIMIT rate 1; COMMIT'
    assert.equal(await admin.refusal(mixed), 'script_mixture')
  })

  test('counts on the other servers of a store within a second', async (t) => {
    const clock = new ManualClock()
    const cellStore = new MemoryCellStore()
    const open = (): Promise<Storage> => openGateway(cellStore, { clock })
    const tokens = await TokenServer.start(t, { clock, deps: { storage: await open() } })
    const server = await startTestServer(t, { deps: { clock, storage: await open() } })
    await tokens.query('CREATE ROLE app')
    const token = await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY')
    await clock.advance(1_000)
    const app = new TokenClient(server, token)
    assert.equal((await app.query('SHOW TABLES')).status, 200)
    await tokens.query('ALTER ROLE app LIMIT rate 1')
    await clock.advance(1_000)
    const asked = []
    for (let times = 0; times < 3; times += 1) asked.push(await app.query('SHOW TABLES'))
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 200, 429],
    )
  })
})
