// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BackupManifest,
  checkDataDirectory,
  restoreBackup,
} from '../../storage/operations/operations.ts'
import { openStorage } from '../../storage/storage.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { testFolder } from '../test-folder.ts'
import { accountsOf, SUM, sumOf, Transfers } from './transfers.ts'

const HELP = `node test/backup/backup-under-writers.system.test.ts [--times 20] [--seed 7]

Backups while 64 writers move amounts between accounts, each restored elsewhere and compared with the original. It fails
by its exit code.

  --times  how many of them for each way to commit (2), or BACKUP_TIMES in the environment
  --seed   of the transfers (BACKUP_SEED)`

const { values: given } = scriptFlags(HELP, {
  times: { type: 'string' },
  seed: { type: 'string' },
})
const TIMES = Number(given.times ?? process.env.BACKUP_TIMES ?? 2)
const SEED = Number(given.seed ?? process.env.BACKUP_SEED ?? Date.now() % 1_000_000)
if (!(TIMES > 0) || !Number.isSafeInteger(SEED)) {
  endMisused(HELP, '--times and --seed are numbers.')
}

describe(`a backup while 64 writers move amounts (seed ${SEED}, ${TIMES} times)`, () => {
  for (const commit of ['one-phase', 'two-phase'] as const) {
    test(`is of one moment, in ${commit} commits`, { timeout: 60_000 * TIMES }, async (t) => {
      const folder = await testFolder(t, 'writers')
      const transfers = await Transfers.begin(join(folder, 'data'), { commit, seed: SEED })
      t.after(() => transfers.storage.close())
      const backups: Array<{ readonly path: string; readonly manifest: BackupManifest }> = []
      for (let time = 0; time < TIMES; time += 1) {
        await sleep(100)
        const [path, before] = [join(folder, `backup-${time}`), transfers.commits]
        const options = { folder: path, percolite: 'test', check: true }
        backups.push({ path, manifest: await transfers.storage.backUp(options) })
        assert.ok(transfers.commits > before, 'writers go on meanwhile')
      }
      await transfers.stop()
      for (const backup of backups) await requireSameMoment(t, transfers, backup)
    })
  }
})

/** What is restored has the sum, and up to its timestamp it is what the original was then. */
async function requireSameMoment(
  t: TestContext,
  { storage: original }: Transfers,
  { path, manifest }: { readonly path: string; readonly manifest: BackupManifest },
): Promise<void> {
  assert.deepEqual(manifest.check, { sound: true, tables: [{ name: 'account', rows: 100 }] })
  assert.equal(manifest.history, original.history.id)
  const dataDirectory = join(await testFolder(t, 'restored'), 'data')
  const { history } = await restoreBackup(path, dataDirectory, { check: true })
  assert.equal(history.before.id, original.history.id)
  const restored = await openStorage({ engine: 'sqlite', dataDirectory })
  try {
    const { timestamp } = manifest
    assert.equal(sumOf(await accountsOf(restored)), SUM)
    assert.deepEqual(await accountsOf(restored, timestamp), await accountsOf(original, timestamp))
    assert.equal(sumOf(await accountsOf(original, timestamp)), SUM)
    assert.throws(() => restored.begin({ asOf: timestamp, history: original.history.id }), {
      code: 'history_replaced',
    })
    const lost = (await original.status()).timestamp
    assert.throws(() => restored.begin({ asOf: lost }), { code: 'history_replaced' })
  } finally {
    await restored.close()
  }
  const { problems } = await checkDataDirectory(dataDirectory)
  assert.deepEqual(problems, [])
}
