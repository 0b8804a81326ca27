// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { testFolder } from '../../../test/test-folder.ts'
import { openRegular, readFileOrPipe, readRegular, readRegularSync } from './regular-file.ts'

test('a file, and a link to one, is read up to its bound; a device, a pipe and a folder are not', async (t) => {
  const folder = await testFolder(t, 'regular')
  const [file, link, pipe] = ['file', 'link', 'pipe'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(file, 'x'.repeat(100_000))
  // As Kubernetes mounts a secret: a link to a folder of links.
  await symlink('file', link)
  await promisify(execFile)('mkfifo', [pipe])
  const ways = [
    readRegularSync,
    readFileOrPipe,
    readRegular,
    async (path: string, bytesMax: number) => (await openRegular(path, bytesMax)).close(),
  ]
  for (const way of ways) {
    const read = async (path: string, bytesMax: number) => await way(path, bytesMax)
    for (const path of [file, link]) {
      const bytes = await read(path, 100_000)
      if (bytes !== undefined) assert.equal(bytes.length, 100_000)
      await assert.rejects(read(path, 99_999), /it has more than 99999 bytes/)
    }
    for (const path of ['/dev/zero', folder]) {
      await assert.rejects(read(path, 10), /it is a folder.* no file/, path)
    }
    await assert.rejects(read(join(folder, 'none'), 10), { code: 'ENOENT' })
    if (way !== readFileOrPipe) await assert.rejects(read(pipe, 10), /it is a folder, a device or/)
  }
  await appendFile(file, 'x')
  assert.equal(readRegularSync(file, 200_000).length, 100_001)
})
