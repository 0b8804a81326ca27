// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../../client-sdk/client.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { BATCH_ROWS, importedFile } from './imported-file.ts'

const HELP = `node test/kill/kill-import.system.test.ts [--kills 3] [--seed 7]

kill -9 of percolite import, so many times in one file of rows, each time started again by the same command. Prints where
it was killed, and fails by its exit code when a row was lost or written twice.

  --kills  how often (3), or IMPORT_KILLS in the environment
  --seed   of the random moments (IMPORT_SEED)`

const { values: given } = scriptFlags(HELP, {
  kills: { type: 'string' },
  seed: { type: 'string' },
})
const KILLS = Number(given.kills ?? process.env.IMPORT_KILLS ?? 3)
const SEED = Number(given.seed ?? process.env.IMPORT_SEED ?? Date.now() % 1_000_000)
if (!(KILLS > 0) || !Number.isSafeInteger(SEED)) {
  endMisused(HELP, '--kills and --seed are numbers.')
}
/** Enough of them for a place of its own for each kill. */
const BATCHES = 40 + 10 * KILLS
const ROWS = BATCHES * BATCH_ROWS
/** So many batches are written at most until the next kill. */
const BATCHES_MAX = 10
/** An import takes some tenths of a second to begin. */
const EARLY_MS_MAX = 800
const LATE_MS_MAX = 20

test(`an import that is killed ${KILLS} times and started again writes each row once (IMPORT_SEED=${SEED})`, {
  timeout: 60_000 + KILLS * 20_000,
}, async (t) => {
  const random = new SeededRandomness(SEED)
  const folder = await testFolder(t, 'kill-import')
  const server = await ServerProcess.start(join(folder, 'data'))
  t.after(() => server.killNine())
  const file = await importedFile(t, folder, ROWS)
  await file.createTable(server.url)
  const db = connect({ url: server.url })
  const rowsWritten = async () => {
    const { rows } = await db.query<{ n: number }>('SCAN COUNT(*) AS n FROM item USE PRIMARY KEY')
    return rows[0]?.n ?? 0
  }
  let before = 0
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { child, ended } = file.import(server.url)
    if (random.below(5) === 0) {
      // While it begins, or while it is told what earlier ones have written.
      await delay(random.below(EARLY_MS_MAX))
    } else {
      const rows = Math.min(before + random.below(BATCHES_MAX * BATCH_ROWS) + 1, ROWS)
      while (child.exitCode === null && (await rowsWritten()) < rows) await delay(1)
      await delay(random.below(LATE_MS_MAX))
    }
    child.kill('SIGKILL')
    const { code, errors } = await ended
    assert.ok(code === null || code === 0, errors)
    before = await rowsWritten()
    const how = code === null ? 'was killed' : 'had ended'
    t.diagnostic(`kill ${kill}: it ${how}, with ${before} of ${ROWS} rows written`)
  }
  const { code, output, errors } = await file.import(server.url).ended
  assert.equal(code, 0, errors)
  const { written, replayed, refused } = JSON.parse(output)
  assert.deepEqual([written + replayed, refused], [ROWS, 0])
  assert.ok(replayed >= before, `${replayed} rows of ${before} were written by earlier runs`)
  await file.requireExported(server.url)
})
