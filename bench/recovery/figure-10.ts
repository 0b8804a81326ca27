// SPDX-License-Identifier: Apache-2.0
import { withInstalledEngine } from '../engines/shared-engine.ts'
import type { Contender, Experiment, Goal, Plot, Surroundings } from '../harness/experiment.ts'
import { Random } from '../load/random.ts'
import { Bank } from './bank.ts'
import { type BankServers, openEmbeddedBank, openSharedBank } from './bank-servers.ts'
import { runDisturbed, TRANSFERS } from './disturbed-bank.ts'

export type Figure10Size = {
  readonly accounts: number
  /** Clients that transfer in a closed loop. */
  readonly clients: number
  readonly gateways: number
  /** Before the first run, with nothing killed. */
  readonly warmUpSeconds: number
  /** Of one run; the run's own when absent. */
  readonly seconds?: { readonly shared: number; readonly embedded: number }
  readonly repetitions?: number
}

/** What `npm run bench -- recovery` takes when nothing is said. */
const ALONE = { accounts: 1_000, clients: 16, gateways: 2, warmUpSeconds: 5 }

export const FIGURE_10_SIZES = {
  alone: ALONE,
  /** As a part of an hour, and of ten minutes. */
  hour: { ...ALONE, warmUpSeconds: 8, seconds: { shared: 80, embedded: 30 }, repetitions: 3 },
  quick: { ...ALONE, warmUpSeconds: 3, seconds: { shared: 45, embedded: 15 }, repetitions: 1 },
} as const satisfies Readonly<Record<string, Figure10Size>>

const SEED = 20_101_010
const GATEWAYS = 'gateways over etcd'
const SERVER = 'one server'

/** The paper's Figure 10 in two experiments: what clients feel when processes are killed, and until when. */
export function figure10(size: Figure10Size): Experiment[] {
  return [sharedExperiment(size), embeddedExperiment(size)]
}

function sharedExperiment(size: Figure10Size): Experiment {
  const { gateways } = size
  return withInstalledEngine('etcd', {
    ...common(size, size.seconds?.shared),
    name: 'figure-10-gateways',
    title: `Figure 10 of the paper: transfers over ${gateways} gateways and an etcd of three members, of which some are killed`,
    contenders: [
      bankContender(GATEWAYS, size, (random, surroundings) =>
        openSharedBank(gateways, (bound) => random.below(bound), surroundings),
      ),
    ],
    goals: [
      ...goalsOf(GATEWAYS, 'a gateway', 'gateway'),
      ...goalsOf(GATEWAYS, "etcd's leader", 'leader'),
    ],
    plots: [
      plotOf('figure-10-gateways', `Transfers over ${gateways} gateways and three members of etcd`),
    ],
    notes: [
      'A third of the time for each victim passes before it is killed; the rate of that third is its level. It is back when its process takes requests (a gateway) or runs (a member of etcd).',
      'Clients ask any gateway and do not know which one was killed. What fails they send again after 20 to 70 ms, with the same idempotency key, until it succeeds.',
      'All processes share the cores of one machine: a process that starts takes its time from those that serve, and the rest have more when one is killed. The paper kills a third of 15 tablet servers of a store on many machines.',
    ],
  })
}

function embeddedExperiment(size: Figure10Size): Experiment {
  return {
    ...common(size, size.seconds?.embedded),
    name: 'figure-10-server',
    title:
      'Figure 10 of the paper on one machine: transfers at a server that is killed and started again',
    contenders: [bankContender(SERVER, size, (_random, open) => openEmbeddedBank(open))],
    goals: goalsOf(SERVER, 'the server', 'server'),
    plots: [plotOf('figure-10-server', 'Transfers at one server with its store')],
    notes: [
      'The server is started again as soon as it has ended, as by a supervisor. Nobody serves meanwhile: what is measured is its start, and how it gets up to speed again.',
    ],
  }
}

/** What is killed cannot be repeated because the host was busy, so there is no warm-up of the harness. */
function common({ repetitions }: Figure10Size, seconds: number | undefined) {
  return {
    unit: 'transfers',
    warmUpSeconds: 0,
    ...(seconds === undefined ? {} : { seconds }),
    ...(repetitions === undefined ? {} : { repetitions }),
  }
}

function goalsOf(of: string, title: string, victim: string): Goal[] {
  const told = { of, smallerIsBetter: true }
  return [
    {
      what: `Figure 10, ${title} killed: until 90 % of the level before`,
      ...{ ...told, figure: `figures.${victim}RecoveredSeconds`, unit: 's' },
    },
    {
      what: `Figure 10, ${title} killed: longest time without a transfer`,
      ...{ ...told, figure: `figures.${victim}LongestGapSeconds`, unit: 's' },
    },
  ]
}

function plotOf(name: string, title: string): Plot {
  const yTitle = 'transfers acknowledged in a second'
  return { name, title, kind: 'times', values: TRANSFERS, yTitle }
}

function bankContender(
  name: string,
  { accounts, clients, warmUpSeconds }: Figure10Size,
  open: (random: Random, surroundings: Surroundings) => Promise<BankServers>,
): Contender {
  return {
    name,
    async open(surroundings) {
      const { signal, say } = surroundings
      const random = new Random(SEED)
      const servers = await open(random, surroundings)
      try {
        const bank = new Bank(servers, random, { accounts, signal, sumPauseMs: 500 })
        await bank.open()
        say('warms up')
        await bank.runFor(warmUpSeconds, clients)
        return {
          run: (seconds, stop) => runDisturbed(bank, { servers, clients }, seconds, stop),
          close: () => servers.close(),
        }
      } catch (error) {
        await servers.close()
        throw error
      }
    },
  }
}
