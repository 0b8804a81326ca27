// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCall } from '../harness/command-line.ts'
import { type Experiment, UsageError } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { drawPlots } from '../report/plot.ts'
import { reportExperiment } from '../report/report.ts'
import { brokerageSuite } from './brokerage-suite.ts'

function experimentOf(...words: string[]): Experiment {
  return readCall(words, brokerageSuite).experiments[0] as Experiment
}

function sample(results: number, coresUsed: number): Sample {
  return { operations: results, seconds: 1, cpuSeconds: coresUsed, figures: { coresUsed } }
}

test('Figure 9 lays one line for each engine through its sizes', () => {
  const { contenders, fits, goals } = experimentOf(
    ...['--figure', '9', '--sizes', '1,3', '--path', 'ws', '--against', 'sqlite'],
  )
  const [product, sqlite] = [
    ['percolite-ws, wide-1', 'percolite-ws, wide-3'],
    ['sqlite, wide-1', 'sqlite, wide-3'],
  ] as const
  assert.deepEqual(
    contenders.map(({ name }) => name),
    [...product, ...sqlite],
  )
  assert.deepEqual(
    fits?.map(({ contenders: through }) => through),
    [product, sqlite],
  )
  assert.deepEqual(goals, [])
})

test('Figure 9 says where Figure 10 is, and draws the lines of the paper', async () => {
  const experiment = experimentOf('--figure', '9')
  assert.equal(experiment.contenders.length, 3)
  assert.match(experiment.notes?.join('\n') ?? '', /Figure 10.*npm run bench -- recovery/)
  const names = experiment.contenders.map(({ name }) => name) as [string, string, string]
  const samples = new Map([
    [names[0], [sample(10, 0.2)]],
    [names[1], [sample(20, 0.4)]],
    [names[2], [sample(40, 0.8)]],
  ])
  const plots = await drawPlots(reportExperiment({ experiment, samples }))
  const svg = plots.get('figure-9')
  assert.match(svg ?? '', />TR\/s per core used, percolite-http: 50, R² 1</)
  assert.match(svg ?? '', />Percolator, Figure 9: 0\.75 \(11,200 on 15,000 cores\)</)
  assert.match(svg ?? '', />its reference database: 49\.7 \(3,183 on 64 cores\)</)
  assert.doesNotMatch(svg ?? '', /NaN|undefined|Infinity/)
})

test('wrong flags are refused', () => {
  assert.throws(() => experimentOf('--figure', '10'), UsageError)
  assert.throws(() => experimentOf('--figure', '9', '--sizes', '1,0'), UsageError)
  assert.throws(() => experimentOf('--against', 'oracle'), UsageError)
})
