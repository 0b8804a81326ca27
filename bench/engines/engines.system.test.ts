// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCall } from '../harness/command-line.ts'
import { type Experiment, UsageError } from '../harness/experiment.ts'
import { type FigureName, figureOf } from '../harness/sample.ts'
import { reportExperiment } from '../report/report.ts'
import { runShortly, testWithServers } from '../servers/peer-tests.ts'
import { enginesSuite } from './engines-suite.ts'
import { figure8OnEngines } from './figure-8-on-engines.ts'
import { ENGINES, missingEngine } from './shared-engine.ts'
import { timestampsOnEngines } from './timestamps-on-engines.ts'

function experimentNamed(name: string): Experiment {
  const experiments = figure8OnEngines({ rows: 500, clients: 4 })
  return experiments.find((one) => one.name === name) as Experiment
}

/** Of reads, raw, at one snapshot and in their own transaction, and of writes, raw and in a transaction. */
const ROUND_TRIPS = [1, 1, 2, 1, 4]

for (const engine of ENGINES) {
  const title = `Figure 8 on ${engine} counts what each operation asks of the store`
  const run = async () => {
    const experiment = experimentNamed(`figure-8-${engine}`)
    const { samples } = await runShortly(experiment)
    const figures = (name: FigureName) =>
      [...samples.values()].map(([sample]) => (sample && figureOf(sample, name)) ?? 0)
    const [rawRead, sharedRead, ownRead, rawWrite, write] = figures(
      'figures.requestsPerOperation',
    ) as [number, number, number, number, number]
    // Reads of one turn are one request; there are heartbeats of the gateway now and then.
    assert.ok(rawRead > 0 && rawRead < 1, `a raw read is ${rawRead} requests`)
    assert.ok(sharedRead > 0 && sharedRead < 1, `a read at one snapshot is ${sharedRead}`)
    assert.ok(ownRead > sharedRead, `a read in its own transaction is ${ownRead}`)
    assert.ok(ownRead <= 3.2, `a read in its own transaction is ${ownRead}`)
    assert.ok(rawWrite >= 1 && rawWrite < 1.5, `a raw write is ${rawWrite} requests`)
    // A lock, the write record in its place, and two shared timestamps at least.
    assert.ok(write > 3, `a write in a transaction is ${write} requests`)
    assert.deepEqual(figures('figures.roundTrips'), ROUND_TRIPS)
    for (const rate of figures('operationsPerSecond')) assert.ok(rate > 0)
    const { goals } = reportExperiment({ experiment, samples })
    assert.deepEqual(
      goals.filter(({ paper }) => paper !== undefined).map(({ paper }) => paper?.toFixed(2)),
      ['0.94', '0.23', '0.94', '0.23'],
    )
  }
  testWithServers(title, run, missingEngine(engine))
}

for (const engine of ENGINES) {
  const title = `timestamps from ${engine} are shared by all who wait for them`
  const run = async () => {
    const experiments = timestampsOnEngines({})
    const experiment = experiments.find((one) => one.name.endsWith(engine)) as Experiment
    const { samples } = await runShortly(experiment)
    const [alone = 0, , together = 0, ...throughGateways] = [...samples.values()].map(
      ([sample]) => (sample && figureOf(sample, 'operationsPerSecond')) ?? 0,
    )
    assert.ok(alone > 0)
    assert.ok(together > 10 * alone, `${together} together, ${alone} alone`)
    assert.equal(throughGateways.length, 3)
    assert.ok(Math.min(...throughGateways) > alone, `${throughGateways}, ${alone} alone`)
  }
  testWithServers(title, run, missingEngine(engine))
}

test('an engine that is not installed is left out, with a sentence about it', () => {
  const { PATH } = process.env
  process.env.PATH = ''
  try {
    const { contenders, goals, notes = [] } = experimentNamed('figure-8-etcd')
    assert.deepEqual([contenders, goals], [[], []])
    assert.match(notes.at(-1) ?? '', /^Left out: etcd is not there.*test\/engines\.sh/)
  } finally {
    process.env.PATH = PATH
  }
})

test('sizes of the engines that make no sense are refused', () => {
  assert.throws(() => readCall(['--rows', '10'], enginesSuite), UsageError)
  assert.throws(() => readCall(['--clients', '0'], enginesSuite), UsageError)
})
