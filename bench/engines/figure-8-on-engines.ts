// SPDX-License-Identifier: Apache-2.0

import { type CellStore, openGateway, type Storage } from '../../storage/storage.ts'
import { FilledStore } from '../embedded/filled-store.ts'
import { OPERATIONS, type Operation } from '../embedded/operations.ts'
import { reading, type Work, writing } from '../embedded/work.ts'
import {
  bars,
  type Contender,
  type Experiment,
  type Goal,
  type Plot,
  type Surroundings,
} from '../harness/experiment.ts'
import { onShared, Shared } from '../harness/shared.ts'
import { FIGURE_8_PAPER, FIGURE_8_RATIOS } from '../micro/figure-8.ts'
import { cpuSecondsOfTrees } from '../servers/process-figures.ts'
import { anyEmulator } from './emulator.ts'
import { roundTripsOf } from './round-trips.ts'
import {
  ENGINES,
  type EngineName,
  type SharedEngine,
  startEngine,
  withInstalledEngine,
} from './shared-engine.ts'

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

type EngineWords = { readonly title: string; readonly note: () => string }

const WORDS: Readonly<Record<EngineName, EngineWords>> = {
  bigtable: {
    title: 'an emulator of Bigtable',
    note: () =>
      `The emulator is ${anyEmulator().name}. It is one process that keeps its tables in memory: nothing is durable there, on either side of a ratio, and a request costs it what it costs an emulator. It is not Bigtable.`,
  },
  etcd: {
    title: 'an etcd of one member',
    note: () =>
      'An acknowledged change is on disk, on both sides of a ratio. etcd has no conditional change of a row: a write is one transaction that is refused if the row is not what this process remembers of it, and is then sent again with what it is.',
  },
}

/** Figure 8 where the paper measured it: each operation is requests to a store in another process. */
function figure8OnEngine(name: EngineName, size: Figure8Size): Experiment {
  const { rows, clients, seconds, repetitions } = size
  const store = sharedEngineStore(name, rows)
  const { title, note } = WORDS[name]
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
      `${clients} readers or writers at a time, over ${rows.toLocaleString('en')} rows. The transactions run in the process of the benchmark, which is a gateway; \`requestsPerOperation\` counts what it sends to the store, its share of the timestamps included, and \`engineCpuMicrosPerOperation\` is the store's own CPU time. \`roundTrips\` is how often one operation alone has to wait for calls of the cell store, where calls that are sent together are one.`,
      "In the paper the tablet server was what limited both sides of a ratio. Here gateway and store share the cores of one machine, so the ratio by the store's CPU time alone is the one to compare.",
      'The paper counts no timestamps. Reads at one snapshot take one for a thousand reads; all other transactions take theirs from a row of the store, one request for all that wait.',
      note(),
    ],
  })
}

type Ratio = {
  readonly what: string
  readonly of: string
  readonly to: string
  readonly paper?: number
}

const READ: Ratio = {
  what: 'read at one snapshot / raw read',
  ...{ of: SHARED_READ, to: RAW_READ, paper: FIGURE_8_RATIOS.read },
}
const READ_ALONE: Ratio = {
  what: 'read in its own transaction / raw read',
  ...{ of: OWN_READ, to: RAW_READ },
}
const WRITE_ALONE: Ratio = {
  what: 'write / raw write',
  ...{ of: WRITE, to: RAW_WRITE, paper: FIGURE_8_RATIOS.write },
}

/** Ratios of rates; of what would be the rates if the store's CPU time were all that bounds them; and of requests. */
function goalsOf(name: EngineName): readonly Goal[] {
  const figure8 = `Figure 8 on ${name}`
  return [
    ...[READ, READ_ALONE, WRITE_ALONE].map((ratio) => ({
      ...ratio,
      what: `${figure8}: ${ratio.what}`,
    })),
    ...[READ, WRITE_ALONE].map(({ what, of, to, ...paper }): Goal => {
      // A rate is the inverse of a cost.
      const inverse = { of: to, to: of, figure: 'figures.engineCpuMicrosPerOperation' } as const
      return { what: `${figure8}, by its CPU time alone: ${what}`, ...inverse, ...paper }
    }),
    ...[READ, READ_ALONE, WRITE_ALONE].map(({ what, of, to }): Goal => {
      const counted = { of, to, figure: 'figures.requestsPerOperation' } as const
      return { what: `${figure8}, requests to it: ${what}`, ...counted, smallerIsBetter: true }
    }),
  ]
}

