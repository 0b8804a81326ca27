// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Storage } from '../../../storage/storage.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { type Sending, startTestServer } from '../../../test/server/test-server.ts'
import { refusingStore } from '../../../test/standby/refusing-store.ts'

const SQL = 'SCAN * FROM note USE PRIMARY KEY'
const AHEAD_MICROS = 300_000

/** Every door that reads, and the writes of rows, which take a snapshot too. */
const DOORS: readonly Sending[] = [
  { method: 'POST', path: '/v1/query', json: { sql: SQL } },
  { method: 'POST', path: '/v1/query', json: { sql: 'GET * FROM note WHERE id = 1' } },
  { method: 'POST', path: '/v1/query', json: { sql: `BEGIN; ${SQL}; COMMIT` } },
  { method: 'POST', path: '/v1/query', json: { sql: 'BEGIN' } },
  { method: 'POST', path: '/v1/query', json: { sql: 'SHOW TABLES' } },
  { method: 'POST', path: '/v1/query', json: { sql: SQL }, headers: { accept: 'text/csv' } },
  {
    ...{ method: 'POST', path: '/v1/query', json: { sql: SQL } },
    headers: { accept: 'application/x-ndjson' },
  },
  { path: '/v1/tables' },
  { path: '/v1/tables/note' },
  { path: '/v1/tables/note/rows' },
  { path: '/v1/tables/note/rows?format=ndjson' },
  { path: '/v1/tables/note/rows/1' },
  { method: 'POST', path: '/v1/transactions' },
  { method: 'PUT', path: '/v1/tables/note/rows/1', json: { text: 'x' } },
  { method: 'HEAD', path: `/v1/changes?snapshot=true&sql=${encodeURIComponent(SQL)}` },
]

const label = (sending: Sending) => JSON.stringify(sending)

async function serverWithRow(t: TestContext, storage?: Storage) {
  const server = await startTestServer(t, storage && { deps: { storage } })
  if (storage !== undefined) t.after(() => storage.close())
  await server.rows('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
  const { body } = await server.query("INSERT INTO note (id, text) VALUES (1, 'a')")
  const send = (sending: Sending, min: number) => {
    const headers = { ...sending.headers, 'percolite-min-timestamp': String(min) }
    return server.send({ ...sending, headers })
  }
  return { server, send, committed: Number(body.commitTimestamp) }
}

/** The time as the server's clock has it. */
const nowMicros = () => Date.now() * 1_000

describe('Percolite-Min-Timestamp', () => {
  test('of a commit of this server waits for nothing, at every door', async (t) => {
    const { send, committed } = await serverWithRow(t)
    for (const door of DOORS) {
      const beganMs = performance.now()
      const { status, text } = await send(door, committed)
      assert.ok(status < 300, `${label(door)}: ${text}`)
      assert.ok(performance.now() - beganMs < 2_000, label(door))
    }
  })

  test('of a clock that is ahead is waited for, at every door', async (t) => {
    const { send } = await serverWithRow(t)
    await Promise.all(
      DOORS.map(async (door) => {
        const min = nowMicros() + AHEAD_MICROS
        const { status, text, headers } = await send(door, min)
        assert.ok(status < 300, `${label(door)}: ${text}`)
        assert.ok(nowMicros() >= min, label(door))
        const read = headers['percolite-read-timestamp']
        if (read !== undefined) assert.ok(Number(read) >= min, `${label(door)}: ${read} of ${min}`)
      }),
    )
  })

  test('is behind when the time of the request is over, with what the server has', async (t) => {
    const { server, send } = await serverWithRow(t)
    const [tells] = DOORS as [Sending]
    for (const [timeoutMs, door] of [40, 60].map((ms) => [ms, tells] as const)) {
      const min = nowMicros() + 5_000_000
      const beganMs = performance.now()
      const json = { ...(door.json as object), timeoutMs }
      const { status, body, headers } = await send({ ...door, json }, min)
      assert.deepEqual([status, body.code, body.retryable], [503, 'behind', true])
      assert.deepEqual([headers['retry-after'], body.minTimestamp], ['1', min])
      assert.ok(body.newest < min)
      const tookMs = performance.now() - beganMs
      assert.ok(tookMs >= timeoutMs - 2 && tookMs < 4_000, `${tookMs}`)
    }
    const streamed = { ...tells, headers: { accept: 'text/csv' } }
    const json = { sql: SQL, timeoutMs: 40 }
    const late = await send({ ...streamed, json }, nowMicros() + 5_000_000)
    assert.deepEqual([late.status, late.body.code], [503, 'behind'])
    assert.equal((await server.get('/v1/transactions')).body.total, 0)
  })

  test('that no server of this history can have issued is refused at once', async (t) => {
    const { send, committed } = await serverWithRow(t)
    for (const door of DOORS) {
      if (door.method === 'HEAD') continue
      const { status, body } = await send(door, committed + 60_000_000)
      assert.deepEqual([status, body.code], [400, 'timestamp_in_future'], label(door))
      assert.equal(body.minTimestamp, committed + 60_000_000)
    }
  })

  test('beside an asOf asks for nothing more, and has no meaning for a script', async (t) => {
    const { send, committed } = await serverWithRow(t)
    const past = { method: 'POST', path: '/v1/query', json: { sql: SQL, asOf: committed } } as const
    assert.equal((await send(past, nowMicros() + 5_000_000)).status, 200)
    const script = { method: 'POST', path: '/v1/scripts', json: { sql: SQL } } as const
    assert.equal((await send(script, committed)).body.code, 'invalid_request')
  })

  test('in a frame is waited for too', async (t) => {
    const { server } = await serverWithRow(t)
    const { port } = await server.listen()
    const client = await openSocket(t, port)
    const min = nowMicros() + AHEAD_MICROS
    const { type, readTimestamp } = await client.query(SQL, { minTimestamp: min })
    assert.equal(type, 'result')
    assert.ok(readTimestamp >= min)
    const late = await client.query(SQL, { minTimestamp: min + 5_000_000, timeoutMs: 20 })
    assert.deepEqual([late.type, late.code, late.status], ['error', 'behind', 503])
  })

  test('of a waiting request is counted among those that run, and one that leaves ends it', async (t) => {
    const { storage } = await refusingStore(t)
    const waiting: AbortSignal[] = []
    const { visibleAt } = storage
    t.mock.method(storage, 'visibleAt', (min: number, signal: AbortSignal) => {
      waiting.push(signal)
      return visibleAt.call(storage, min, signal)
    })
    const { server } = await serverWithRow(t, storage)
    const { url } = await server.listen()
    const leaving = new AbortController()
    const headers = { 'percolite-min-timestamp': String(nowMicros() + 8_000_000) }
    const asked = fetch(`${url}/v1/tables/note/rows`, { headers, signal: leaving.signal })
    const running = async () => (await server.get('/v1/running')).body.running.length
    while (waiting.length === 0 || (await running()) === 0) await new Promise(setImmediate)
    leaving.abort()
    await assert.rejects(asked)
    while ((await running()) > 0) await new Promise(setImmediate)
    assert.equal(waiting[0]?.aborted, true)
  })
})
