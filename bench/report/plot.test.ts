// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Experiment } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { drawPlots } from './plot.ts'
import { type ReportedExperiment, reportExperiment } from './report.ts'

const contender = (name: string, x: number) => ({
  name,
  point: { series: 'a line', x },
  open: () => assert.fail('nothing is run'),
})

const experiment: Experiment = {
  ...{ name: 'test', title: 'test', unit: 'things', goals: [] },
  contenders: [contender('one', 1), contender('two', 2)],
  plots: [
    {
      ...{ name: 'rates', title: 'Rates', kind: 'lines' },
      figure: 'operationsPerSecond',
      yTitle: 'y',
    },
    { ...{ name: 'course', title: 'Course', kind: 'times' }, values: 'found', yTitle: 'found' },
  ],
}

const sample = (...found: readonly number[]): Sample => ({
  ...{ operations: 10, seconds: 1, cpuSeconds: 1 },
  overTime: {
    stepSeconds: 0.5,
    values: { found },
    events: [{ atSeconds: 0.7, what: 'one was killed' }],
  },
})

test('a report that was written and read again is drawn as at first, without the experiment', async () => {
  const samples = new Map([
    ['one', [sample(1, 2, 3)]],
    ['two', [sample(3, 2, 1)]],
  ])
  const reported = reportExperiment({ experiment, samples })
  const plots = await drawPlots(reported)
  assert.deepEqual([...plots.keys()], ['rates', 'course'])
  const course = plots.get('course') ?? ''
  for (const words of ['one', 'two', 'one was killed'])
    assert.ok(course.includes(`>${words}<`), words)
  for (const svg of plots.values()) assert.doesNotMatch(svg, /NaN|undefined|Infinity/)
  const read = JSON.parse(JSON.stringify(reported)) as ReportedExperiment
  const again = await drawPlots(read)
  for (const [name, svg] of plots) assert.equal(again.get(name), svg)
})

test('values over time that no sample has are no plot', async () => {
  const samples = new Map([['one', [{ operations: 1, seconds: 1, cpuSeconds: 1 }]]])
  assert.deepEqual(
    [...(await drawPlots(reportExperiment({ experiment, samples }))).keys()],
    ['rates'],
  )
})
