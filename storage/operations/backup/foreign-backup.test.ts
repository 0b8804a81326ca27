// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { testFolder } from '../../../test/test-folder.ts'
import { openStorage } from '../../open-storage.ts'
import { COPY_FILE, MANIFEST_FILE } from './manifest.ts'
import { checkBackup, restoreBackup } from './restore-backup.ts'
import { backUpDirectory } from './write-backup.ts'

const run = promisify(execFile)

/** A backup, and the timestamp of the newest commit in it. */
async function givenBackup(t: TestContext) {
  const folder = await testFolder(t, 'foreign')
  const [dataDirectory, backup] = [join(folder, 'data'), join(folder, 'backup')]
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  const transaction = await storage.begin()
  transaction.put(Buffer.from('\u0001bob'), '0', Buffer.from('ten'))
  const { commitTs } = await transaction.commit()
  await storage.close()
  await backUpDirectory(dataDirectory, { folder: backup, percolite: 'test', check: false })
  return { folder, backup, commitTs: commitTs as number }
}

test('a backup whose files are devices, pipes or too long is refused at once', async (t) => {
  const { folder, backup } = await givenBackup(t)
  for (const name of [COPY_FILE, MANIFEST_FILE]) {
    const kinds: Record<string, (path: string) => Promise<unknown>> = {
      'a device': (path) => symlink('/dev/zero', path),
      'a pipe': (path) => run('mkfifo', [path]),
      'a folder': (path) => cp(backup, path, { recursive: true }),
    }
    for (const [kind, make] of Object.entries(kinds)) {
      const crafted = join(folder, 'crafted')
      await cp(backup, crafted, { recursive: true })
      await rm(join(crafted, name))
      await make(join(crafted, name))
      const refused = { code: 'backup_unusable', message: /no file/ }
      await assert.rejects(checkBackup(crafted), refused, `${name}: ${kind}`)
      const target = join(folder, 'restored')
      await assert.rejects(restoreBackup(crafted, target, { check: false }), refused)
      await rm(crafted, { recursive: true })
    }
  }
  // What is behind the bytes that the manifest names is not copied.
  await writeFile(join(backup, COPY_FILE), Buffer.alloc(100_000), { flag: 'a' })
  await assert.rejects(checkBackup(backup), { code: 'backup_unusable', message: /not whole/ })
})

test('the timestamp of a restored backup is that of its cells, whatever its manifest says', async (t) => {
  const { folder, backup, commitTs } = await givenBackup(t)
  const path = join(backup, MANIFEST_FILE)
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  assert.equal(manifest.timestamp, commitTs)
  await writeFile(path, JSON.stringify({ ...manifest, timestamp: commitTs + 10 ** 12 }))
  const restored = await restoreBackup(backup, join(folder, 'restored'), { check: false })
  assert.equal(restored.timestamp, commitTs)
})
