// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCall } from '../harness/command-line.ts'
import { UsageError } from '../harness/experiment.ts'
import { drawPlots } from '../report/plot.ts'
import { reportExperiment } from '../report/report.ts'
import { goalsOf, runShortly, testWithServers } from '../servers/peer-tests.ts'
import { clusteringSuite } from './clustering-suite.ts'
import { FIGURE_7_QUICK, figure7 } from './figure-7.ts'

testWithServers('300 documents get the same clusters from observers and from passes', async () => {
  // In so small a repository the passes take a fraction of a second, so the benchmark hour is short.
  const size = { documents: 300, rates: [5], seconds: 2, bisections: 0 }
  const measured = await runShortly(figure7(size, { seed: 5, percolite: {} }))
  for (const [name, [sample]] of measured.samples) {
    assert.deepEqual(sample?.findings?.failures, [], name)
    assert.ok(Number(sample?.operations) > 0, name)
  }
  const [observers] = measured.samples.get('percolite, 5 %') ?? []
  assert.ok(Number(observers?.figures?.lookupsPerDocument) >= 1)
  const [passes] = measured.samples.get('batch-full, 5 %') ?? []
  assert.ok(Number(passes?.figures?.delayP50Ms) > 0)
  const plots = await drawPlots(reportExperiment(measured))
  assert.match(plots.get('figure-7-300') ?? '', /^<svg [\s\S]*passes three runs[\s\S]*<\/svg>$/)
})

test('the goals of Figure 7 are told and not judged, with the numbers of the paper', () => {
  const experiment = figure7(FIGURE_7_QUICK, { seed: 1, percolite: {} })
  for (const [what, must, aim] of goalsOf([experiment])) {
    assert.deepEqual([must, aim], [undefined, undefined], String(what))
  }
  const paper = experiment.goals.flatMap((goal) => goal.paper ?? [])
  assert.deepEqual(paper, [1_000, 1.5, 2 / 1_200, 40, 3.3, 93])
})

test('the flags say how many documents, which rates and how long', () => {
  const words = ['--documents', '500', '--rates', '40,5', '--crawl', '7']
  const [experiment] = readCall(words, clusteringSuite).experiments
  assert.equal(experiment?.name, 'figure-7-500')
  assert.equal(experiment.seconds, 7)
  const names = experiment.contenders.map(({ name }) => name)
  assert.deepEqual(names.slice(0, 2), ['percolite, 5 %', 'batch-full, 5 %'])
  for (const wrong of [
    ['--rates', '1,none'],
    ['--rates', '0'],
    ['--documents', '10'],
  ]) {
    assert.throws(() => readCall(wrong, clusteringSuite), UsageError)
  }
  const full = readCall(['--full'], clusteringSuite).experiments
  assert.deepEqual(
    full.map(({ name }) => name),
    ['figure-7-100000', 'figure-7-10000', 'figure-7-1000000'],
  )
})
