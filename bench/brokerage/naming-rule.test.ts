// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const READ = ['bench/**/*.ts', 'docs/**/*.md', 'README.md', 'CHANGELOG.md']
/** What is not ours may be named: "published TPC-E results" are those of others. */
const THEIRS = /published\s+TPC-E\s+results?/g
const MISUSES = [/TPC-E(?!-(?:style|like))/, /tpsE\b/, /tpc-e\b(?!-style)/]

function misuseIn(text: string): string | undefined {
  const ours = text.replaceAll(THEIRS, '')
  return MISUSES.map((misuse) => misuse.exec(ours)?.[0]).find((found) => found !== undefined)
}

test('the workload is called TPC-E-style wherever it is named, and its metric TR/s', async () => {
  let read = 0
  for await (const file of glob(READ, { cwd: ROOT, exclude: ['**/node_modules/**'] })) {
    if (file.endsWith('naming-rule.test.ts')) continue
    read += 1
    assert.equal(misuseIn(await readFile(join(ROOT, file), 'utf8')), undefined, file)
  }
  assert.ok(read > 100)
})

test('a text that claims a result of the TPC is found', () => {
  for (const claim of ['our TPC-E result', 'TPC-E: 20', '20 tpsE', 'the tpc-e suite']) {
    assert.notEqual(misuseIn(claim), undefined, claim)
  }
  for (const fine of ['a TPC-E-style workload', 'not comparable with published TPC-E results']) {
    assert.equal(misuseIn(fine), undefined, fine)
  }
})
