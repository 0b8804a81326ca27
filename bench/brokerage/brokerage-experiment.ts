// SPDX-License-Identifier: Apache-2.0
import { bars, type Experiment, type Goal, type Plot } from '../harness/experiment.ts'
import { withInstalledPeers } from '../servers/executable.ts'
import { brokerageContender, type Trading } from './brokerage-contender.ts'
import { type BrokerageOptions, deviationLines } from './brokerage-options.ts'
import type { EngineName } from './engines/engine-kinds.ts'
import { Population } from './population/population.ts'
import { profileOf } from './population/profiles.ts'

/** Of each plot. */
export const NOT_COMPARABLE = 'TPC-E-style workload, not comparable with published TPC-E results'

type ExperimentWords = Omit<Experiment, 'unit' | 'contenders' | 'warmUpSeconds'>

export function brokerageExperiment(
  options: BrokerageOptions,
  tradings: readonly Trading[],
  experiment: ExperimentWords,
): Experiment {
  const [first] = tradings as readonly [Trading]
  return withInstalledPeers({
    ...experiment,
    unit: 'TR',
    contenders: tradings.map((trading) => brokerageContender(options, trading)),
    warmUpSeconds: 0,
    notes: [...(experiment.notes ?? []), ...deviationLines(first.population.profile, options)],
  })
}

/** Several engines, all with the same population and the same customers. */
export function sameOn(
  kinds: readonly EngineName[],
  { profile: name, seed, isPaced }: BrokerageOptions,
): readonly Trading[] {
  const profile = profileOf(name)
  const population = new Population(profile, seed)
  const pace = isPaced ? profile.customers / profile.scaleFactor : undefined
  return kinds.map((kind) => ({ name: kind, kind, population, pace }))
}

export function perCorePlot(name: string): Plot {
  return bars(name, NOT_COMPARABLE, 'TR/s per core used', 'figures.resultsPerCore')
}

const HTTP = 'percolite-http'
const ETCD = 'percolite-etcd-1'

/** By the authors' own estimate, of Percolator compared with the database of the record. */
const PAPER_TIMES_MORE_CPU = 30

/** What one does on a core for each that the other does: the inverse of what they cost. */
function timesMoreCpu(kind: EngineName, than: EngineName, paper?: number): Goal {
  return {
    what: `processor time for a trade result: ${kind} / ${than}`,
    ...{ of: than, to: kind, figure: 'figures.resultsPerCore', smallerIsBetter: true },
    ...(paper === undefined ? {} : { paper }),
  }
}

/** How much more processor time a trade result costs than in a conventional database ("30-fold", paper 3.3). */
export function perCore(options: BrokerageOptions): Experiment {
  const others = ['postgres', 'sqlite'] as const
  const name = 'figure-9-per-core'
  return brokerageExperiment(options, sameOn([HTTP, ...others], options), {
    name,
    title: `trade results for each core used, as fast as ${options.users} customers can`,
    goals: others.map((than) => timesMoreCpu(HTTP, than, PAPER_TIMES_MORE_CPU)),
    plots: [perCorePlot(name)],
    notes: [
      'All run the same TypeScript, one request for each step. What works in the driver’s process has the driver’s processor time in its own.',
    ],
  })
}

/** The same workload over gateways that share an etcd, which is part of the engine: what that layering costs. */
export function overGateways(options: BrokerageOptions): Experiment {
  const two = 'percolite-etcd-2'
  const name = 'figure-9-gateways'
  return brokerageExperiment(options, sameOn([ETCD, two, HTTP, 'postgres'], options), {
    name,
    title: 'trade results over one and two gateways that share an etcd of one member',
    goals: [
      {
        what: 'trade results, two gateways / one',
        of: two,
        to: ETCD,
        figure: 'operationsPerSecond',
      },
      timesMoreCpu(ETCD, 'postgres', PAPER_TIMES_MORE_CPU),
      timesMoreCpu(ETCD, HTTP),
    ],
    plots: [perCorePlot(name)],
    notes: [
      'Gateways, etcd, market and customers share the cores of one machine: with two of them, a second gateway has no core of its own. Gateways and etcd count as the engine, as in the paper.',
    ],
  })
}
