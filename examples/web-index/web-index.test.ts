// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

async function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exited,
  ])
  return { output, errors, status }
}

test('copies loaded by many at the same time end in one cluster, and the check agrees', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-documents-'))
  t.after(() => rm(folder, { recursive: true }))
  for (let index = 0; index < 20; index += 1) {
    const place = join(folder, `package-${String(index).padStart(2, '0')}`)
    await mkdir(place)
    await writeFile(join(place, 'LICENSE'), 'Permission is granted.\n')
    await writeFile(join(place, 'README.md'), `# Package ${index}\n`)
    await writeFile(join(place, 'main.js'), 'no document')
  }
  await writeFile(join(folder, 'broken.html'), Uint8Array.of(0x3c, 0xff, 0x3e))
  await writeFile(join(folder, 'large.md'), 'x'.repeat(1024 * 1024 + 1))

  const { output, errors, status } = await run(folder, '--loaders', '8')
  assert.equal(status, 0, output + errors)
  assert.match(output, /^documents +40 /m)
  assert.match(output, /^skipped +2 .*1 not readable as UTF-8/m)
  assert.match(output, /^skipped +2 .*1 larger than 1 MiB/m)
  assert.match(output, /^clusters +21 +1 of more than one document$/m)
  assert.match(output, /^ +20 +like percolite-documents-\w+\/package-00\/LICENSE$/m)
  assert.match(output, /^retries +[1-9]\d* .*write_conflict/m)
  assert.match(output, /^check: the store agrees with a plain recomputation$/m)
})

test('a flag that does not exist is one line and exit status 2', async () => {
  const { errors, status } = await run('--lodaers', '8')
  assert.equal(status, 2)
  assert.equal(errors, "web-index: Unknown option '--lodaers'\n")
})
