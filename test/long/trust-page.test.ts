// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SUITES } from './suites.ts'
import { runsOf, type SuiteRun, withRuns } from './trust-page.ts'

const EMPTY = '# Page\n\n<!-- runs -->\n<!-- end of runs -->\n\nMore.\n'
const NAMES = ['kill', 'mutants', 'simulation']

function run(name: string, said: string): SuiteRun {
  const words = { shows: `what ${name} shows`, command: `npm run test:${name}` }
  return { ...words, name, said, date: '2026-11-30', commit: '5ee097de' }
}

test('a run is put in its place, and takes that of an earlier one', () => {
  const first = withRuns(EMPTY, [run('simulation', '10 seeds'), run('kill', '3 kills')], NAMES)
  assert.deepEqual(
    runsOf(first).map(({ name }) => name),
    ['kill', 'simulation'],
  )
  const second = withRuns(first, [run('kill', '30 kills | 0 lost')], NAMES)
  assert.deepEqual(runsOf(second), [
    run('kill', '30 kills / 0 lost'),
    run('simulation', '10 seeds'),
  ])
  assert.ok(second.startsWith('# Page\n') && second.endsWith('\n\nMore.\n'))
  assert.throws(() => runsOf('# Page'), /has no <!-- runs -->/)
})

test('docs/trust.md has runs of suites that there are, by their commands', () => {
  const runs = runsOf(readFileSync('docs/trust.md', 'utf8'))
  assert.ok(runs.length > 0)
  for (const { name, shows, command, said, date, commit } of runs) {
    const suite = SUITES.find((each) => each.name === name)
    assert.ok(suite !== undefined, `${name} is no suite`)
    assert.deepEqual([shows, command], [suite.shows, suite.words.join(' ')])
    assert.match(said, suite.says)
    assert.match(date, /^\d{4}-\d\d-\d\d$/)
    assert.match(commit, /^[0-9a-f]{8}$/)
  }
})
