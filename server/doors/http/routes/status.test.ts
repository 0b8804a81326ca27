// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renewDirectoryHistory } from '../../../../storage/storage.ts'
import { openSocket } from '../../../../test/server/socket-client.ts'
import { startTestServer } from '../../../../test/server/test-server.ts'
import { testFolder } from '../../../../test/test-folder.ts'

describe('GET /v1/status', () => {
  it('says how commits are made and for how long the past is kept', async (t) => {
    for (const [commit, shown] of [
      ['auto', 'one-phase'],
      ['two-phase', 'two-phase'],
    ] as const) {
      const flags = { commit, retention: '2h', 'garbage-interval': '5m' }
      const { body } = await (await startTestServer(t, { flags })).get('/v1/status')
      const { retentionMs, garbageIntervalMs, redoLog, restored } = body
      assert.deepEqual([body.commit, retentionMs, garbageIntervalMs], [shown, 7_200_000, 300_000])
      assert.deepEqual([redoLog, restored], [undefined, undefined])
    }
  })

  it('says by how much commits are slowed down, where they are', async (t) => {
    const slow = { engine: 'memory', commit: 'two-phase', 'step-delay': '50ms' }
    for (const [flags, shown] of [
      [slow, 50],
      [{}, undefined],
    ] as const) {
      const { body } = await (await startTestServer(t, { flags })).get('/v1/status')
      assert.equal(body.stepDelayMs, shown)
    }
  })

  it('counts sockets and subscriptions', async (t) => {
    const server = await startTestServer(t)
    await server.query('CREATE TABLE item (id TEXT PRIMARY KEY)')
    const socket = await openSocket(t, (await server.listen()).port)
    socket.send({ type: 'subscribe', id: 'all', sql: 'SCAN * FROM item USE PRIMARY KEY' })
    assert.equal((await socket.next()).type, 'subscribed')
    const { sockets, subscriptions, conflicts } = (await server.get('/v1/status')).body
    assert.deepEqual([sockets, subscriptions, conflicts], [1, 1, 0])
  })

  it('says what is in the redo log, and where a copy was put back', async (t) => {
    const data = await testFolder(t, 'status')
    const flags = { engine: 'sqlite', data, 'redo-log': 'always' }
    const first = await startTestServer(t, { flags })
    await first.query('CREATE TABLE item (id TEXT PRIMARY KEY)')
    const before = (await first.query("INSERT INTO item (id) VALUES ('a')")).body.commitTimestamp
    const { redoLog } = (await first.get('/v1/status')).body
    assert.equal(redoLog.policy, 'always')
    assert.ok(redoLog.cells > 0 && redoLog.bytes > 0)
    await first.server.close()
    await renewDirectoryHistory(data)
    const second = await startTestServer(t, { flags })
    const { restored, historyFrom } = (await second.get('/v1/status')).body
    assert.ok(restored.after >= before)
    assert.equal(restored.until, historyFrom)
  })
})
