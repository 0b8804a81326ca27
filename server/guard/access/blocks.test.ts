// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, STORAGE_LIMITS, type Storage } from '../../../storage/storage.ts'
import { createAccessBlock, readAccessBlocks } from '../../../storage/tables/access/access.ts'
import { JwtIssuer } from '../../../test/access/jwt-issuer.ts'
import { jwtServer } from '../../../test/access/jwt-server.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenClient, TokenServer } from '../../../test/server/token-server.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const SCAN = 'SCAN id, owner FROM note USE PRIMARY KEY'
const NOTE = '/v1/tables/note/rows'
const BLOCK = "CREATE BLOCK SUBJECT 'ann'"

/** A server with JWTs, and clients for subjects of it. */
async function blocksServer(t: TestContext) {
  const started = await jwtServer(t)
  const { admin, tokens, issuer } = started
  const run = async (sql: string) => {
    const { status, text, body } = await admin.query(sql)
    assert.equal(status, 200, `${sql}: ${text}`)
    return body.results[0]
  }
  const client = async (...parts: Parameters<JwtIssuer['token']>) =>
    tokens.as(await issuer.token(...parts))
  return { ...started, run, client }
}

/** An answer that comes in pieces. */
async function begun(port: number, path: string, headers: object): Promise<IncomingMessage> {
  const host = 'localhost:4270'
  const asked = request({ port, host: '127.0.0.1', path, headers: { ...headers, host } })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return answer
}

/** What is left of it. */
async function restOf(answer: IncomingMessage): Promise<string> {
  let rest = ''
  try {
    for await (const chunk of answer) rest = (rest + String(chunk)).slice(-1_000)
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET')
  }
  return rest
}

