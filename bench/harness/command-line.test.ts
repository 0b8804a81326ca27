// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helpOf, readCall } from './command-line.ts'
import type { Experiment, Suite } from './experiment.ts'

const experimentNamed = (name: string): Experiment => ({
  ...{ name, title: `Title of ${name}`, unit: 'operations', contenders: [], goals: [] },
})

const suite: Suite = {
  title: 'A suite',
  defaults: { seconds: 3, repetitions: 5 },
  options: {
    rows: { default: '7', help: 'rows of the table' },
    kill: { default: '', help: 'kills it', isSwitch: true },
  },
  experiments: ({ rows }) => ['first', 'second', `rows-${rows}`].map(experimentNamed),
}

test('flags are read, defaults are the suite’s, and its own options reach its experiments', () => {
  const call = readCall(['--seconds', '0.5', '--rows', '9', '--only', 'rows-9'], suite)
  assert.deepEqual([call.seconds, call.repetitions, call.options.rows], [0.5, 5, '9'])
  assert.deepEqual(
    call.experiments.map((one) => one.name),
    ['rows-9'],
  )
  assert.equal(readCall([], suite).experiments.length, 3)
})

test('a switch takes no value, and is yes when it is there', () => {
  assert.equal(readCall(['--kill', '--rows', '9'], suite).options.kill, 'yes')
  assert.equal(readCall(['--rows', '9'], suite).options.kill, '')
  assert.match(helpOf('name', suite), /--kill +kills it$/m)
})

for (const [words, expected] of [
  [['--only', 'third'], /no experiment "third"; there are first, second, rows-7/],
  [['--seconds', 'long'], /--seconds long: a number of at least 0\.01/],
  [['--repetitions', '0'], /--repetitions 0: a number of at least 1/],
  [['--colour', 'red'], /colour/],
  [['first'], /first/],
] as const) {
  test(`a call with ${words.join(' ')} is refused in one sentence`, () => {
    assert.throws(() => readCall(words, suite), { name: 'UsageError', message: expected })
  })
}
