// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { missingEngine } from '../engines/shared-engine.ts'
import { readCall } from '../harness/command-line.ts'
import { type Experiment, UsageError } from '../harness/experiment.ts'
import { drawPlots } from '../report/plot.ts'
import { reportExperiment } from '../report/report.ts'
import { runShortly, testWithServers } from '../servers/peer-tests.ts'
import { recoveryOf, TRANSFERS } from './disturbed-bank.ts'
import { figure10 } from './figure-10.ts'
import { recoverySuite } from './recovery-suite.ts'

/** So many operations a second from one time to the other, in ms. */
function steadily(perSecond: number, fromMs: number, toMs: number): number[] {
  const count = Math.round((perSecond * (toMs - fromMs)) / 1_000)
  return Array.from({ length: count }, (_, at) => fromMs + (at * 1_000) / perSecond)
}

describe('a run in which something is killed', () => {
  const killed = { levelFromMs: 1_000, killedMs: 5_000, untilMs: 20_000 }

  it('is recovered at the first second at 90 % of the level before', () => {
    const doneMs = [
      ...steadily(10, 0, 1_000),
      ...steadily(200, 1_000, 5_000),
      ...steadily(100, 7_000, 9_000),
      ...steadily(190, 9_000, 20_000),
    ]
    const { level, lowestShare, recoveredSeconds, longestGapSeconds } = recoveryOf(doneMs, killed)
    assert.equal(level, 200)
    assert.equal(lowestShare, 0)
    assert.equal(longestGapSeconds, 2)
    // From 8.9 s on, a tenth of a second is still slow.
    assert.equal(recoveredSeconds, 3.9)
  })

  it('may never recover before the next thing is killed', () => {
    const doneMs = [...steadily(200, 1_000, 5_000), ...steadily(170, 5_000, 20_000)]
    assert.equal(recoveryOf(doneMs, killed).recoveredSeconds, undefined)
  })

  it('is not compared with a level that there was not', () => {
    const { level, lowestShare, recoveredSeconds } = recoveryOf(
      steadily(200, 6_000, 20_000),
      killed,
    )
    assert.deepEqual([level, lowestShare, recoveredSeconds], [0, undefined, undefined])
  })

  it('has lost nothing where its rate has not changed', () => {
    const { lowestShare, recoveredSeconds } = recoveryOf(steadily(200, 0, 20_000), killed)
    assert.deepEqual([lowestShare, recoveredSeconds], [1, 0])
  })
})

const SMALL = { accounts: 20, clients: 4, gateways: 2, warmUpSeconds: 0.2, repetitions: 1 }

async function requireRun(experiment: Experiment, victims: readonly string[]): Promise<void> {
  const { samples } = await runShortly(experiment)
  const reported = reportExperiment({ experiment, samples })
  const [contender] = reported.contenders
  const [taken] = contender?.samples ?? []
  assert.deepEqual(taken?.findings?.failures, [])
  assert.ok((taken?.operations ?? 0) > 0)
  assert.deepEqual(
    taken?.overTime?.events?.map(({ what }) => what),
    victims.flatMap((victim) => [`${victim} is killed`, `${victim} is back`]),
  )
  const { values = {}, stepSeconds = 0 } = taken?.overTime ?? {}
  const sum = (values[TRANSFERS] ?? []).reduce((total, rate) => total + rate * stepSeconds, 0)
  // What was on its way at the end is in none of the whole steps.
  const operations = taken?.operations ?? 0
  assert.ok(sum <= operations && sum > operations * 0.8, `${sum} of ${operations}`)
  assert.match(taken?.findings?.lines.join('\n') ?? '', /20 accounts have 20000 together/)
  const svg = (await drawPlots(reported)).get(experiment.name) ?? ''
  for (const victim of victims) assert.ok(svg.includes(`${victim} is killed`))
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/)
}

testWithServers('Figure 10 of one server loses no transfer when it is killed', async () => {
  const experiments = figure10({ ...SMALL, seconds: { shared: 6, embedded: 3 } })
  await requireRun(experiments[1] as Experiment, ['the server'])
})

testWithServers(
  'Figure 10 of gateways loses no transfer when one is killed, nor with the leader of etcd',
  async () => {
    const experiments = figure10({ ...SMALL, seconds: { shared: 6, embedded: 3 } })
    await requireRun(experiments[0] as Experiment, ['a gateway', "etcd's leader"])
  },
  missingEngine('etcd'),
)

describe('the flags of recovery', () => {
  it('refuse sizes that make no sense', () => {
    assert.throws(() => readCall(['--gateways', '1'], recoverySuite), UsageError)
    assert.throws(() => readCall(['--accounts', '2'], recoverySuite), UsageError)
  })
})
