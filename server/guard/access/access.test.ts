// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import { CellStoreError } from '../../../storage/cells/cell-store.ts'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import type { RowFilter } from '../../../storage/cells/row-filter.ts'
import { openGateway, openStorage, systemRandomness } from '../../../storage/storage.ts'
import { newTokenText } from '../../../storage/tables/access/access.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { loadContract } from '../../doors/http/openapi/contract.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const OPEN = [
  'getHealth',
  'getLlmsTxt',
  'getOpenApiJson',
  'getOpenApiYaml',
  'getReadiness',
  'getRoot',
]
const { operations } = loadContract().document

/** Answers no read of a row, if it is told so. */
class SilentCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  isSilent = false

  override async readRows(keys: readonly Uint8Array[], filter: RowFilter) {
    if (this.isSilent) throw new CellStoreError('notApplied', 'the store does not respond')
    return await super.readRows(keys, filter)
  }
}

describe('without a token', () => {
  test('all clients of the machine are let in until there is one, and nobody after that', async (t) => {
    const server = await startTestServer(t)
    assert.equal((await server.query('SHOW TOKENS')).status, 200)
    const made = await server.query('CREATE TOKEN first ROLE admin EXPIRES IN 1 HOUR')
    assert.equal(made.status, 200)
    const { status, body, headers } = await server.query('SHOW TOKENS')
    assert.deepEqual([status, body.code], [401, 'unauthenticated'])
    assert.equal(headers['www-authenticate'], 'Bearer realm="percolite"')
  })

  test('every operation is refused with one body, but for those that are open to all', async (t) => {
    const { server } = await TokenServer.start(t)
    const bodies = new Set<string>()
    const open: string[] = []
    for (const { id, method, path } of operations) {
      const filled = path.replaceAll(/\{\w+\}/g, 'x')
      const verb = method.toUpperCase() as 'GET'
      const answer = await server.send({ method: verb, path: filled, json: undefined })
      if (answer.status === 401) bodies.add(answer.text)
      else open.push(id)
    }
    assert.deepEqual(open.sort(), OPEN)
    assert.equal(bodies.size, 1)
    for (const path of ['/nowhere', '/v1/nowhere', '/metrics']) {
      assert.equal((await server.get(path)).status, 401, path)
    }
    for (const path of ['/docs', '/openapi.yaml', '/openapi.json', '/llms.txt']) {
      assert.ok((await server.get(path)).status < 400, path)
    }
  })

  test('--auth required asks for one before there is any', async (t) => {
    const server = await startTestServer(t, { flags: { auth: 'required' } })
    assert.equal((await server.query('SHOW TABLES')).status, 401)
    assert.equal((await server.get('/healthz')).status, 200)
  })

  test('--no-auth does not start over a database that has one', async (t) => {
    const storage = await openStorage({ engine: 'memory' })
    t.after(() => storage.close())
    const server = await startTestServer(t, { deps: { storage } })
    await server.query('CREATE TOKEN first ROLE admin EXPIRES IN 1 HOUR')
    await assert.rejects(
      startTestServer(t, { deps: { storage }, flags: { 'no-auth': 'true' } }),
      /--no-auth: this database has tokens/,
    )
  })
})

describe('a wrong token', () => {
  test('is refused in the same words, whatever is wrong with it', async (t) => {
    const { server, token } = await TokenServer.start(t)
    const other = token.at(-1) === 'a' ? 'b' : 'a'
    const wrong = [
      'Bearer',
      'Bearer ',
      `bearer  ${token}`,
      `Basic ${token}`,
      token,
      `Bearer ${token.slice(0, -1)}${other}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token} ${token}`,
      'Bearer pct_aaaaaaaaaa_0000000000000000000000000000000000000000000000000',
    ]
    const bodies = new Set<string>()
    for (const authorization of wrong.slice(0, SERVER_LIMITS.failedTokensMax)) {
      const answer = await server.send({ path: '/v1/tables', headers: { authorization } })
      assert.equal(answer.status, 401, authorization)
      bodies.add(answer.text)
    }
    assert.equal(bodies.size, 1)
    const inUrl = await server.get(`/v1/tables?access_token=${token}`)
    assert.equal(inUrl.status, 401)
  })

  test('shown too often is 429 until the minute is over, and keeps out nobody whose token is right', async (t) => {
    const { server, clock, token, query } = await guessing(t)
    for (let tries = 0; tries < SERVER_LIMITS.failedTokensMax; tries += 1) {
      assert.equal((await query(`${token}x`)).status, 401)
    }
    await clock.advance(18_500)
    const refused = await query(`${token}x`)
    assert.deepEqual([refused.status, refused.body.code], [429, 'client_overloaded'])
    assert.equal(refused.headers['retry-after'], '42')
    assert.equal((await query(token)).status, 200)
    assert.equal((await server.get('/v1/tables')).status, 401)
    const { port } = await server.listen()
    const headers = { authorization: `Bearer ${token}` }
    await openSocket(t, port, { headers })
    await clock.advance(41_500)
    assert.equal((await query(`${token}x`)).status, 401)
  })
})

