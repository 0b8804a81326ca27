// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { MemoryCellStore } from '../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../storage/storage.ts'
import { auditedServer } from '../test/access/audited-server.ts'
import { rolesServer } from '../test/access/roles-server.ts'
import { ManualClock } from '../test/manual-clock.ts'
import { startTestServer, type TestServer } from '../test/server/test-server.ts'
import { testFolder } from '../test/test-folder.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const retentionOf = async (server: Pick<TestServer, 'get'>) =>
  (await server.get('/v1/status')).body.retentionMs

describe('the retention of a store', () => {
  test('is that of its first start: another flag is warned of once, and counts for nothing', async (t) => {
    const data = await testFolder(t, 'retention')
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
    const start = (flags: Record<string, string>) =>
      startTestServer(t, { flags: { engine: 'sqlite', data, ...flags }, deps: { log } })
    const warnings = () => lines.splice(0).filter((line) => line.includes('retention of its own'))

    const first = await start({ retention: '2h' })
    assert.equal(await retentionOf(first), 2 * HOUR_MS)
    await first.server.close()
    const silent = await start({})
    assert.equal(await retentionOf(silent), 2 * HOUR_MS)
    await silent.server.close()
    assert.deepEqual(warnings(), [], 'nobody wanted another one')
    const other = await start({ retention: '1s', 'garbage-interval': '20ms' })
    const told = warnings().map((line) => JSON.parse(line))
    assert.deepEqual(
      told.map(({ retentionMs, wantedMs }) => [retentionMs, wantedMs]),
      [[2 * HOUR_MS, 1_000]],
    )
    assert.equal(await retentionOf(other), 2 * HOUR_MS)
  })

  test('is a day where nobody said another one', async (t) => {
    assert.equal(await retentionOf(await startTestServer(t)), DAY_MS)
  })
})

describe('ALTER STORE SET retention', () => {
  test('counts for each server of the store, and after a restart', async (t) => {
    const { near, far, store } = await twoServers(t)
    await near.query('CREATE TABLE note (id INTEGER PRIMARY KEY)')
    const answer = await near.query("alter store set retention = '1 week 2 days'")
    assert.deepEqual([answer.status, answer.body.commitTimestamp], [200, undefined])
    assert.deepEqual([await retentionOf(near), await retentionOf(far)], [9 * DAY_MS, 9 * DAY_MS])
    assert.equal(await retentionOf(await store.server()), 9 * DAY_MS)
  })

  test('takes what a flag takes, and says what else it is', async (t) => {
    const server = await startTestServer(t)
    const code = async (words: string) => {
      const { status, body } = await server.query(`ALTER STORE SET retention = '${words}'`)
      return [status, body.code, body.limit]
    }
    assert.deepEqual(await code('1 millisecond'), [200, undefined, undefined])
    assert.deepEqual(await code('2147483647 milliseconds'), [200, undefined, undefined])
    for (const words of ['0 days', '999 microseconds', '2147483648 milliseconds', '99999 weeks']) {
      assert.deepEqual(await code(words), [400, 'invalid_request', 'retentionMsMax'], words)
    }
    for (const words of ['7d', '1 month', '', '-1 day']) {
      assert.deepEqual(await code(words), [400, 'syntax_error', undefined], words)
    }
    assert.equal(await retentionOf(server), 2 ** 31 - 1)
  })

  test('needs ADMIN, and stands alone', async (t) => {
    const { admin, client } = await rolesServer(t)
    const app = await client('app', 'DEFINE, INSPECT')
    assert.equal(await app.refusal("ALTER STORE SET retention = '1 day'"), 'not_permitted')
    const { status, body } = await app.query("ALTER STORE SET retention = '1 day'")
    assert.deepEqual([status, body.right], [403, 'admin'])
    const within = "BEGIN; ALTER STORE SET retention = '1 hour'; COMMIT"
    assert.equal((await admin.query(within)).body.code, 'script_mixture')
    assert.equal((await admin.send({ path: '/v1/status' })).body.retentionMs, DAY_MS)
  })

  test('is in the audit log once, also beside a note that is committed, and not when it was refused', async (t) => {
    const { admin, events } = await auditedServer(t)
    await admin.rows("ALTER STORE SET retention = '7 days'")
    await admin.rows('CREATE TABLE progress (name TEXT PRIMARY KEY)')
    const note = { sql: "INSERT INTO progress (name) VALUES ('altered')", params: {} }
    const json = { sql: "ALTER STORE SET retention = '8 days'", note }
    assert.equal((await admin.send({ method: 'POST', path: '/v1/scripts', json })).status, 200)
    await admin.query("ALTER STORE SET retention = '9 months'")
    const changes = (await events()).filter(({ operation }) => operation === 'alterStore')
    assert.deepEqual(
      changes.map(({ event, names, role }) => [event, names, role]),
      [
        ['access_changed', { retentionMs: String(7 * DAY_MS) }, 'admin'],
        ['access_changed', { retentionMs: String(8 * DAY_MS) }, 'admin'],
      ],
    )
  })
})

async function twoServers(t: TestContext) {
  const cellStore = new MemoryCellStore()
  const clock = new ManualClock()
  const server = async () => {
    const storage = await openGateway(cellStore, { clock })
    return await startTestServer(t, { deps: { storage, clock } })
  }
  return { near: await server(), far: await server(), store: { server } }
}
