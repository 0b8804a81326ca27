// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { describe, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, type Storage } from '../../../storage/storage.ts'
import { auditedServer } from '../../../test/access/audited-server.ts'
import { JwtIssuer } from '../../../test/access/jwt-issuer.ts'
import { rolesServer } from '../../../test/access/roles-server.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenClient, TokenServer } from '../../../test/server/token-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const NOTE = '/v1/tables/note/rows'

describe('a right that is taken away', () => {
  test('is gone in what a crash leaves of the files', async (t) => {
    const data = await testFolder(t, 'revoked')
    const { tokens, run, client } = await rolesServer(t, { flags: { engine: 'sqlite', data } })
    const app = await client('app', 'READ ON note', 'READ ON secret')
    await run('REVOKE ALL ON note FROM app')
    // What was answered is on the disk, whether or not this process ever ends in order.
    const copy = await testFolder(t, 'crashed')
    await cp(data, copy, { recursive: true })
    const flags = { engine: 'sqlite', data: copy } as const
    const crashed = await startTestServer(t, { flags, deps: { clock: tokens.clock } })
    const { headers } = app
    const code = async (sql: string) =>
      (await crashed.send({ method: 'POST', path: '/v1/query', json: { sql }, headers })).body.code
    assert.equal(await code('GET * FROM note WHERE id = 1'), 'unknown_table')
    assert.equal(await code('GET * FROM secret WHERE id = 1'), undefined)
  })

  const REVOKES = [
    ['READ, WRITE ON note', 'REVOKE ALL ON note FROM app'],
    ['READ, WRITE ON ALL TABLES', 'REVOKE ALL ON ALL TABLES FROM app'],
  ] as const
  for (const [granted, revoke] of REVOKES) {
    test(`${revoke}: nothing that begins after is answered`, async (t) => {
      const { tokens, run, client } = await rolesServer(t)
      const app = await client('app', granted, 'READ ON secret')
      const { port } = await tokens.server.listen()
      const sql = 'SCAN * FROM note USE PRIMARY KEY'
      const keyed = (key: string) => ({ 'idempotency-key': key })
      const insert = { sql: "INSERT INTO note (id, text) VALUES (50, 'kept')" }
      const send = () =>
        app.send({ method: 'POST', path: '/v1/query', json: insert, headers: keyed('k') })
      const put = () =>
        app.send({ method: 'PUT', path: `${NOTE}/51`, json: { text: 'x' }, headers: keyed('p') })
      assert.equal((await send()).status, 200)
      assert.equal((await put()).status, 201)
      const { cursor } = (await app.query(sql, { pageSize: 1 })).body
      const asOf = (await app.query(sql)).body.readTimestamp
      const opened = await app.send({ method: 'POST', path: '/v1/transactions', json: {} })
      const { transaction } = opened.body
      assert.equal(
        (await app.query("SET text = 'w' ON note WHERE id = 2", { transaction })).status,
        200,
      )
      const socket = await openSocket(t, port, { headers: app.headers })
      socket.send({ type: 'subscribe', id: 's', sql })
      assert.equal((await socket.about('s')).type, 'subscribed')

      await run(revoke)
      const last = await socket.about('s')
      assert.deepEqual([last.type, last.code], ['error', 'unknown_table'])
      for (const more of [{}, { asOf }, { cursor, pageSize: 1 }, { transaction }]) {
        assert.equal(await app.refusal(sql, more), 'unknown_table', JSON.stringify(more))
      }
      assert.equal((await send()).body.code, 'unknown_table')
      assert.equal((await put()).body.code, 'unknown_table')
      const commit = await app.send({
        method: 'POST',
        path: `/v1/transactions/${transaction}/commit`,
      })
      assert.equal(commit.body.code, 'schema_changed')
      assert.equal((await socket.query(sql)).code, 'unknown_table')
      socket.send({ type: 'subscribe', id: 't', sql, since: asOf })
      assert.equal((await socket.about('t')).code, 'unknown_table')
    })
  }

  test('where servers share the store: new transactions at once, all else within a second', async (t) => {
    const shared = new MemoryCellStore()
    const clock = new ManualClock()
    const storages = [await openGateway(shared, { clock }), await openGateway(shared, { clock })]
    const tokens = await TokenServer.start(t, {
      clock,
      deps: { storage: storages[0] as Storage },
    })
    const server = await startTestServer(t, { deps: { storage: storages[1] as Storage, clock } })
    for (const sql of [
      'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)',
      'CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)',
      'CREATE ROLE app',
      'GRANT READ, WRITE ON note TO app',
      'GRANT READ, WRITE ON ALL TABLES TO app',
      'REVOKE ALL ON ALL TABLES FROM app',
      'GRANT READ ON other TO app',
    ]) {
      assert.equal((await tokens.query(sql)).status, 200, sql)
    }
    const app = new TokenClient(
      server,
      await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY'),
    )
    await clock.advance(1_000)
    const sql = 'SCAN * FROM note USE PRIMARY KEY'
    assert.deepEqual(await app.rows(sql), [])
    const { body } = await app.send({ method: 'POST', path: '/v1/transactions', json: {} })
    const inside = { transaction: body.transaction }
    assert.equal((await app.query("SET text = 'w' ON note WHERE id = 2", inside)).status, 200)
    const { port } = await server.listen()
    const socket = await openSocket(t, port, { headers: app.headers })
    assert.equal((await socket.subscribe('s', sql)).type, 'subscribed')

    assert.equal((await tokens.query('REVOKE ALL ON note FROM app')).status, 200)
    assert.equal(await app.refusal(sql), 'unknown_table', 'the snapshot brings the new grants')
    const path = `/v1/transactions/${body.transaction}/commit`
    assert.equal((await app.send({ method: 'POST', path })).body.code, 'schema_changed')
    const ended = socket.next((frame) => frame.id === 's' && frame.type === 'error')
    await clock.advance(1_000)
    assert.equal((await ended).code, 'unknown_table')
    await tokens.query('GRANT READ ON ALL TABLES TO app')
    await clock.advance(1_000)
    assert.equal((await app.query(sql)).status, 200)
    await tokens.query('REVOKE READ ON ALL TABLES FROM app')
    await clock.advance(1_000)
    assert.equal(await app.refusal(sql), 'unknown_table')
  })

  test('the last one of a role closes its sockets, and no others', async (t) => {
    const { tokens, run, client } = await rolesServer(t)
    const app = await client('app', 'READ ON note', 'DEFINE')
    const none = await client('none')
    const other = await client('other', 'READ ON note')
    const { port } = await tokens.server.listen()
    const open = (of: TokenClient) => openSocket(t, port, { headers: of.headers })
    const [socket, without, others] = await Promise.all([open(app), open(none), open(other)])
    const shown = await openSocket(t, port)
    shown.send({ type: 'auth', token: app.token })
    await shown.next(({ type }) => type === 'authenticated')
    const sql = 'SCAN * FROM note USE PRIMARY KEY'
    await run('REVOKE READ ON note FROM app')
    assert.equal((await socket.query('SHOW TABLES')).type, 'result', 'it still has DEFINE')
    await run('REVOKE DEFINE FROM app')
    for (const each of [socket, shown]) {
      assert.deepEqual(await each.closed(), { code: 4401, reason: 'unauthenticated' })
    }
    assert.equal((await others.query(sql)).type, 'result')
    assert.equal((await without.query(sql)).code, 'unknown_table', 'it never had any')
    const later = await open(app)
    assert.equal((await later.query(sql)).code, 'unknown_table')
    await run('GRANT READ ON note TO app')
    assert.equal((await later.query(sql)).type, 'result')
    await run('REVOKE READ ON note FROM app')
    assert.equal((await later.closed()).code, 4401)
  })

  test('the last one of a role of JWTs, or the role itself, closes sockets on all servers', async (t) => {
    const shared = new MemoryCellStore()
    const clock = new ManualClock()
    const issuer = await JwtIssuer.create(t, () => clock.wallMicros() / 1_000)
    const gateway = async () => ({ storage: await openGateway(shared, { clock }), clock })
    const tokens = await TokenServer.start(t, { clock, deps: await gateway() })
    const run = async (sql: string) => assert.equal((await tokens.query(sql)).status, 200, sql)
    await run('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
    for (const role of ['member', 'guest']) await run(`CREATE ROLE ${role} FOR JWT`)
    await run('GRANT READ ON note TO member')
    const far = await startTestServer(t, { flags: issuer.flags, deps: await gateway() })
    const { port } = await far.listen()
    const open = async (role: string) => {
      const headers = { authorization: `Bearer ${await issuer.token('ann', role)}` }
      return await openSocket(t, port, { headers })
    }
    const [member, guest] = [await open('member'), await open('guest')]
    await run('REVOKE READ ON note FROM member')
    await run('DROP ROLE guest')
    await run('CREATE ROLE guest')
    await clock.advance(1_000)
    for (const socket of [member, guest]) {
      assert.deepEqual(await socket.closed(), { code: 4401, reason: 'unauthenticated' })
    }
  })

  test('a stream of rows ends with an error after the page under way', async (t) => {
    const { tokens, run, client } = await rolesServer(t)
    const app = await client('app', 'READ ON note')
    const text = 'x'.repeat(32_000)
    for (let first = 10; first < 1_000; first += 25) {
      const rows = Array.from({ length: 25 }, (_, n) => `(${first + n}, '${text}')`)
      await run(`INSERT INTO note (id, text) VALUES ${rows.join(', ')}`)
    }
    const { port } = await tokens.server.listen()
    const asked = request({
      port,
      host: '127.0.0.1',
      path: `${NOTE}?format=ndjson`,
      headers: { ...app.headers, host: 'localhost:4270' },
    })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    await once(answer, 'readable')
    await run('REVOKE READ ON note FROM app')
    let last = ''
    for await (const chunk of answer) last = (last + String(chunk)).slice(-500)
    assert.match(last, /\{"error":\{.*"code":"unknown_table"/)
  })

  test('OBSERVE: notifications come while it is there, beside READ', async (t) => {
    const { tokens, run, client } = await rolesServer(t)
    await run('CREATE OBSERVER seen ON note (text)')
    const { port } = await tokens.server.listen()
    const app = await client('app', 'READ ON note', 'READ ON secret')
    const socket = await openSocket(t, port, { headers: app.headers })
    const observe = (id: string) =>
      socket.send({ type: 'observe', id, observer: 'seen', workers: 1 })
    observe('a')
    assert.equal((await socket.about('a')).code, 'not_permitted')
    await run('GRANT OBSERVE ON note TO app')
    observe('b')
    assert.equal((await socket.about('b')).type, 'notification')
    await run('REVOKE READ ON note FROM app')
    observe('c')
    assert.equal((await socket.about('c')).code, 'not_permitted')
    await run('REVOKE OBSERVE ON note FROM app')
    observe('d')
    assert.equal((await socket.about('d')).code, 'unknown_observer')
  })
})

test('GRANTs and REVOKEs that follow each other are one commit, told each, or none of them', async (t) => {
  const { admin, tokens, events } = await auditedServer(t)
  await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY); CREATE ROLE app')
  await admin.rows('GRANT READ, WRITE ON note TO app')
  const app = tokens.as(await tokens.made('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY'))
  const { text, body: failed } = await admin.query(
    'REVOKE ALL ON note FROM app; GRANT READ ON note TO app; GRANT READ ON note TO nobody',
  )
  assert.deepEqual([failed.code, failed.statement], ['unknown_role', 2], text)
  assert.equal((await app.query('INSERT INTO note (id) VALUES (1), (2)')).status, 200)
  const replaced =
    'REVOKE ALL ON note FROM app; GRANT READ ON note TO app WHERE id = 2; GRANT INSPECT TO app'
  const { body } = await admin.query(replaced)
  assert.equal(body.results.length, 3)
  assert.deepEqual(await app.rows('SCAN id FROM note USE PRIMARY KEY'), [{ id: 2 }])
  assert.equal(await app.refusal('INSERT INTO note (id) VALUES (3)'), 'not_permitted')
  const changes = (await events()).filter(({ event }) => event === 'access_changed').slice(-3)
  assert.deepEqual(
    changes.map(({ operation, commitTimestamp }) => [operation, commitTimestamp]),
    ['revoke', 'grant', 'grant'].map((operation) => [operation, body.commitTimestamp]),
  )
})

test('GRANTs and REVOKEs that follow each other in a script are one commit: who subscribes begins again', async (t) => {
  const { client, admin, tokens, run } = await rolesServer(t)
  const app = await client('app')
  await run('GRANT READ ON note TO app WHERE id = 1')
  const { port } = await tokens.server.listen()
  const socket = await openSocket(t, port, { headers: app.headers })
  const sql = 'SCAN id FROM note USE PRIMARY KEY'
  await socket.subscribe('all', sql)
  const script = async (json: object) =>
    (await admin.send({ method: 'POST', path: '/v1/scripts', json })).body
  const revoke = 'REVOKE READ ON note FROM app'
  const replaced = `${revoke}; GRANT READ ON note TO app WHERE id = 2; DROP ROLE none`
  const failed = await script({ sql: replaced })
  assert.deepEqual([failed.code, failed.statement, failed.done], ['unknown_role', 2, 2])
  const [first, second] = failed.results
  assert.equal(first.commitTimestamp, second.commitTimestamp)
  const ended = await socket.next(({ type, id }) => type === 'error' && id === 'all')
  assert.equal(ended.code, 'resume_too_old', 'it is another rule, and not no right')
  assert.deepEqual(await app.rows(sql), [{ id: 2 }])
  const none = await script({ sql: `${revoke}; GRANT READ ON note TO nobody` })
  assert.deepEqual([none.code, none.statement, none.done], ['unknown_role', 1, 0])
  assert.deepEqual(await app.rows(sql), [{ id: 2 }])
  const later = { sql: `${revoke}; GRANT READ ON note TO app; SHOW TABLES`, from: 1 }
  assert.deepEqual([(await script(later)).done, (await app.rows(sql)).length], [3, 3])
})
