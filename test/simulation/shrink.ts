// SPDX-License-Identifier: Apache-2.0
import type { SimulationResult } from './simulation.ts'
import type { Swarm } from './swarm.ts'

export type Shrunk = { readonly swarm: Swarm; readonly result: SimulationResult }

/**
 * Looks for a simpler run that fails by the same checker: fewer transactions, gateways, clients and
 * keys, and fewer kinds of faults. A change of the configuration changes the whole run, so each step
 * tries a few seeds' worth of luck and keeps what still fails.
 */
export async function shrink(
  failed: SimulationResult,
  simulate: (swarm: Swarm) => Promise<SimulationResult>,
): Promise<Shrunk> {
  const checkers = new Set(failed.violations.map(({ checker }) => checker))
  let best: Shrunk = { swarm: failed.swarm, result: failed }
  for (let improved = true; improved; ) {
    improved = false
    for (const simpler of simplerSwarms(best.swarm)) {
      const result = await simulate(simpler)
      if (!result.violations.some(({ checker }) => checkers.has(checker))) continue
      best = { swarm: simpler, result }
      improved = true
      break
    }
  }
  return best
}

/** Each one is a step simpler, the biggest steps first. */
function* simplerSwarms(swarm: Swarm): Generator<Swarm> {
  for (const one of [
    'crashRate',
    'pauseRate',
    'clockJumpRate',
    'outageCallsMax',
    'faultRate',
    'forgetRate',
  ] as const) {
    if (swarm[one] > 0) yield { ...swarm, [one]: 0 }
  }
  const { embedded } = swarm
  for (const one of ['commitFailRate', 'groupFailRate', 'shownFirstRate'] as const) {
    if (embedded[one] > 0) yield { ...swarm, embedded: { ...embedded, [one]: 0 } }
  }
  if (embedded.stopEveryMs !== undefined) {
    yield { ...swarm, embedded: { ...embedded, stopEveryMs: undefined } }
  }
  if (embedded.commitTurnRows !== undefined) {
    yield { ...swarm, embedded: { ...embedded, commitTurnRows: undefined } }
  }
  const busy = Object.entries(swarm.mix).filter(([, share]) => share > 0)
  if (busy.length > 1) {
    for (const [workload] of busy) yield { ...swarm, mix: { ...swarm.mix, [workload]: 0 } }
  }
  for (const one of ['deleteRate', 'longValueRate', 'guardRate', 'keepsOutcomeRate'] as const) {
    if (swarm[one] > 0) yield { ...swarm, [one]: 0 }
  }
  if (swarm.feed.readers > 0) {
    yield { ...swarm, feed: { ...swarm.feed, readers: swarm.feed.readers - 1 } }
  }
  for (const { field, least } of COUNTS) {
    const value = swarm[field]
    for (const fewer of new Set([Math.floor(value / 2), value - 1])) {
      if (fewer >= least && fewer < value) yield { ...swarm, [field]: fewer }
    }
  }
}

const COUNTS = [
  { field: 'transactions', least: 3 },
  { field: 'gateways', least: 1 },
  { field: 'clients', least: 1 },
  { field: 'keys', least: 2 },
  { field: 'columns', least: 1 },
] as const
