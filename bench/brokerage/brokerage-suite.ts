// SPDX-License-Identifier: Apache-2.0
import {
  type Experiment,
  type Goal,
  type OpenContender,
  type Suite,
  UsageError,
} from '../harness/experiment.ts'
import { type PeerContender, withInstalledPeers } from '../peers/installed-peers.ts'
import { PERCOLITE_OPTIONS } from '../peers/percolite-server.ts'
import { runBrokerage } from './brokerage-run.ts'
import { BrokerageDriver } from './driver/brokerage-driver.ts'
import type { Engine } from './engine.ts'
import { ENGINE_KINDS, ENGINE_NAMES, type EngineName, programOf } from './engines/engine-kinds.ts'
import { loadPopulation } from './loading/load-population.ts'
import { verifyLoad } from './loading/verify-load.ts'
import { Population } from './population/population.ts'
import { profileOf } from './population/profiles.ts'
import { DISCLAIMER, deviationsOf } from './report/deviations.ts'
import { sampleOf } from './report/run-sample.ts'
import type { BrokerMode } from './run-facts.ts'

const PATHS = ['http', 'ws', 'embedded'] as const
const BROKER_MODES = ['omit', 'inline', 'observer'] as const
const MODES = ['saturate', 'paced'] as const
const USERS_MAX = 1_000

/** The TPC-E-style brokerage workload. */
export const brokerageSuite: Suite = {
  title: 'TPC-E-style brokerage workload',
  defaults: { seconds: 120, repetitions: 1 },
  options: {
    profile: { default: 'small', help: 'tiny, small, standard, wide-n or official-shape' },
    path: {
      default: 'http',
      help: 'how percolite is reached: http, ws (its WebSocket), or embedded in the driver',
    },
    against: {
      default: 'auto',
      help: 'who else takes part: null, postgres, postgres-async, sqlite, sqlite-normal, percolite-ws, …; auto is null at tiny, postgres and sqlite otherwise',
    },
    users: { default: '8', help: 'customers that call at once' },
    mode: {
      default: 'saturate',
      help: 'saturate: as fast as they can; paced: at the nominal rate',
    },
    broker: {
      default: 'inline',
      help: 'broker totals: omit, inline or observer; several, separated by commas, are compared',
    },
    seed: { default: '1', help: 'of all data and all inputs' },
    kill: {
      default: '',
      help: 'kills the percolite server with SIGKILL in the middle of the run',
      isSwitch: true,
    },
    ...PERCOLITE_OPTIONS,
  },
  experiments: (options) => [experimentOf(options)],
  notes: [
    DISCLAIMER,
    'TR/s are committed trade results per second; each carries nine other transactions. TR/s per core is TR/s divided by the mean number of cores that all processes of the engine used. Driver and engine share this machine’s cores.',
    'For comparison, by the Percolator paper: Percolator 0.75 per core (11,200 tps on 15,000 cores), its reference database 49.7 per core; neither is comparable with what is measured here.',
  ],
}

