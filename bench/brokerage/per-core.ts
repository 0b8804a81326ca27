// SPDX-License-Identifier: Apache-2.0
import type { Experiment, Goal, Plot } from '../harness/experiment.ts'
import { withInstalledPeers } from '../servers/executable.ts'
import { brokerageContender } from './brokerage-contender.ts'
import { type BrokerageOptions, deviationLines } from './brokerage-options.ts'
import type { EngineName } from './engines/engine-kinds.ts'
import { Population } from './population/population.ts'
import { profileOf } from './population/profiles.ts'

const HTTP = 'percolite-http'

const OTHERS = ['postgres', 'sqlite'] as const

/** By the authors' own estimate, of Percolator compared with the database of the record. */
const PAPER_TIMES_MORE_CPU = 30

/** How much more processor time a trade result costs than in a conventional database ("30-fold", paper 3.3). */
export function perCore(options: BrokerageOptions): Experiment {
  return saturated(options, {
    name: 'figure-9-per-core',
    title: `trade results for each core used, as fast as ${options.users} customers can`,
    kinds: [HTTP, ...OTHERS],
    goals: OTHERS.map((than) => ({
      what: `processor time for a trade result: ${HTTP} / ${than}`,
      // What one does on a core for each that the other does: the inverse of what they cost.
      ...{ of: than, to: HTTP, figure: 'figures.resultsPerCore', paper: PAPER_TIMES_MORE_CPU },
      smallerIsBetter: true,
    })),
    notes: [
      'All run the same TypeScript, one request for each step. What works in the driver’s process has the driver’s processor time in its own.',
    ],
  })
}

const ETCD = 'percolite-etcd-1'

/** The same workload over gateways that share an etcd, which is part of the engine: what that layering costs. */
export function overGateways(options: BrokerageOptions): Experiment {
  const timesMore = (than: EngineName, paper?: number): Goal => ({
    what: `processor time for a trade result: ${ETCD} / ${than}`,
    ...{ of: than, to: ETCD, figure: 'figures.resultsPerCore', smallerIsBetter: true },
    ...(paper === undefined ? {} : { paper }),
  })
  return saturated(options, {
    name: 'figure-9-gateways',
    title: 'trade results over one and two gateways that share an etcd of one member',
    kinds: [ETCD, 'percolite-etcd-2', HTTP, 'postgres'],
    goals: [
      {
        what: 'trade results, two gateways / one',
        ...{ of: 'percolite-etcd-2', to: ETCD, figure: 'operationsPerSecond' },
      },
      timesMore('postgres', PAPER_TIMES_MORE_CPU),
      timesMore(HTTP),
    ],
    notes: [
      'Gateways, etcd, market and customers share the cores of one machine: with two of them, a second gateway has no core of its own. Gateways and etcd count as the engine, as in the paper.',
    ],
  })
}

type Comparison = Pick<Experiment, 'name' | 'title'> & {
  readonly kinds: readonly EngineName[]
  readonly goals: readonly Goal[]
  readonly notes: readonly string[]
}

function saturated(options: BrokerageOptions, { kinds, notes, ...words }: Comparison): Experiment {
  const profile = profileOf(options.profile)
  const population = new Population(profile, options.seed)
  return withInstalledPeers({
    ...words,
    unit: 'TR',
    contenders: kinds.map((kind) =>
      brokerageContender({
        ...{ ...options, name: kind, kind, population },
        pace: undefined,
      }),
    ),
    warmUpSeconds: 0,
    plots: [plotOf(words.name)],
    notes: [...notes, ...deviationLines(profile, options)],
  })
}

function plotOf(name: string): Plot {
  return {
    ...{ name, kind: 'bars', figure: 'figures.resultsPerCore' },
    title: 'TPC-E-style workload, not comparable with published TPC-E results',
    yTitle: 'TR/s per core used',
  }
}