function plotsOf(name: EngineName, title: string): Plot[] {
  const titled = (what: string) => `Figure 8 over ${title}: ${what}`
  return [
    {
      ...{ name: `figure-8-${name}`, title: titled('relative to the raw store'), kind: 'goals' },
      ...{ figure: 'operationsPerSecond', yTitle: 'relative to the raw store' },
    },
    bars(`figure-8-${name}-rates`, titled('reads and writes'), 'operations per second'),
    bars(
      `figure-8-${name}-requests`,
      titled('requests to it'),
      'requests for each operation',
      'figures.requestsPerOperation',
    ),
  ]
}

type Prepare = (store: FilledStore) => Operation

function onEngine(
  name: string,
  shared: Shared<EngineStore>,
  prepare: Prepare,
  working: (prepare: Prepare) => (store: FilledStore) => Work,
): Contender {
  return onShared(name, shared, async (store) =>
    withEngineFigures(store, await roundTripsOf(prepare), working(prepare)(store)),
  )
}

/** A filled store in an engine of its own, whose gateway is this process. */
class EngineStore extends FilledStore {
  readonly #engine: SharedEngine

  private constructor(rows: number, opened: Opened) {
    super(rows, opened.cellStore, opened.storage)
    this.#engine = opened.engine
  }

  static async open(
    name: EngineName,
    rows: number,
    surroundings: Surroundings,
  ): Promise<EngineStore> {
    const folder = await surroundings.temporaryFolder(name)
    // A single server, as the paper's.
    const engine = await startEngine(name, { members: 1, folder })
    try {
      const cellStore = await engine.open('bench')
      const storage = await openGateway(cellStore, { ownsCellStore: true })
      const store = new EngineStore(rows, { engine, cellStore, storage })
      await store.fillRaw(surroundings)
      await store.fillTransactions(surroundings)
      return store
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  /** Requests that this process has sent to the engine since it opened the store. */
  requestsSent(): number {
    let sum = 0
    for (const count of this.cellStore.requestsSent?.values() ?? []) sum += count
    return sum
  }

  /** Of the engine's own processes; 0 where the system tells none. */
  engineCpuSeconds(): number {
    return cpuSecondsOfTrees(this.#engine.processIds())
  }

  override async close(): Promise<void> {
    try {
      await super.close()
    } finally {
      await this.#engine.close()
    }
  }
}

type Opened = {
  readonly engine: SharedEngine
  readonly cellStore: CellStore
  readonly storage: Storage
}

/** One store for all contenders of an experiment. */
function sharedEngineStore(name: EngineName, rows: number): Shared<EngineStore> {
  return new Shared((surroundings) => EngineStore.open(name, rows, surroundings))
}

/**
 * The work, with what the engine had to do with it: how many requests it was sent for each operation, and its own CPU
 * time. The CPU time of the sample is that of both processes. `roundTrips` are told with them.
 */
function withEngineFigures(store: EngineStore, roundTrips: number, work: Work): Work {
  return async (seconds, signal) => {
    const sentBefore = store.requestsSent()
    const cpuBefore = store.engineCpuSeconds()
    const sample = await work(seconds, signal)
    const cpuSeconds = store.engineCpuSeconds() - cpuBefore
    const operations = Math.max(1, sample.operations)
    return {
      ...sample,
      cpuSeconds: sample.cpuSeconds + cpuSeconds,
      figures: {
        ...sample.figures,
        roundTrips,
        requestsPerOperation: (store.requestsSent() - sentBefore) / operations,
        engineCpuMicrosPerOperation: (cpuSeconds * 1e6) / operations,
      },
    }
  }
}