async function guessing(t: Parameters<typeof TokenServer.start>[0]) {
  const started = await TokenServer.start(t)
  const query = (token: string) => started.query('SHOW TABLES', token)
  const { server, clock, token } = started
  return { server, clock, token, query }
}

describe('a token', () => {
  test('lets its holder in, and SHOW TOKENS has neither its text nor a hash of it', async (t) => {
    const guarded = await TokenServer.start(t)
    await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 2 HOURS')
    const { status, body, text } = await guarded.query('SHOW TOKENS')
    assert.equal(status, 200)
    const names = body.results[0].rows.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['root', 'web'])
    assert.ok(!text.includes(guarded.token) && !/[0-9a-f]{64}/.test(text))
  })

  test('ends when its time is over, and says when that was', async (t) => {
    const guarded = await TokenServer.start(t)
    const short = await guarded.made('CREATE TOKEN short ROLE admin EXPIRES IN 1 DAY')
    assert.equal((await guarded.query('SHOW TABLES', short)).status, 200)
    await guarded.clock.advance(24 * HOUR_MS + SECOND_MS)
    const { status, body } = await guarded.query('SHOW TABLES', short)
    assert.deepEqual([status, body.code], [401, 'token_expired'])
    assert.match(body.expiredAt, /^2026-01-02T/)
    assert.equal((await guarded.query('ALTER TOKEN short EXPIRES IN 2 DAYS')).status, 200)
    assert.equal((await guarded.query('SHOW TABLES', short)).status, 200)
  })

  test('that is rotated counts for as long as KEEP says, or not at all', async (t) => {
    const guarded = await TokenServer.start(t)
    const old = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS')
    const kept = await guarded.made('ROTATE TOKEN web KEEP 1 HOUR')
    const works = async (token: string) =>
      (await guarded.query('SHOW TABLES', token)).status === 200
    assert.deepEqual([await works(old), await works(kept)], [true, true])
    await guarded.clock.advance(HOUR_MS + SECOND_MS)
    assert.deepEqual([await works(old), await works(kept)], [false, true])
    const now = await guarded.made('ROTATE TOKEN web')
    assert.deepEqual([await works(kept), await works(now)], [false, true])
  })

  test('that is dropped counts no more, and the last one of an administrator stays', async (t) => {
    const guarded = await TokenServer.start(t)
    const web = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS')
    assert.equal((await guarded.query('DROP TOKEN web')).status, 200)
    assert.equal((await guarded.query('SHOW TABLES', web)).status, 401)
    const last = await guarded.query('DROP TOKEN root')
    assert.deepEqual([last.status, last.body.code], [409, 'last_admin_token'])
  })

  test('cannot be made twice, of a role that there is not, for ever or in a transaction', async (t) => {
    const guarded = await TokenServer.start(t)
    const code = async (sql: string) => (await guarded.query(sql)).body.code
    assert.equal(await code('CREATE TOKEN root ROLE admin EXPIRES IN 9 DAYS'), 'already_exists')
    assert.equal(await code('CREATE TOKEN web ROLE app EXPIRES IN 9 DAYS'), 'unknown_role')
    assert.equal(await code('CREATE TOKEN web ROLE admin EXPIRES IN 367 DAYS'), 'out_of_range')
    assert.equal(await code('CREATE TOKEN web ROLE admin'), 'syntax_error')
    assert.equal(await code('ALTER TOKEN web EXPIRES IN 1 DAY'), 'unknown_token')
    assert.equal(await code('ROTATE TOKEN web'), 'unknown_token')
    assert.equal(await code('BEGIN; DROP TOKEN root; COMMIT'), 'script_mixture')
    const kept = await guarded.server.send({
      method: 'POST',
      path: '/v1/query',
      json: { sql: 'CREATE TOKEN web ROLE admin EXPIRES IN 1 DAY' },
      headers: { authorization: `Bearer ${guarded.token}`, 'idempotency-key': 'k' },
    })
    assert.equal(kept.status, 400, 'a secret is kept nowhere')
  })
})

test('the rows of tokens, roles and grants are sound', async (t) => {
  const guarded = await TokenServer.start(t)
  await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS')
  await guarded.made('ROTATE TOKEN web KEEP 1 HOUR')
  for (const sql of [
    'CREATE ROLE "ä / %" FOR JWT',
    'CREATE TABLE note (id INTEGER PRIMARY KEY, owner TEXT)',
    'GRANT READ ON ALL TABLES TO "ä / %"',
    'GRANT WRITE ON note TO "ä / %" WHERE owner = token.sub',
  ]) {
    assert.equal((await guarded.query(sql)).status, 200, sql)
  }
  const headers = { authorization: `Bearer ${guarded.token}` }
  const { body } = await guarded.server.send({ path: '/v1/check', headers })
  assert.deepEqual([body.sound, body.problems], [true, []])
})

