// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { connect } from '../../client-sdk/client.ts'
import { percolite } from '../cli/percolite.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { until } from './query-client.ts'
import { StandbyPair } from './standby-pair.ts'

// What a standby is for while its primary lives: live results, exports and backups, by the client, commands and curl.

async function pairWithRows(t: TestContext): Promise<StandbyPair> {
  const pair = await StandbyPair.open(t)
  await pair.at.rows('CREATE INDEX note_by_text ON note (text)')
  const rows = Array.from({ length: 40 }, (_, id) => `(${id}, 'row ${id % 5}')`)
  await pair.at.rows(`INSERT INTO note (id, text) VALUES ${rows}`)
  await pair.startStandby(undefined, { backups: join(pair.folder, 'backups') })
  return pair
}

const RESULTS = [
  'SCAN id, text FROM note USE PRIMARY KEY ORDER BY id DESC LIMIT 4',
  'SCAN count(*) AS n FROM note USE PRIMARY KEY',
  'SCAN text, count(*) AS n FROM note USE INDEX note_by_text GROUP BY text',
]

test('a live result at a standby is what its statement answers there as of each stamp, over a reopening too', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  const pair = await pairWithRows(t)
  const db = connect({ url: pair.atStandby.url, token: pair.adminToken })
  t.after(() => db.close())
  const followed = RESULTS.map((sql) => {
    const states: Array<{ readonly rows: readonly object[]; readonly timestamp: number }> = []
    const live = db.live<object>(sql, [], { mode: 'result' })
    const following = (async () => {
      for await (const rows of live) states.push({ rows, timestamp: live.timestamp ?? 0 })
    })()
    return { sql, live, states, following }
  })
  const isShown = async () => {
    for (const { sql, states } of followed) {
      const { body } = await pair.at.query(sql)
      await until(
        () => JSON.stringify(states.at(-1)?.rows) === JSON.stringify(body.results[0].rows),
        `${sql} to be ${JSON.stringify(body.results[0].rows)}`,
      )
    }
  }
  const write = async () => {
    const id = random.below(60)
    const text = `row ${random.below(5)}`
    await pair.at.rows(
      random.below(3) === 0
        ? `DELETE FROM note WHERE id = ${id}`
        : `INSERT INTO note (id, text) VALUES (${id}, '${text}') ON CONFLICT DO UPDATE SET text = '${text}'`,
    )
  }
  await isShown()
  for (let left = 40; left > 0; left -= 1) await write()
  await isShown()
  // The primary begins an epoch, so the standby opens itself again.
  await pair.stopPrimary()
  await pair.startPrimary()
  for (let left = 20; left > 0; left -= 1) await write()
  await isShown()
  let count = 0
  for (const { sql, live, states, following } of followed) {
    await live.return()
    await following
    for (const { rows, timestamp } of states) {
      const { body } = await pair.at.send('/v1/query', { sql, asOf: timestamp })
      assert.deepEqual(rows, body.results[0].rows, `${sql} AS OF ${timestamp}`)
    }
    const stamps = states.map(({ timestamp }) => timestamp)
    assert.deepEqual(stamps, stamps.toSorted(), sql)
    count += states.length
  }
  t.diagnostic(`${count} states`)
  assert.ok(count > 3 * RESULTS.length)
})

test('an export of a standby is that of its primary as of the same stamp', async (t) => {
  const pair = await pairWithRows(t)
  const token = join(pair.folder, 'root.token')
  writeFileSync(token, pair.adminToken, { mode: 0o600 })
  const out = join(pair.folder, 'of-standby')
  const flags = ['--token-file', token, '--json']
  const made = await percolite(['export', pair.atStandby.url, '--out', out, ...flags])
  assert.deepEqual([made.code, made.errors], [0, ''])
  const { readTimestamp } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
  await pair.at.rows("SET text = 'later' ON note WHERE id = 1")
  const other = join(pair.folder, 'of-primary')
  const then = ['--as-of', String(readTimestamp)]
  const same = await percolite(['export', pair.primaryUrl, '--out', other, ...flags, ...then])
  assert.deepEqual([same.code, same.errors], [0, ''])
  for (const name of ['note.ndjson', 'schema.sql']) {
    const text = readFileSync(join(out, name), 'utf8')
    assert.equal(text, readFileSync(join(other, name), 'utf8'), name)
    assert.ok(text.length > 20)
  }
  // One page with curl, whose cursor the primary takes as well: it is the same key.
  const bearer = `authorization: Bearer ${pair.adminToken}`
  const curl = async (url: string) =>
    JSON.parse((await promisify(execFile)('curl', ['-s', '-H', bearer, url])).stdout)
  const first = await curl(`${pair.atStandby.url}/v1/tables/note/rows?limit=30`)
  const rest = await curl(
    `${pair.primaryUrl}/v1/tables/note/rows?limit=30&cursor=${encodeURIComponent(first.cursor)}`,
  )
  assert.deepEqual([first.rows.length, rest.rows.length], [30, 10])
})

test('a backup of a standby, running or stopped, is a database with its rows', async (t) => {
  const pair = await pairWithRows(t)
  const environment = { PERCOLITE_TOKEN: pair.adminToken }
  const rows = await pair.at.rows('SCAN * FROM note')
  const running = join(pair.folder, 'running')
  const stopped = join(pair.folder, 'stopped')
  const url = ['--url', pair.atStandby.url]
  const first = await percolite(['backup', ...url, '--out', running], environment)
  assert.equal(first.code, 0, first.errors)
  await pair.stopStandby()
  const second = await percolite(['backup', '--data', pair.standbyFolder, '--out', stopped])
  assert.equal(second.code, 0, second.errors)
  await pair.stopPrimary()
  for (const backup of [running, stopped]) {
    const restored = `${backup}-restored`
    const { code, errors } = await percolite(['restore', backup, '--data', restored])
    assert.equal(code, 0, errors)
    // A restored copy is a primary of its own, which follows nobody.
    await pair.startPrimary({ data: restored })
    assert.deepEqual(await pair.at.rows('SCAN * FROM note'), rows)
    await pair.at.rows("INSERT INTO note (id, text) VALUES (900, 'new')")
    await pair.stopPrimary()
  }
})