describe('a subject of JWTs that is blocked', () => {
  test('has no answer to what begins after, by any JWT of before', async (t) => {
    const { run, client, clock } = await blocksServer(t)
    const ann = await client('ann')
    const bob = await client('bob')
    const sendKeyed = () =>
      ann.send({
        method: 'POST',
        path: '/v1/query',
        json: { sql: "INSERT INTO note (owner, id, text) VALUES ('ann', 50, 'kept')" },
        headers: { 'idempotency-key': 'k' },
      })
    assert.equal((await sendKeyed()).status, 200)
    const { cursor, readTimestamp: asOf } = (await ann.query(SCAN, { pageSize: 1 })).body
    const opened = await ann.send({ method: 'POST', path: '/v1/transactions', json: {} })
    const { transaction } = opened.body
    const write = "SET text = 'w' ON note WHERE owner = 'ann' AND id = 51"
    assert.equal((await ann.query(write, { transaction })).status, 200)

    await run(BLOCK)
    for (const more of [{}, { asOf }, { cursor, pageSize: 1 }, { transaction }]) {
      assert.equal(await ann.refusal(SCAN, more), 'unauthenticated', JSON.stringify(more))
    }
    const commit = { method: 'POST', path: `/v1/transactions/${transaction}/commit` } as const
    for (const refused of [
      await sendKeyed(),
      await ann.send(commit),
      await ann.send({ path: NOTE }),
    ]) {
      assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
    }
    assert.equal(
      await (await client('ann', 'member', { jti: '2' })).refusal(SCAN),
      'unauthenticated',
    )
    assert.deepEqual(await bob.rows(SCAN), [{ id: 1, owner: 'bob' }])
    await clock.advance(SECOND_MS)
    const fresh = await client('ann')
    assert.deepEqual(await fresh.rows(SCAN), [
      { id: 1, owner: 'ann' },
      { id: 50, owner: 'ann' },
    ])
    assert.equal(await ann.refusal(SCAN), 'unauthenticated')
  })

  test('loses what it has open: streams, sockets, subscriptions, notifications', async (t) => {
    const { run, client, tokens } = await blocksServer(t)
    await run('CREATE ROLE worker FOR JWT')
    await run('CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT)')
    await run('CREATE OBSERVER seen ON page (body)')
    await run('GRANT READ, WRITE, OBSERVE ON page TO worker')
    const body = 'x'.repeat(32_000)
    for (let first = 0; first < 1_000; first += 25) {
      const rows = Array.from({ length: 25 }, (_, n) => `(${first + n}, '${body}')`)
      await run(`INSERT INTO page (id, body) VALUES ${rows.join(', ')}`)
    }
    const { port } = await tokens.server.listen()
    const ann = await client('ann', 'worker')
    const bob = await client('bob', 'worker')
    const rows = await begun(port, '/v1/tables/page/rows?format=ndjson', ann.headers)
    const scan = 'SCAN * FROM page USE PRIMARY KEY LIMIT 1'
    const changes = await begun(
      port,
      `/v1/changes?sql=${encodeURIComponent('SCAN id FROM page USE PRIMARY KEY')}`,
      ann.headers,
    )
    await once(changes, 'readable')
    const shown = await openSocket(t, port)
    shown.send({ type: 'auth', token: ann.token })
    await shown.next(({ type }) => type === 'authenticated')
    const socket = await openSocket(t, port, { headers: ann.headers })
    const others = await openSocket(t, port, { headers: bob.headers })
    for (const each of [socket, others]) {
      assert.equal(
        (await each.subscribe('s', 'SCAN id FROM page USE PRIMARY KEY')).type,
        'subscribed',
      )
    }
    socket.send({ type: 'observe', id: 'o', observer: 'seen', workers: 1 })
    assert.equal((await socket.about('o')).type, 'notification')

    await run(BLOCK)
    for (const each of [socket, shown]) {
      assert.deepEqual(await each.closed(), { code: 4401, reason: 'unauthenticated' })
    }
    assert.match(await restOf(rows), /\{"error":\{.*"code":"unauthenticated"/)
    await restOf(changes)
    assert.equal((await others.query(scan)).type, 'result')
    others.send({ type: 'observe', id: 'o', observer: 'seen', workers: 1 })
    assert.equal((await others.about('o')).type, 'notification')
  })

  test('is blocked on all servers that share the store, within a second', async (t) => {
    const shared = new MemoryCellStore()
    const clock = new ManualClock()
    const issuer = await JwtIssuer.create(t, () => clock.wallMicros() / 1_000)
    const gateway = async () => ({ storage: await openGateway(shared, { clock }), clock })
    const tokens = await TokenServer.start(t, { clock, deps: await gateway() })
    for (const sql of [
      'CREATE TABLE note (owner TEXT, id INTEGER, text TEXT, PRIMARY KEY (owner, id))',
      'CREATE ROLE member FOR JWT',
      'GRANT READ, WRITE ON note TO member WHERE owner = token.sub',
    ]) {
      assert.equal((await tokens.query(sql)).status, 200, sql)
    }
    const [near, far] = [
      await startTestServer(t, { flags: issuer.flags, deps: await gateway() }),
      await startTestServer(t, { flags: issuer.flags, deps: await gateway() }),
    ]
    const ann = new TokenClient(far, await issuer.token('ann'))
    assert.deepEqual(await ann.rows(SCAN), [])
    const { port } = await far.listen()
    const socket = await openSocket(t, port, { headers: ann.headers })
    const { text, status } = await new TokenClient(near, tokens.token).query(BLOCK)
    assert.equal(status, 200, text)
    assert.equal(await new TokenClient(near, ann.token).refusal(SCAN), 'unauthenticated')
    await clock.advance(SECOND_MS)
    assert.deepEqual(await socket.closed(), { code: 4401, reason: 'unauthenticated' })
    assert.equal(await ann.refusal(SCAN), 'unauthenticated')
    assert.deepEqual(await new TokenClient(far, await issuer.token('ann')).rows(SCAN), [])
  })

  test('is let in again by DROP, and by itself when none of its JWTs can count any more', async (t) => {
    const { run, client, issuer, tokens, clock } = await blocksServer(t)
    const iat = Math.floor(clock.wallMicros() / 1e6)
    const long = await issuer.token('ann', 'member', { exp: iat + 24 * 3_600 })
    await run(BLOCK)
    assert.equal(await tokens.as(long).refusal(SCAN), 'unauthenticated')
    await run("DROP BLOCK SUBJECT 'ann'")
    assert.equal((await tokens.as(long).rows(SCAN)).length, 1)
    await run(`${BLOCK} EXPIRES IN 1 HOUR`)
    await clock.advance(HOUR_MS / 2)
    const late = await client('ann')
    await run(`${BLOCK} EXPIRES IN 1 MINUTE`)
    assert.equal(await late.refusal(SCAN), 'unauthenticated', 'the moment has moved')
    const [block, ...none] = (await run('SHOW BLOCKS')).rows
    assert.deepEqual([none, block.subject, block.issuer], [[], 'ann', 'https://id.example'])
    assert.equal(Date.parse(block.expires) - Date.parse(block.issuedUntil), HOUR_MS / 2)
    await clock.advance(HOUR_MS / 2 - SECOND_MS)
    assert.equal(await tokens.as(long).refusal(SCAN), 'unauthenticated')
    assert.equal((await run('SHOW BLOCKS')).rows.length, 1)
    await clock.advance(2 * SECOND_MS)
    // The first timestamps after a leap of the clock may be from before it, until the oracle's mark is raised.
    let left = (await run('SHOW BLOCKS')).rows
    for (let tries = 0; tries < 100 && left.length > 0; tries += 1) {
      left = (await run('SHOW BLOCKS')).rows
    }
    assert.deepEqual(left, [])
    assert.equal((await tokens.as(long).rows(SCAN)).length, 1)
    await run(BLOCK)
    const [whole] = (await run('SHOW BLOCKS')).rows
    const lastsMs = Date.parse(whole.expires) - Date.parse(whole.issuedUntil)
    assert.equal(lastsMs, 24 * HOUR_MS + 5 * SECOND_MS, 'as long as a JWT lives, by any clock')
  })

  test('takes a row of the store, until it has ended and another is blocked', async (t) => {
    const clock = new ManualClock()
    const storage = await openGateway(new MemoryCellStore(), { clock })
    t.after(() => storage.close())
    const block = async (subjects: readonly number[], mayRead: boolean) => {
      const from = clock.wallMicros()
      const transaction = await storage.begin()
      const blind = {
        put: transaction.put.bind(transaction),
        delete: transaction.delete.bind(transaction),
        getRow: transaction.getRow.bind(transaction),
        requireRoom: () => {},
        async *scanBatches() {},
      }
      for (const n of subjects) {
        const one = { issuer: 'i', subject: `s${n}`, from, expires: from + SECOND_MS * 1_000 }
        await createAccessBlock(mayRead ? transaction : blind, one)
      }
      await transaction.commit()
    }
    const { accessBlocksMax } = STORAGE_LIMITS
    // One read for all of them would take minutes.
    await block([...Array(accessBlocksMax).keys()], false)
    await assert.rejects(block([accessBlocksMax], true), { code: 'limit_exceeded' })
    await block([0], true)
    assert.equal(await rowsOf(storage), accessBlocksMax)
    await clock.advance(SECOND_MS)
    await block([accessBlocksMax], true)
    assert.equal(await rowsOf(storage), 1, 'those that had ended are gone')
  })

  test('is of those who may say so, and of servers that take JWTs', async (t) => {
    const { run, client, tokens, admin } = await blocksServer(t)
    const met = async (sql: string, by: TokenClient = admin) => {
      const { body } = await by.query(sql)
      return `${body.code} ${body.column}`
    }
    const ann = await client('ann')
    for (const sql of [BLOCK, "DROP BLOCK SUBJECT 'ann'", 'SHOW BLOCKS']) {
      assert.equal(await met(sql, ann), 'not_permitted 1', sql)
    }
    assert.equal(await met("DROP BLOCK SUBJECT 'ann'"), 'unknown_block 20')
    assert.equal(await met("CREATE BLOCK SUBJECT ''"), 'out_of_range 22')
    assert.equal(await met(`CREATE BLOCK SUBJECT '${'é'.repeat(129)}'`), 'out_of_range 22')
    assert.equal(await met(`${BLOCK} EXPIRES IN 25 HOURS`), 'out_of_range 39')
    assert.equal(await met(`${BLOCK} EXPIRES IN 0 HOURS`), 'out_of_range 39')
    assert.equal(await met(`BEGIN; ${BLOCK}; COMMIT`), 'script_mixture 1')
    await run("CREATE BLOCK SUBJECT '__proto__'")
    await run(`CREATE BLOCK SUBJECT '${'é'.repeat(128)}'`)
    assert.equal((await ann.query(SCAN)).status, 200)
    await tokens.server.server.close()
    const without = await TokenServer.start(t)
    for (const sql of [BLOCK, "DROP BLOCK SUBJECT 'ann'"]) {
      const { status, body } = await without.query(sql)
      assert.deepEqual([status, body.code], [400, 'invalid_request'])
      assert.match(body.detail, /--jwt-issuer/)
    }
    assert.deepEqual(await without.as(without.token).rows('SHOW BLOCKS'), [])
  })
})

/** How many rows of blocks the store has, those that have ended included. */
async function rowsOf(storage: Storage): Promise<number> {
  const transaction = await storage.begin({ readOnly: true })
  try {
    return (await readAccessBlocks(transaction, 0)).length
  } finally {
    transaction.rollback()
  }
}
