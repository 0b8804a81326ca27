// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TokenClient, TokenServer } from '../../../test/server/token-server.ts'

const MIDNIGHT_MS = Date.UTC(2026, 0, 2)
const SECONDS_LEFT = 600

/** A store that servers share, ten minutes before midnight, with a role that may write 10,000 bytes a day. */
async function world(t: TestContext) {
  const clock = new ManualClock({ wallMicros: (MIDNIGHT_MS - SECONDS_LEFT * 1_000) * 1_000 })
  const cellStore = new MemoryCellStore()
  const open = () => openGateway(cellStore, { clock })
  const tokens = await TokenServer.start(t, { clock, deps: { storage: await open() } })
  const admin = tokens.as(tokens.token)
  for (const sql of [
    'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)',
    'CREATE ROLE writer',
    'GRANT READ, WRITE ON note TO writer',
    'ALTER ROLE writer LIMIT written 10000',
  ]) {
    assert.equal((await admin.query(sql)).status, 200, sql)
  }
  const token = await tokens.made('CREATE TOKEN w ROLE writer EXPIRES IN 2 DAYS')
  const one = tokens.as(token)
  const otherToken = await tokens.made('CREATE TOKEN w2 ROLE writer EXPIRES IN 2 DAYS')
  const started = async () => {
    const server = await startTestServer(t, { deps: { clock, storage: await open() } })
    return { server, writer: new TokenClient(server, token) }
  }
  const writtenToday = async (): Promise<number | null> => {
    const roles = await admin.rows('SHOW ROLES')
    assert.equal(roles[0]?.writtenToday, null, 'admin has no limit')
    return roles[1]?.writtenToday
  }
  /**
   * Resolves when what was counted is in the store: after a second, or one later for each time that another server
   * saved at the same time.
   */
  const saved = async (isSaved: (bytes: number) => boolean) => {
    for (let seconds = 1; seconds <= 10; seconds += 1) {
      await clock.advance(1_000)
      const bytes = (await writtenToday()) ?? 0
      if (isSaved(bytes)) return bytes
    }
    throw new Error('what was counted is not saved after 10 s')
  }
  return { clock, tokens, admin, one, other: tokens.as(otherToken), started, writtenToday, saved }
}

/** Takes a little more than so many bytes. */
const insert = (id: number, bytes: number) =>
  `INSERT INTO note (id, text) VALUES (${id}, '${'x'.repeat(bytes)}')`

const factsOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body.code,
  body.limit,
  body.limitValue,
]
const USED_UP = [429, 'rate_limited', 'written', 10_000]

test('a role that has written its bytes of the day is refused at every door until the next, and others are not', async (t) => {
  const { clock, admin, one, other } = await world(t)
  const open = await one.send({ method: 'POST', path: '/v1/transactions', json: {} })
  const { transaction } = open.body
  await one.query(insert(1, 4_000), { transaction })
  assert.equal((await one.query(insert(2, 6_000))).status, 200)

  const refused = await other.query(insert(3, 4_000))
  assert.deepEqual(factsOf(refused), USED_UP)
  assert.equal(refused.headers['retry-after'], `${SECONDS_LEFT}`)
  assert.match(refused.body.hint, /ALTER ROLE/)
  const row = [{ id: 4, text: 'x'.repeat(4_000) }]
  const posted = { method: 'POST', path: '/v1/tables/note/rows', json: row } as const
  assert.deepEqual(factsOf(await one.send(posted)), USED_UP)
  const commit = { method: 'POST', path: `/v1/transactions/${transaction}/commit` } as const
  assert.deepEqual(factsOf(await one.send(commit)), USED_UP)
  assert.deepEqual(factsOf(await one.query(`BEGIN; ${insert(5, 4_000)}; COMMIT`)), USED_UP)
  assert.deepEqual(await admin.rows('SCAN id FROM note USE PRIMARY KEY'), [{ id: 2 }])

  assert.equal((await other.query(insert(6, 100))).status, 200, 'what is left can be written')
  assert.equal((await admin.query(insert(7, 20_000))).status, 200)
  await clock.advance(SECONDS_LEFT * 1_000)
  assert.equal((await other.query(insert(8, 6_000))).status, 200)
  assert.deepEqual(factsOf(await other.query(insert(9, 6_000))), USED_UP)
})

test('what could be written on no day is no matter of waiting, and a commit that fails is not counted', async (t) => {
  const { admin, one, saved } = await world(t)
  const never = await one.query(insert(1, 11_000))
  assert.deepEqual(factsOf(never), [413, 'limit_exceeded', 'written', 10_000])
  assert.equal(never.headers['retry-after'], undefined)
  const { transaction } = (await one.send({ method: 'POST', path: '/v1/transactions', json: {} }))
    .body
  await one.query(insert(1, 6_000), { transaction })
  await admin.query(insert(1, 1))
  const commit = { method: 'POST', path: `/v1/transactions/${transaction}/commit` } as const
  assert.equal((await one.send(commit)).body.code, 'write_conflict')
  assert.equal((await one.query(insert(2, 6_000))).status, 200)
  assert.equal(Math.floor((await saved((bytes) => bytes > 0)) / 1_000), 6)
  await admin.query('ALTER ROLE writer LIMIT written NONE')
  assert.equal((await one.query(insert(3, 11_000))).status, 200)
})

test('the count is shown, is known to other servers after a second, and outlives a stop', async (t) => {
  const { clock, tokens, one, started, saved, writtenToday } = await world(t)
  const second = await started()
  assert.equal(await writtenToday(), 0)
  assert.equal((await second.writer.query(insert(1, 3_000))).status, 200)
  assert.equal((await one.query(insert(2, 3_000))).status, 200)
  await saved((bytes) => bytes > 6_000)
  await clock.advance(1_000)
  assert.deepEqual(factsOf(await one.query(insert(3, 4_500))), USED_UP)
  assert.deepEqual(factsOf(await second.writer.query(insert(3, 4_500))), USED_UP)

  assert.equal((await second.writer.query(insert(4, 3_000))).status, 200)
  await second.server.server.close()
  await tokens.server.server.close()
  const third = await started()
  assert.deepEqual(factsOf(await third.writer.query(insert(5, 3_000))), USED_UP)
})

test('a role that is dropped and made again begins at nothing', async (t) => {
  const { admin, one, saved, writtenToday } = await world(t)
  await one.query(insert(1, 3_000))
  await saved((bytes) => bytes > 0)
  await admin.query('DROP TOKEN w')
  await admin.query('DROP TOKEN w2')
  await admin.query('REVOKE ALL ON note FROM writer')
  assert.equal((await admin.query('DROP ROLE writer')).status, 200)
  await admin.query('CREATE ROLE writer')
  await admin.query('ALTER ROLE writer LIMIT written 5')
  assert.equal(await writtenToday(), 0)
})
