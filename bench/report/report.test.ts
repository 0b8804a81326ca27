// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import type { Experiment } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { failuresOf, gatherFacts, makeReport } from './report.ts'
import { formatReport } from './report-table.ts'

const experiment: Experiment = {
  ...{ name: 'test', title: 'test', unit: 'operations', contenders: [], goals: [] },
}

/** Of one contender with samples that are alike but for this. */
async function reportOf(samples: ReadonlyArray<Partial<Sample>>, retakes = 0) {
  const taken = samples.map((more) => ({ operations: 1, seconds: 1, cpuSeconds: 1, ...more }))
  const suite = { title: 'test', defaults: { seconds: 1, repetitions: 1 }, experiments: () => [] }
  const measured = { experiment, samples: new Map([['one', taken]]), retakes, tookSeconds: 1 }
  return makeReport(await gatherFacts('test', {}, tmpdir()), suite, [measured])
}

test('the head counts the samples that the host of the machine took time from', async () => {
  const notesOf = async (retakes: number, ...shares: number[]) => {
    const samples = shares.map((stolenShare) => ({ stolenShare }))
    return (await reportOf([...samples, {}], retakes)).notes.join('\n')
  }
  assert.match(await notesOf(0, 0.5, 0.05), /^In 1 of 3 samples the host .*\(50 % in the worst\)/m)
  assert.doesNotMatch(await notesOf(0, 0.05), /the host/)
  assert.match(await notesOf(1, 0), /^1 sample was taken again/m)
  assert.match(await notesOf(2, 0), /^2 samples were taken again/m)
})

test('below the table stands what the last sample found, and what is wrong with any', async () => {
  const finding = (line: string, failures: readonly string[] = []) => {
    return { findings: { lines: [line], data: {}, failures } }
  }
  const report = await reportOf([finding('first words', ['it broke']), finding('last words')])
  const text = formatReport(report)
  assert.match(text, /\n {2}one\n {4}last words\n {4}it broke\n/)
  assert.doesNotMatch(text, /first words/)
  assert.deepEqual(failuresOf(report), ['one: it broke'])
  assert.deepEqual(failuresOf(await reportOf([{}])), [])
})
