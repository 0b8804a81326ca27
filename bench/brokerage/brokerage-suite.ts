// SPDX-License-Identifier: Apache-2.0
import { bars, type Experiment, type Goal, type Suite } from '../harness/experiment.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import { brokerageExperiment, NOT_COMPARABLE, perCorePlot, sameOn } from './brokerage-experiment.ts'
import { type BrokerageOptions, DISCLAIMER, readOptions } from './brokerage-options.ts'
import type { EngineName } from './engines/engine-kinds.ts'
import { figure9 } from './figure-9.ts'
import { profileOf } from './population/profiles.ts'

/** The TPC-E-style brokerage workload. */
export const brokerageSuite: Suite = {
  title: 'TPC-E-style brokerage workload',
  defaults: { seconds: 120, repetitions: 1 },
  options: {
    profile: { default: 'small', help: 'tiny, small, standard, wide-n or official-shape' },
    path: {
      default: 'http',
      help: 'how percolite is reached: http or ws (its WebSocket)',
    },
    against: {
      default: 'auto',
      help: 'who else takes part: null, postgres, postgres-async, sqlite, sqlite-normal, percolite-ws, percolite-etcd-2, …; auto is null at tiny, nobody for a figure, postgres and sqlite otherwise',
    },
    users: { default: '8', help: 'customers that call at once' },
    mode: {
      default: 'saturate',
      help: 'saturate: as fast as they can; paced: at the nominal rate',
    },
    figure: {
      default: '',
      help: '9: instead of a comparison, trade results over cores used as in Figure 9 of the paper',
    },
    sizes: { default: '1,2,4', help: 'for Figure 9: its profiles wide-n, each at its own pace' },
    seed: { default: '1', help: 'of all data and all inputs' },
    kill: {
      default: '',
      help: 'kills the percolite server with SIGKILL in the middle of the run',
      isSwitch: true,
    },
    store: {
      default: '',
      help: 'bigtable:… or etcd:…, empty: the database is moved there, and two servers serve it',
    },
    move: {
      default: '',
      help: 'moves it in the middle of the run, under its users, and not before',
      isSwitch: true,
    },
    ...PERCOLITE_OPTIONS,
  },
  experiments(options) {
    const read = readOptions(options)
    return [read.figure === '9' ? figure9(read) : comparison(read)]
  },
  notes: [
    DISCLAIMER,
    'TR/s are committed trade results per second; each carries nine other transactions. TR/s per core is TR/s divided by the mean number of cores that all processes of the engine used. Driver and engine share this machine’s cores.',
    'For comparison, by the Percolator paper: Percolator 0.75 per core (11,200 tps on 15,000 cores), its reference database 49.7 per core; neither is comparable with what is measured here.',
  ],
}

/** Percolite beside others. */
function comparison(options: BrokerageOptions): Experiment {
  const { product, peers } = options
  const { name, customers, trades } = profileOf(options.profile)
  return brokerageExperiment(options, sameOn([product, ...peers], options), {
    name: 'brokerage',
    title: `profile ${name}, ${customers.toLocaleString('en')} customers, ${trades.toLocaleString('en')} trades of history`,
    goals: GOALS.filter(({ to }) => peers.includes(to)).map((goal) => ({
      ...goal,
      what: `TR/s per core: ${product} / ${goal.to}`,
      of: product,
    })),
    plots: [
      bars('brokerage', NOT_COMPARABLE, 'trade results per second (TR/s)'),
      perCorePlot('brokerage-per-core'),
    ],
  })
}

const GOALS: readonly (Omit<Goal, 'what' | 'of'> & { readonly to: EngineName })[] = [
  { to: 'postgres', figure: 'figures.resultsPerCore', must: 0.5, aim: 1.5, paper: 1 / 30 },
  { to: 'sqlite', figure: 'figures.resultsPerCore', must: 1 / 6, aim: 1 / 2 },
]
