// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStorage } from '../../../storage/storage.ts'
import { runningScene } from '../../../test/server/running-scene.ts'
import type { AnswerBody } from '../../../test/server/test-server.ts'
import { defineObserver } from '../../live/observers/define-observer.ts'

/** Far less than what is cancelled here would take, and far more than a turn of a busy machine. */
const MOMENT_MS = 2_000

type Scene = Awaited<ReturnType<typeof runningScene>>

async function withinAMoment<T>(what: string, work: Promise<T>): Promise<T> {
  const late = sleep(MOMENT_MS, undefined, { ref: false }).then(() =>
    assert.fail(`${what} takes longer than ${MOMENT_MS} ms`),
  )
  return await Promise.race([work, late])
}

/** Waits until no snapshot of the past is held any more, which would keep garbage. */
async function noSnapshotHeld({ operator }: Scene): Promise<void> {
  // From here on a snapshot of before is older than the newest timestamp.
  await operator.query("SET a = 'newest' ON t WHERE id = 0")
  await until(async () => {
    const { oldestSnapshot, timestamp } = (await operator.send('GET', '/v1/status')).body
    return oldestSnapshot === timestamp
  })
}

/** Ends by itself, so that a test that fails does not run on. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const startedMs = performance.now(); !(await isSo()); await sleep(5)) {
    assert.ok(performance.now() - startedMs < 5 * MOMENT_MS, `never so: ${isSo}`)
  }
}

function changesPath(where: string): string {
  const sql = `SCAN * FROM t USE PRIMARY KEY WHERE ${where}`
  return `/v1/changes?${new URLSearchParams({ sql, snapshot: 'true' })}`
}

test('the snapshot of /v1/changes is cancelled while it looks for its first row', async (t) => {
  const scene = await runningScene(t)
  const { client, running, cancel, list, nothingHeld } = scene
  // A filter that takes long for each row, and keeps none.
  const conditions = Array.from({ length: 800 }, (_, n) => `id <> -${n + 1}`)
  const where = ['id >= 0', ...conditions, "a = 'secret'"].join(' AND ')
  const answer = client.send('GET', changesPath(where))
  const { id, statement } = await running('getChanges')
  assert.doesNotMatch(statement, /secret/)
  await cancel(id)
  const { status, body } = await withinAMoment('the answer', answer)
  assert.deepEqual([status, body.code, body.retryable], [409, 'statement_cancelled', false])
  assert.deepEqual(await list(), [])
  await withinAMoment('the snapshot', noSnapshotHeld(scene))
  await nothingHeld()
})

test('the snapshot of /v1/changes is cancelled while its client takes nothing of it', async (t) => {
  const scene = await runningScene(t, { rows: 0 })
  const { server, url, client, running, cancel, list, nothingHeld } = scene
  // More than the buffers of a connection and of the server hold.
  for (let first = 0; first < 6_000; first += 1_000) {
    const some = Array.from({ length: 1_000 }, (_, at) => ({
      id: first + at,
      a: 'x'.repeat(5_000),
    }))
    assert.equal((await client.send('POST', '/v1/tables/t/rows', some)).status, 201)
  }
  const asking = request(new URL(changesPath('id >= 0'), url)).end()
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  t.after(() => answer.destroy())
  const { id } = await running('getChanges')
  // Until nothing moves any more.
  for (let held = -1; server.shares.unsentBytes.held !== held; await sleep(500)) {
    held = server.shares.unsentBytes.held
  }
  const waiting = (await list()).map((one) => one.id)
  assert.deepEqual(waiting, [id], 'it waits for its client')
  await cancel(id)
  await withinAMoment('the snapshot', noSnapshotHeld(scene))
  assert.deepEqual(await list(), [])
  const { changeStreams, subscriptions, subscriptionsBytes, requests } = server.shares
  const held = [changeStreams, subscriptions, subscriptionsBytes, requests]
  assert.deepEqual(
    held.map((bound) => bound.held),
    [0, 0, 0, 0],
  )
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')
  assert.deepEqual([last.type, last.code, last.retryable], ['error', 'statement_cancelled', false])
  await nothingHeld()
})

test('the cells of a row are cancelled while they are written', async (t) => {
  const { client, running, cancel, list, nothingHeld } = await runningScene(t, { rows: 1 })
  for (const letter of 'abcdef') {
    const { status } = await client.send('PATCH', '/v1/tables/t/rows/0', {
      a: letter.repeat(5_000_000),
    })
    assert.equal(status, 200)
  }
  const answer = client.send('GET', '/v1/tables/t/cells/0')
  await cancel((await running('getCells')).id)
  const { status, body } = await withinAMoment('the answer', answer)
  assert.deepEqual([status, body.code, body.retryable], [409, 'statement_cancelled', false])
  assert.deepEqual(await list(), [])
  await nothingHeld()
})

test('a check of the store is cancelled, stops looking, and another one begins', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  const checks: Array<{ rows: number; error?: unknown }> = []
  const whole = storage.checkConsistency.bind(storage)
  storage.checkConsistency = async (options = {}) => {
    const check: (typeof checks)[number] = { rows: 0 }
    checks.push(check)
    try {
      return await whole({ ...options, onProgress: (rows) => (check.rows = rows) })
    } catch (error) {
      check.error = error
      throw error
    }
  }
  const scene = await runningScene(t, { rows: 20_000, deps: { storage } })
  const { client, running, cancel, list, nothingHeld } = scene
  const check = () => client.send('GET', '/v1/check')
  const one = check()
  const { id } = await running('checkStore')
  await cancel(id)
  const { status, body } = await withinAMoment('the answer', one)
  assert.deepEqual([status, body.code, body.retryable], [409, 'statement_cancelled', false])
  await withinAMoment(
    'the check itself',
    until(() => checks[0]?.error !== undefined),
  )
  assert.ok((checks[0]?.rows ?? 0) < 20_000, `it has looked at ${checks[0]?.rows} rows`)
  assert.deepEqual(await list(), [])
  await withinAMoment('its snapshot', noSnapshotHeld(scene))
  await nothingHeld()
  const again = await check()
  assert.deepEqual([again.status, again.body.problems], [200, []])
})

test('one of two who wait for a check is cancelled, and the other gets its report', async (t) => {
  const { client, cancel, list } = await runningScene(t, { rows: 20_000 })
  const both = [1, 2].map(() => client.send('GET', '/v1/check'))
  await until(async () => (await list()).length === 2)
  const [, second] = await list()
  await cancel(second.id)
  const statuses = (await Promise.all(both)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 409])
})

test('a run of an observer is cancelled, keeps nothing, and is tried again', async (t) => {
  const events: string[] = []
  const long = Array.from({ length: 100 }, () => "SCAN count(*) FROM t WHERE id >= 0 AND a <> 'b'")
  const observer = defineObserver({
    observer: 'watch',
    run: async (tx) => {
      tx.signal.addEventListener('abort', () =>
        events.push((tx.signal.reason as { code: string }).code),
      )
      const tries = events.length + 1
      await tx.query('INSERT INTO seen (id) VALUES ($1)', [tries])
      // Said when it has written, so that no run is cancelled in its INSERT.
      events.push('begun')
      // The first one waits for what never comes and ignores its signal, the second is in a statement.
      if (tries === 1) await new Promise(() => undefined)
      while (tries === 3) for (const sql of long) await tx.query(sql)
    },
  })
  const scene = await runningScene(t, { deps: { observers: [observer] } })
  const { operator, running, cancel, list, nothingHeld } = scene
  await operator.query('CREATE TABLE observed (id INTEGER PRIMARY KEY)')
  await operator.query('CREATE TABLE seen (id INTEGER PRIMARY KEY)')
  await operator.query('CREATE OBSERVER watch ON observed (id)')
  await operator.query('INSERT INTO observed (id) VALUES (1)')
  for (const count of [1, 2]) {
    await until(() => events.filter((event) => event === 'begun').length === count)
    const { id, client } = await running('observer')
    assert.equal(client, 'server')
    await cancel(id)
    await withinAMoment(
      'the run',
      until(async () => !(await list()).some((one) => one.id === id)),
    )
  }
  const status = async (): Promise<AnswerBody> =>
    (await operator.send('GET', '/v1/observers')).body.observers[0]
  await until(async () => (await status()).pending === 0)
  const { runs, failures, lastError } = await status()
  assert.deepEqual([runs, failures], [1, 2])
  assert.match(lastError.error, /^statement_cancelled: /)
  assert.deepEqual(events, [
    'begun',
    'statement_cancelled',
    'begun',
    'statement_cancelled',
    'begun',
  ])
  const { results } = (await operator.query('SCAN id FROM seen')).body
  assert.deepEqual(results[0].rows, [{ id: 5 }])
  await withinAMoment('the snapshots', noSnapshotHeld(scene))
  await nothingHeld()
})
