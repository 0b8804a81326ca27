// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../harness/sample.ts'
import { failuresOf, type Report } from './report.ts'
import { formatReport } from './report-table.ts'
import { spreadOf } from './statistics.ts'

const sampleWith = (line: string, failures: readonly string[] = []): Sample => ({
  ...{ operations: 1, seconds: 1, cpuSeconds: 1 },
  findings: { lines: [line], data: {}, failures },
})

function reportOf(samples: readonly Sample[]): Report {
  const contender = { name: 'one', figures: { operationsPerSecond: spreadOf([1]) }, samples }
  const experiment = {
    name: 'test',
    title: 'a test',
    unit: 'things',
    notes: [],
    goals: [],
    fits: [],
    plots: [],
  }
  return {
    ...{ suite: 'test', title: 'Test', startedAt: 'then', endedAt: 'later', notes: [] },
    machine: { processor: 'none', cores: 2, memoryMiB: 1, system: 'none', load: 0 },
    ...{ versions: {}, settings: {} },
    experiments: [{ ...experiment, contenders: [contender] }],
  }
}

test('below the table stands what the last sample found, and what is wrong with any', () => {
  const report = reportOf([sampleWith('first words', ['it broke']), sampleWith('last words')])
  const text = formatReport(report)
  assert.match(text, /\n {2}one\n {4}last words\n {4}it broke\n/)
  assert.doesNotMatch(text, /first words/)
  assert.deepEqual(failuresOf(report), ['one: it broke'])
})

test('samples that found nothing leave no failures', () => {
  assert.deepEqual(failuresOf(reportOf([{ operations: 1, seconds: 1, cpuSeconds: 1 }])), [])
})
