// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { connect, type Database } from '../../../client-sdk/client.ts'
import { ServerProcess } from '../../../test/server/server-process.ts'
import { testFolder } from '../../../test/test-folder.ts'

type Done = { readonly at: string; readonly runs: number }

/** With a worker that counts the runs of each time, until the test has ended. */
function observed(t: TestContext, url: string): Database {
  const db = connect({ url })
  const worker = db.observe('report', async (tx, { key: [, at], row }) => {
    assert.ok(row !== undefined)
    await tx.query('SET runs = coalesce(runs, 0) + 1 ON done WHERE at = :at', { at })
  })
  worker.done.catch(() => undefined)
  t.after(() => db.close())
  return db
}

async function until(db: Database, count: number): Promise<readonly Done[]> {
  for (;;) {
    const { rows } = await db.query<Done>('SCAN at, runs FROM done USE PRIMARY KEY')
    if (rows.length >= count) return rows
    await setTimeout(50)
  }
}

test('each second is run once by a worker, also those of a server that was killed', async (t) => {
  const folder = await testFolder(t, 'schedules')
  const server = await ServerProcess.start(join(folder, 'data'))
  t.after(() => server.killNine())
  const db = connect({ url: server.url })
  t.after(() => db.close())
  for (const sql of [
    'CREATE TABLE job (schedule TEXT, at TIMESTAMP, PRIMARY KEY (schedule, at))',
    'CREATE TABLE done (at TIMESTAMP PRIMARY KEY, runs INTEGER)',
    'CREATE OBSERVER report ON job (at)',
    "CREATE SCHEDULE tick EVERY '1 second' RUN report MISSED ALL",
  ]) {
    await db.query(sql)
  }
  const before = await until(observed(t, server.url), 3)
  await server.killNine()
  await setTimeout(2_500)
  const next = await ServerProcess.start(join(folder, 'data'))
  t.after(() => next.killNine())
  const again = observed(t, next.url)
  await until(again, before.length + 6)
  await again.query('ALTER SCHEDULE tick PAUSE')
  // Runs come in no order.
  const { rows: inserted } = await again.query('SCAN at FROM job USE PRIMARY KEY')
  const all = await until(again, inserted.length)
  const first = Date.parse(all[0]?.at ?? '')
  assert.deepEqual(
    all.map(({ at, runs }) => [Date.parse(at), runs]),
    all.map((_, index) => [first + index * 1_000, 1]),
  )
})
