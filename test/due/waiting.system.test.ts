// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../../client-sdk/client.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

/** `npm run test:long` runs this with a million rows. */
const ROWS = Number(process.env.WAITING_ROWS ?? 20_000)
const BATCH = 500
const RESIDENT_MIB_MAX = 400
const GROWTH_MIB_MAX = 120
/** A key of five bytes, a time of eight and what every entry has, twice over. */
const ENTRY_BYTES_MAX = 250
const COLLECTED_MS_MAX = 60_000 + ROWS / 5
const FLAGS = ['--retention', '500ms', '--garbage-interval', '1s']

type Status = {
  readonly timestamp: number
  readonly lastCollection?: { readonly safePoint: number; readonly elapsedMs: number }
  readonly disk: { readonly storeBytes: number; readonly logBytes: number }
}

test(`${ROWS} rows that wait for a year cost an entry on disk, and hold back nothing`, {
  timeout: 600_000,
}, async (t) => {
  const folder = await testFolder(t, 'waiting')
  let server = await ServerProcess.start(folder, FLAGS)
  t.after(() => server.stop())
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const status = async () =>
    (await (await fetch(`${server.url}/v1/status`)).json()) as unknown as Status
  /** The first collection that sees all that has been written. */
  const collected = async () => {
    const { timestamp } = await status()
    const untilMs = performance.now() + COLLECTED_MS_MAX
    for (;;) {
      const { lastCollection } = await status()
      if ((lastCollection?.safePoint ?? 0) > timestamp) return lastCollection
      assert.ok(performance.now() < untilMs, 'no collection')
      await delay(100)
    }
  }
  await db.query('CREATE TABLE plain (id INTEGER PRIMARY KEY, state TEXT, ends TIMESTAMP)')
  await db.query('CREATE TABLE lot (id INTEGER PRIMARY KEY, state TEXT, ends TIMESTAMP)')
  await db.query('CREATE OBSERVER close ON lot (ends) DUE ends')
  const worker = db.observe('close', async () => assert.fail('nothing is due'))
  const ends = new Date(Date.now() + 365 * 86_400_000).toISOString()
  const insert = async (table: string) => {
    for (let first = 0; first < ROWS; first += BATCH) {
      const ids = Array.from({ length: BATCH }, (_, at) => first + at)
      const rows = ids.map((id) => `(${id}, 'open', '${ends}')`)
      await db.query(`INSERT INTO ${table} (id, state, ends) VALUES ${rows.join(', ')}`)
    }
    await collected()
    return (await status()).disk.storeBytes
  }
  const empty = (await status()).disk.storeBytes
  const without = (await insert('plain')) - empty
  const before = server.residentMiB() ?? 0
  const withEntries = (await insert('lot')) - empty - without
  const after = server.residentMiB() ?? 0

  // Versions of a row that waits go as those of any other do: no notification keeps them.
  for (let version = 0; version < 50; version += 1) {
    await db.query(`SET state = 'version ${version}' ON lot WHERE id = 7`)
  }
  const last = await collected()
  const answer = await fetch(`${server.url}/v1/tables/lot/cells/7`)
  const versions = ((await answer.json()) as { write: readonly unknown[] }).write.length
  t.diagnostic(
    `${ROWS} rows: ${(withEntries / ROWS).toFixed(0)} bytes each, ${(without / ROWS).toFixed(0)} without an observer; ` +
      `${before.toFixed(0)} MiB resident before and ${after.toFixed(0)} after them; a collection takes ` +
      `${last?.elapsedMs} ms and leaves ${versions} versions of a row that was written 51 times`,
  )
  assert.ok(versions < 5, `${versions} versions`)
  assert.ok((withEntries - without) / ROWS < ENTRY_BYTES_MAX)
  assert.ok(after < RESIDENT_MIB_MAX && after - before < GROWTH_MIB_MAX)
  await worker.stop()

  await server.stop()
  const beganMs = performance.now()
  server = await ServerProcess.start(folder, FLAGS)
  t.diagnostic(`ready after ${Math.round(performance.now() - beganMs)} ms`)
  const { observers } = (await (await fetch(`${server.url}/v1/observers`)).json()) as {
    observers: ReadonlyArray<{ pending: number; due: { rows: number; next: number } }>
  }
  assert.deepEqual(
    observers.map(({ pending, due }) => [pending, due.rows]),
    [[0, Math.min(ROWS, 1_000)]],
  )
})
