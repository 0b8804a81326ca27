// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCampaign } from './campaign.ts'
import { shrink } from './shrink.ts'
import { type SimulationResult, simulate } from './simulation.ts'
import { drawSwarm, TOPOLOGIES } from './swarm.ts'

const DETERMINISM_SEEDS = 3
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 12)

describe('the simulation', () => {
  test('runs the same for the same seed, event by event', async () => {
    const hashes = new Set<string>()
    for (let seed = 1; seed <= DETERMINISM_SEEDS; seed += 1) {
      const first = await simulate(seed)
      const second = await simulate(seed)
      assert.equal(second.traceHash, first.traceHash, `seed ${seed}`)
      assert.deepEqual(second, first)
      hashes.add(first.traceHash)
    }
    assert.equal(hashes.size, DETERMINISM_SEEDS, 'other seeds are other runs')
  })

  test(`finds no violation in seeds 1001 to ${1000 + SEEDS}`, async () => {
    const report = await runCampaign({ from: 1001, seeds: SEEDS, workers: 2, failuresMax: 3 })
    const failures = report.failures.map(
      ({ seed, violations }) =>
        `npm run test:simulation -- --replay ${seed}: ${violations[0]?.checker}: ${violations[0]?.what}`,
    )
    assert.deepEqual(failures, [])
    // What is often seen is seen in thirty runs, and may not be in fewer.
    for (const topology of SEEDS < 30 ? [] : TOPOLOGIES) {
      for (const what of OFTEN[topology]) {
        const count = report.counters[topology].get(what)
        assert.ok(count > 0, `it happened at least once: ${topology}: ${what}`)
      }
    }
  })

  test('comes to rest although clients forget their transactions, and collections overtake them', async () => {
    const kind = { topology: 'embedded', bias: 'interactive', workload: 'observers' } as const
    for (const seed of [3, 33, 34]) {
      const { violations } = await simulate(seed, {
        swarm: { ...drawSwarm(seed, kind), ...FORGETFUL },
      })
      assert.deepEqual(violations, [], `seed ${seed}`)
    }
  })

  test('a failure is shrunk to a run that fails by the same checker', async () => {
    const failed = pretend(drawSwarm(7), 'the sum')
    // Pretends that the failure needs two gateways and no more than that.
    const shrunk = await shrink(failed, async (swarm) =>
      pretend(swarm, swarm.gateways >= 2 ? 'the sum' : undefined),
    )
    const { gateways, clients, transactions, faultRate, crashRate } = shrunk.swarm
    assert.deepEqual(
      { gateways, clients, transactions, faultRate, crashRate },
      { gateways: 2, clients: 1, transactions: 3, faultRate: 0, crashRate: 0 },
    )
  })
})

/** Half of all pauses last for up to four minutes, and collections come every second and keep nothing. */
const FORGETFUL = {
  clients: 12,
  transactions: 40,
  keys: 7,
  thinkMs: 500,
  forgetRate: 0.5,
  forgetMsMax: 250_000,
  crashRate: 0,
  collectEveryMs: 1_500,
  retention: { retentionMs: 0, heldMsMax: 0 },
}

const OFTEN = {
  gateways: [
    'commit acknowledged',
    'commit conflicted',
    'own lock found after a lost answer',
    'reader rolled a stranger forward',
    'rollback record refused a late prewrite',
    'commit repeated and already applied',
    'crashes',
    'fault zombie',
    'fault duplicate',
  ],
  embedded: [
    'commit acknowledged',
    'conflict with a version',
    'conflict with a transaction under way',
    'commit waited for a latch',
    'reader waited for a latch',
    'scan dropped a chunk',
    'large commit committed',
    'large commit refused by a latch',
    'one-phase write',
    'two-phase write',
    'group failed before COMMIT',
    'COMMIT failed',
    'crashes',
  ],
} as const

function pretend(
  swarm: ReturnType<typeof drawSwarm>,
  checker: string | undefined,
): SimulationResult {
  const violations = checker === undefined ? [] : [{ checker, what: 'is wrong' }]
  const nothing = { seed: 7, traceHash: '', events: 0, virtualMs: 0, counters: {} }
  return { ...nothing, swarm: { ...swarm, gateways: Math.max(swarm.gateways, 1) }, violations }
}
