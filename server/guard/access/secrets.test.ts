// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { rolesServer } from '../../../test/access/roles-server.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const SCAN = 'SCAN id FROM note USE PRIMARY KEY'
const ROTATE = 'ROTATE SECRET CURSOR'
const PAGE = { pageSize: 1 }
const RETENTION_MS = 60_000

describe('ROTATE SECRET CURSOR', () => {
  test('signs anew; the cursors of before go on until they are rotated out', async (t) => {
    const { tokens, admin, run, client } = await rolesServer(t)
    const app = await client('app', 'READ ON note')
    const page = async (cursor?: string) => {
      const { body } = await app.query(SCAN, {
        ...PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      })
      return body.code ?? body.cursor
    }
    const first = await page()
    assert.equal(await page(first), await page(first))
    const before = await page(first)
    await run(ROTATE)
    const after = await page(first)
    assert.notEqual(after, before, 'another signature')
    assert.notEqual(await page(before), 'bad_cursor')
    const path = `/v1/tables/note/rows?limit=1`
    const { cursor } = (await app.send({ path })).body
    const { port } = await tokens.server.listen()
    const socket = await openSocket(t, port, { headers: app.headers })
    await run(ROTATE)
    assert.equal(await page(before), 'bad_cursor')
    assert.notEqual(await page(after), 'bad_cursor')
    assert.equal((await socket.query(SCAN, { ...PAGE, cursor: before })).code, 'bad_cursor')
    assert.equal((await socket.query(SCAN, { ...PAGE, cursor: after })).type, 'result')
    const next = `${path}&cursor=${encodeURIComponent(cursor)}`
    assert.deepEqual((await app.send({ path: next })).body.rows, [{ id: 2, text: 'b' }])
    await run(ROTATE)
    assert.equal((await app.send({ path: next })).body.code, 'bad_cursor')
    assert.equal(await app.refusal(ROTATE), 'not_permitted')
    assert.equal((await admin.query(`BEGIN; ${ROTATE}; COMMIT`)).body.code, 'script_mixture')
  })

  test('outlives a restart, and the secret from before ends with the retention', async (t) => {
    const clock = new ManualClock()
    const flags = {
      engine: 'sqlite',
      data: await testFolder(t, 'secrets'),
      retention: `${RETENTION_MS / 1_000}s`,
    }
    const start = () => startTestServer(t, { flags, deps: { clock } })
    let server = await start()
    await server.query('CREATE TABLE note (id INTEGER PRIMARY KEY)')
    await server.query('INSERT INTO note (id) VALUES (1), (2), (3)')
    const old = (await server.query(SCAN, PAGE)).body.cursor
    assert.equal((await server.query(ROTATE)).status, 200)
    const made = (await server.query(SCAN, PAGE)).body.cursor
    await server.server.close()
    server = await start()
    const code = async (cursor: string) => (await server.query(SCAN, { ...PAGE, cursor })).body.code
    assert.deepEqual([await code(old), await code(made)], [undefined, undefined])
    await clock.advance(2 * RETENTION_MS + 1_000)
    assert.equal(await code(old), 'bad_cursor')
    assert.notEqual(await code(made), 'bad_cursor')
  })

  for (const open of [{}, { 'no-auth': 'true' }]) {
    test(`is known to other servers when they meet its cursors: ${JSON.stringify(open)}`, async (t) => {
      const shared = new MemoryCellStore()
      const clock = new ManualClock()
      const gateway = async () => {
        const storage = await openGateway(shared, { clock })
        return startTestServer(t, { flags: open, deps: { storage, clock } })
      }
      const [near, far] = [await gateway(), await gateway()]
      await near.query('CREATE TABLE note (id INTEGER PRIMARY KEY)')
      await near.query('INSERT INTO note (id) VALUES (1), (2), (3)')
      const old = (await far.query(SCAN, PAGE)).body.cursor
      assert.equal((await near.query(ROTATE)).status, 200)
      const late = (await far.query(SCAN, PAGE)).body.cursor
      const made = (await near.query(SCAN, PAGE)).body.cursor
      for (const [server, cursor] of [
        [near, old],
        [near, late],
        [far, made],
        [far, old],
      ] as const) {
        const { status, text } = await server.query(SCAN, { ...PAGE, cursor })
        assert.equal(status, 200, text)
      }
      await near.query(ROTATE)
      await clock.advance(60_000)
      const { cursor } = (await far.query(SCAN, PAGE)).body
      await near.query(ROTATE)
      assert.equal((await near.query(SCAN, { ...PAGE, cursor })).status, 200, 'far had looked')
    })
  }
})
