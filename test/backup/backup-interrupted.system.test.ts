// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkBackup, checkDataDirectory } from '../../storage/operations/operations.ts'
import { openStorage } from '../../storage/storage.ts'
import { percolite } from '../cli/percolite.ts'
import { SmallDisk } from '../crash/small-disk.ts'
import { storedBackup, storedRows } from './stored-backup.ts'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))
const ROWS = 200

/** Kills the command `ms` after its folder of work has come to be there; resolves to whether it was still running. */
async function killNine(args: readonly string[], workFolder: string, ms: number): Promise<boolean> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' })
  const closed = once(child, 'close')
  while (child.exitCode === null && !existsSync(workFolder)) await sleep(1)
  await sleep(ms)
  child.kill('SIGKILL')
  const [code] = await closed
  return code === null
}

describe('kill -9 in the middle', () => {
  test('of a backup: there is none, or a whole one, and the database is as it was', async (t) => {
    const data = await storedRows(t, ROWS)
    const out = join(data, '..', 'out')
    let killed = 0
    for (const [at, ms] of [0, 20, 60, 150].entries()) {
      const backup = join(out, String(at))
      const args = ['backup', '--data', data, '--out', backup]
      if (await killNine(args, `${backup}.partial`, ms)) killed += 1
      if (!existsSync(backup)) {
        const again = await percolite(args)
        assert.equal(again.code, 0, again.errors)
      }
      assert.equal((await checkBackup(backup)).problemCount, 0)
    }
    assert.ok(killed > 0, 'none was killed')
    assert.deepEqual(readdirSync(out), ['0', '1', '2', '3'])
    assert.equal((await checkDataDirectory(data)).problemCount, 0)
  })

  test('of a restore: there is nothing that looks like a database, or a whole one', async (t) => {
    const backup = await storedBackup(t, ROWS)
    let killed = 0
    for (const [at, ms] of [0, 20, 60, 150].entries()) {
      const data = join(backup, '..', '..', `new-${at}`)
      const args = ['restore', backup, '--data', data]
      if (await killNine(args, join(data, 'restore.partial'), ms)) killed += 1
      if (!existsSync(join(data, 'cells.db'))) {
        assert.deepEqual(readdirSync(data), ['restore.partial'])
        const again = await percolite(args)
        assert.equal(again.code, 0, again.errors)
      }
      const { problemCount, tables } = await checkDataDirectory(data)
      assert.deepEqual([problemCount, tables[0]?.rows], [0, ROWS])
    }
    assert.ok(killed > 0, 'none was killed')
  })
})

describe('a disk without room', () => {
  test('for the copy and the log beside it is found before anything is written', async (t) => {
    const disk = await SmallDisk.mount(t, 40 * 1024)
    if (disk === undefined) return t.skip('this process may not mount a file system')
    const data = await storedRows(t, 1)
    const refused = await percolite(['backup', '--data', data, '--out', join(disk.folder, 'a')])
    assert.equal(refused.code, 1)
    assert.match(refused.errors, /has \d+ bytes left, and \d+ are needed/)
    assert.deepEqual(readdirSync(disk.folder), [])
    const backup = await storedBackup(t, 1)
    const restored = await percolite(['restore', backup, '--data', join(disk.folder, 'b')])
    assert.equal(restored.code, 1)
    assert.match(restored.errors, /are needed/)
  })

  test('that becomes full in the middle of the copy leaves no backup, and writes go on', async (t) => {
    const disk = await SmallDisk.mount(t, 4 * 1024)
    if (disk === undefined) return t.skip('this process may not mount a file system')
    const dataDirectory = await storedRows(t, 100)
    const storage = await openStorage({ engine: 'sqlite', dataDirectory })
    t.after(() => storage.close())
    const options = { percolite: 'test', check: true, reservedBytes: -1e9 }
    await assert.rejects(storage.backUp({ ...options, folder: join(disk.folder, 'a') }), {
      code: 'disk_full',
    })
    assert.deepEqual(readdirSync(disk.folder), [])
    const transaction = await storage.begin()
    transaction.put(Buffer.from('\u0001bob'), '0', Buffer.from('x'))
    assert.ok((await transaction.commit()).commitTs)
    const folder = join(dataDirectory, '..', 'b')
    await storage.backUp({ percolite: 'test', check: false, folder })
    assert.ok(existsSync(join(folder, 'manifest.json')))
  })
})