function experimentOf(options: Readonly<Record<string, string>>): Experiment {
  const { profile: profileName = '', against = '' } = options
  const profile = profileOf(profileName)
  const path = oneOf('path', options.path, PATHS)
  const modes = (options.broker ?? '').split(',').map((mode) => oneOf('broker', mode, BROKER_MODES))
  const [brokerMode] = modes as [BrokerMode]
  const isPaced = oneOf('mode', options.mode, MODES) === 'paced'
  const seed = seedOf(options.seed ?? '')
  const product: EngineName = `percolite-${path}`
  const peers = peersOf(against, profileName).filter((name) => name !== product)
  const shared = {
    ...{ options, users: usersOf(options.users ?? '') },
    population: new Population(profile, seed),
    pace: isPaced ? profile.customers / profile.scaleFactor : undefined,
    kills: options.kill === 'yes',
  }
  const contenders = [
    ...[...new Set(modes)].map((mode) => {
      // The first mode is the one in which the others are compared with it.
      const name = mode === brokerMode ? product : `${product}, ${mode}`
      return brokerageContender({ ...shared, name, kind: product, brokerMode: mode })
    }),
    ...[...new Set(peers)].map((kind) => {
      return brokerageContender({ ...shared, name: kind, kind, brokerMode })
    }),
  ]
  const deviations = deviationsOf(profile, { brokerModes: modes, seed })
  return withInstalledPeers({
    name: 'brokerage',
    title: `profile ${profileName}, ${profile.customers.toLocaleString('en')} customers, ${profile.trades.toLocaleString('en')} trades of history`,
    unit: 'TR',
    contenders,
    warmsUp: false,
    goals: GOALS.filter(({ to }) => peers.includes(to)).map((goal) => ({
      ...goal,
      what: `TR/s per core: ${product} / ${goal.to}`,
      of: product,
    })),
    plots: [
      {
        name: 'brokerage',
        title: 'TPC-E-style workload, not comparable with published TPC-E results',
        figure: 'operationsPerSecond',
        kind: 'bars',
        yTitle: 'trade results per second (TR/s)',
      },
      {
        name: 'brokerage-per-core',
        title: 'TPC-E-style workload, not comparable with published TPC-E results',
        figure: 'figures.resultsPerCore',
        kind: 'bars',
        yTitle: 'TR/s per core used',
      },
    ],
    notes: [
      'Deviations from the workload that this one follows:',
      ...deviations.map(({ what, here }) => `- ${what}: ${here}`),
    ],
  })
}

const GOALS: readonly (Omit<Goal, 'what' | 'of'> & { readonly to: EngineName })[] = [
  { to: 'postgres', figure: 'figures.resultsPerCore', must: 0.5, aim: 1.5, paper: 1 / 30 },
  { to: 'sqlite', figure: 'figures.resultsPerCore', must: 1 / 6, aim: 1 / 2 },
]

type ContenderOrder = {
  readonly name: string
  readonly kind: EngineName
  readonly population: Population
  readonly users: number
  readonly pace: number | undefined
  readonly brokerMode: BrokerMode
  readonly kills: boolean
  readonly options: Readonly<Record<string, string>>
}

function brokerageContender(order: ContenderOrder): PeerContender {
  const { name, kind, population, users } = order
  const isChecked = kind !== 'null'
  return {
    name,
    program: programOf(kind),
    async open(surroundings): Promise<OpenContender> {
      const engine: Engine = await ENGINE_KINDS[kind].open({
        folder: await surroundings.temporaryFolder(kind),
        percolite: order.options,
        connections: 2 * users,
      })
      try {
        await engine.load(async (loader) => {
          await loadPopulation(loader, population, surroundings)
        })
        const problems = isChecked ? await verifyLoad(engine, population) : []
        // What is wrong before a run can never be right after it.
        if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`)
        const driver = await BrokerageDriver.open({ engine, ...order })
        return {
          run: async (seconds, signal) =>
            sampleOf(await runBrokerage({ engine, driver, isChecked, ...order }, seconds, signal)),
          async close() {
            try {
              await driver.close()
            } finally {
              await engine.close()
            }
          },
        }
      } catch (error) {
        await engine.close()
        throw error
      }
    },
  }
}

function peersOf(against: string, profile: string): readonly EngineName[] {
  if (against === 'none') return []
  if (against !== 'auto') {
    return against.split(',').map((word) => oneOf('against', word.trim(), ENGINE_NAMES))
  }
  return profile === 'tiny' ? ['null'] : ['postgres', 'sqlite']
}

function oneOf<Name extends string>(
  flag: string,
  text: string | undefined,
  known: readonly Name[],
): Name {
  const found = known.find((name) => name === text)
  if (found !== undefined) return found
  throw new UsageError(`--${flag} ${text}: it is ${known.join(', ')}.`)
}

function usersOf(text: string): number {
  const users = Number(text)
  if (Number.isInteger(users) && users > 0 && users <= USERS_MAX) return users
  throw new UsageError(`--users ${text}: it is a whole number from 1 to ${USERS_MAX}.`)
}

function seedOf(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw new UsageError(`--seed ${text}: it is a whole number of up to 18 digits.`)
}