describe('what is open when a token ends', () => {
  test('a request whose body comes after that is refused', async (t) => {
    const guarded = await TokenServer.start(t)
    await guarded.query('CREATE TABLE note (id INTEGER PRIMARY KEY)')
    const web = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS')
    const { port } = await guarded.server.listen()
    const sql = 'INSERT INTO note (id) VALUES (1)'
    const begun = async () => {
      const socket = connect(port, '127.0.0.1')
      t.after(() => socket.destroy())
      const answer = once(socket, 'data')
      const head = ['POST /v1/query HTTP/1.1', 'Host: localhost:4270', 'Content-Type: text/plain']
      head.push(`Authorization: Bearer ${web}`, `Content-Length: ${sql.length}`)
      head.push('Expect: 100-continue', '', '')
      socket.write(head.join('\r\n'))
      await answer // It has been let in, and is told to go on.
      return socket
    }
    const [before, after] = [await begun(), await begun()]
    before.write(sql)
    assert.match(String(await once(before, 'data')), /^HTTP\/1\.1 200/)
    await guarded.query('DROP TOKEN web')
    after.write(sql)
    assert.match(String(await once(after, 'data')), /^HTTP\/1\.1 401[\s\S]*"unauthenticated"/)
    const rows = await guarded.as(guarded.token).rows('SCAN * FROM note USE PRIMARY KEY')
    assert.deepEqual(rows, [{ id: 1 }])
  })

  test('a stream of changes ends with it, and the answer to DROP arrives', async (t) => {
    const guarded = await TokenServer.start(t)
    await guarded.query('CREATE TABLE a (id INTEGER PRIMARY KEY)')
    const web = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS')
    const { url } = await guarded.server.listen()
    const sql = encodeURIComponent('SCAN * FROM a USE PRIMARY KEY')
    const stream = await fetch(`${url}/v1/changes?sql=${sql}`, {
      headers: { authorization: `Bearer ${web}` },
    })
    assert.equal(stream.status, 200)
    const ended = stream.text().catch(() => 'broken off')
    const dropped = await guarded.query('DROP TOKEN web', web)
    assert.equal(dropped.status, 200)
    await ended
  })

  test('a store that does not respond ends no server, and a token ends in time all the same', async (t) => {
    const store = new SilentCellStore(new MemoryCellStore())
    const clock = new ManualClock()
    const guarded = await TokenServer.start(t, {
      clock,
      deps: { storage: await openGateway(store, { clock }) },
    })
    await clock.advance(1_000)
    const short = await guarded.made('CREATE TOKEN short ROLE admin EXPIRES IN 1 MINUTE')
    const { port } = await guarded.server.listen()
    const socket = await openSocket(t, port, { headers: { authorization: `Bearer ${short}` } })
    store.isSilent = true
    await clock.advance(62_000)
    assert.equal((await socket.closed()).code, 4401)
    store.isSilent = false
    await clock.advance(1_000)
    assert.equal((await guarded.query('SHOW TABLES')).status, 200)
  })

  test('where servers share the store, all of them know within a second', async (t) => {
    const shared = new MemoryCellStore()
    const clock = new ManualClock()
    const [one, other] = [
      await openGateway(shared, { clock }),
      await openGateway(shared, { clock }),
    ]
    const guarded = await TokenServer.start(t, { clock, deps: { storage: one } })
    const server = await startTestServer(t, { deps: { storage: other, clock } })
    const status = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await server.send({ path: '/v1/tables', headers })).status
    }
    await clock.advance(1_000)
    assert.equal(await status('nobody'), 401)
    assert.equal(await status(guarded.token), 200)
    const web = await guarded.made('CREATE TOKEN web ROLE admin EXPIRES IN 1 HOUR')
    assert.equal(await status(web), 200, 'a new one counts at once')
    const late = await guarded.made('CREATE TOKEN late ROLE admin EXPIRES IN 1 HOUR')
    const wrong = newTokenText(systemRandomness).text
    const waiting = Promise.all([late, ...new Array(12).fill(wrong)].map(status))
    await clock.advance(999)
    assert.equal(clock.sleeping > 0 && (await status(web)), 200, 'nobody waits who is known')
    await clock.advance(1)
    const answers = (await waiting).sort()
    assert.deepEqual(answers, [200, ...new Array(9).fill(401), 429, 429, 429])
    await guarded.query('ALTER TOKEN web EXPIRES IN 9 DAYS')
    await clock.advance(2 * HOUR_MS)
    assert.equal(await status(web), 200)
    await guarded.query('DROP TOKEN web')
    await clock.advance(1_000)
    assert.equal(await status(web), 401)
  })
})
