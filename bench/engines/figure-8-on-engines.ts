// SPDX-License-Identifier: Apache-2.0
import type { FilledStore } from '../embedded/filled-store.ts'
import { OPERATIONS, type Operation } from '../embedded/operations.ts'
import { reading, type Work, writing } from '../embedded/work.ts'
import type { Contender, Experiment, Goal, Plot } from '../harness/experiment.ts'
import type { Shared } from '../harness/shared.ts'
import { FIGURE_8_PAPER, FIGURE_8_RATIOS } from '../micro/figure-8.ts'
import { type EngineStore, sharedEngineStore, withEngineFigures } from './engine-store.ts'
import { withInstalledEngine } from './installed-engine.ts'
import { roundTripsOf } from './round-trips.ts'
import { ENGINES, type EngineName } from './shared-engine.ts'

export type Figure8Size = {
  /** Of each of the two tables, of 100 bytes. */
  readonly rows: number
  /** Readers, and writers, at a time. */
  readonly clients: number
  /** The run's own when absent. */
  readonly seconds?: number
  readonly repetitions?: number
}

export const FIGURE_8_SIZES = {
  /** What `npm run bench -- engines` takes when nothing is said. */
  alone: { rows: 5_000, clients: 32 },
  /** As a part of an hour, and of ten minutes. */
  hour: { rows: 5_000, clients: 32, seconds: 3, repetitions: 5 },
  quick: { rows: 1_000, clients: 32, seconds: 1, repetitions: 3 },
} as const satisfies Readonly<Record<string, Figure8Size>>

export function figure8OnEngines(size: Figure8Size): Experiment[] {
  return ENGINES.map((name) => figure8OnEngine(name, size))
}

const RAW_READ = 'read, raw store'
const SHARED_READ = 'read, Percolite, many at one snapshot'
const OWN_READ = 'read, Percolite, each in a transaction of its own'
const RAW_WRITE = 'write, raw store'
const WRITE = 'write, Percolite, two-phase as in the paper'

const WORDS: Readonly<Record<EngineName, { readonly title: string; readonly notes: string[] }>> = {
  bigtable: {
    title: "the emulator of Debian's Go packages, or Google's own",
    notes: [
      'The emulator is one process that keeps its tables in memory: nothing is durable there, on either side of a ratio, and a request costs it what it costs an emulator. It is not Bigtable.',
    ],
  },
  etcd: {
    title: 'an etcd of one member',
    notes: [
      'An acknowledged change is on disk, on both sides of a ratio. etcd has no conditional change of a row: one is a read and a transaction that is refused if the row has changed meanwhile, so a raw write is two requests as well.',
    ],
  },
}

/** Figure 8 where the paper measured it: each operation is requests to a store in another process. */
function figure8OnEngine(name: EngineName, size: Figure8Size): Experiment {
  const { rows, clients, seconds, repetitions } = size
  const store = sharedEngineStore(name, rows)
  const { title, notes } = WORDS[name]
  return withInstalledEngine(name, {
    name: `figure-8-${name}`,
    title: `Figure 8 of the paper over ${title}: the overhead of transactions relative to the raw store`,
    unit: 'operations',
    ...(seconds === undefined ? {} : { seconds }),
    ...(repetitions === undefined ? {} : { repetitions }),
    warmUpSeconds: 2,
    contenders: [
      onEngine(RAW_READ, store, OPERATIONS.read.raw, (read) => reading(read, clients)),
      onEngine(SHARED_READ, store, OPERATIONS.read.shared, (read) => reading(read, clients)),
      onEngine(OWN_READ, store, OPERATIONS.read.own, (read) => reading(read, clients)),
      onEngine(RAW_WRITE, store, OPERATIONS.write.raw, (write) => writing(write, clients)),
      onEngine(WRITE, store, OPERATIONS.write.own, (write) => writing(write, clients)),
    ],
    goals: goalsOf(name),
    plots: plotsOf(name, title),
    notes: [
      ...FIGURE_8_PAPER,
      `${clients} readers or writers at a time, over ${rows.toLocaleString('en')} rows. The transactions run in the process of the benchmark, which is a gateway; \`requestsPerOperation\` counts what it sends to the store, its share of the timestamps included, and \`engineCpuMicrosPerOperation\` is the store's own CPU time. \`roundTrips\` is how often one operation alone has to wait for the store; calls that are sent together are one.`,
      'The paper counts no timestamps. Reads at one snapshot take one for a thousand reads; all other transactions take theirs from a row of the store, one request for all that wait.',
      ...notes,
    ],
  })
}

function goalsOf(name: EngineName): readonly Goal[] {
  const rates = (what: string, of: string, to: string, paper?: number): Goal => ({
    what: `Figure 8 on ${name}: ${what}`,
    ...{ of, to },
    ...(paper === undefined ? {} : { paper }),
  })
  const requests = (what: string, of: string, to: string): Goal => ({
    what: `Figure 8 on ${name}, requests to it: ${what}`,
    ...{ of, to, figure: 'figures.requestsPerOperation', smallerIsBetter: true },
  })
  return [
    rates('read at one snapshot / raw read', SHARED_READ, RAW_READ, FIGURE_8_RATIOS.read),
    rates('read in its own transaction / raw read', OWN_READ, RAW_READ),
    rates('write / raw write', WRITE, RAW_WRITE, FIGURE_8_RATIOS.write),
    requests('read at one snapshot / raw read', SHARED_READ, RAW_READ),
    requests('read in its own transaction / raw read', OWN_READ, RAW_READ),
    requests('write / raw write', WRITE, RAW_WRITE),
  ]
}

function plotsOf(name: EngineName, title: string): Plot[] {
  const titled = (what: string) => `Figure 8 over ${title}: ${what}`
  return [
    {
      ...{ name: `figure-8-${name}`, title: titled('relative to the raw store'), kind: 'goals' },
      ...{ figure: 'operationsPerSecond', yTitle: 'relative to the raw store' },
    },
    {
      ...{ name: `figure-8-${name}-rates`, title: titled('reads and writes'), kind: 'bars' },
      ...{ figure: 'operationsPerSecond', yTitle: 'operations per second' },
    },
    {
      ...{ name: `figure-8-${name}-requests`, title: titled('requests to it'), kind: 'bars' },
      ...{ figure: 'figures.requestsPerOperation', yTitle: 'requests for each operation' },
    },
  ]
}

type Prepare = (store: FilledStore) => Operation

function onEngine(
  name: string,
  shared: Shared<EngineStore>,
  prepare: Prepare,
  working: (prepare: Prepare) => (store: FilledStore) => Work,
): Contender {
  return {
    name,
    async open(surroundings) {
      const roundTrips = await roundTripsOf(prepare)
      const store = await shared.acquire(surroundings)
      const work = working(prepare)(store)
      return { run: withEngineFigures(store, roundTrips, work), close: () => shared.release() }
    },
  }
}
