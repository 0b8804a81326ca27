// SPDX-License-Identifier: Apache-2.0
import type { Experiment, Suite, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { rowsOf } from '../load/data.ts'
import type { HttpSettings } from '../load/http-workload.ts'
import { LoadProcess } from '../load/load-process.ts'
import type { PeerContender } from '../servers/installed-peers.ts'
import { SharedServer, serverCpuDuring } from '../servers/measured-server.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import { IndexedServer } from './indexed-server.ts'

const WRITERS = 16
const SEED = 20_061_106
/** Until it is told to stop. */
const ENDLESS_SECONDS = 24 * 3600
const WORKLOAD = new URL('../load/http-workload.ts', import.meta.url).href

/** An index is built over a table that sixteen clients write all the time. */
export const indexBuildSuite: Suite = {
  title: 'CREATE INDEX under writers',
  defaults: { seconds: 10, repetitions: 1 },
  options: {
    rows: { default: '1000000', help: 'rows of the table' },
    ...PERCOLITE_OPTIONS,
  },
  experiments: (options): readonly Experiment[] => [indexBuild(options)],
  notes: [
    `${WRITERS} writers, each a connection of one load process, set the indexed column of random rows to new values, one row a request, in a closed loop; an answer means that the write is on disk. The build can be measured once only, so there are no repetitions.`,
  ],
}

const NAMES = {
  before: `${WRITERS} writers before CREATE INDEX`,
  during: `${WRITERS} writers until the index is ready`,
  after: `${WRITERS} writers with the index ready`,
  check: 'percolite check afterwards',
} as const

function indexBuild(options: Readonly<Record<string, string>>): Experiment {
  const rows = rowsOf(options)
  const shared = new SharedIndexedServer(rows, options)
  return {
    name: 'index-build',
    title: `An index over ${rows.toLocaleString('en')} rows, built while they are written`,
    unit: 'writes',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders: [
      shared.contender(NAMES.before, ({ load }, seconds, signal) => load.run({ seconds }, signal)),
      shared.contender(NAMES.during, (open, _seconds, signal) =>
        buildUnderWriters(open, rows, signal),
      ),
      shared.contender(NAMES.after, ({ load }, seconds, signal) => load.run({ seconds }, signal)),
      shared.contender(NAMES.check, ({ server }) => checkEntries(server, rows)),
    ],
    goals: [
      {
        what: 'p99 of writers until the index is ready / before',
        of: NAMES.during,
        to: NAMES.before,
        figure: 'latency.p99',
        must: 5,
        aim: 2,
        smallerIsBetter: true,
      },
      {
        what: 'wrong, lost or extra entries',
        of: NAMES.check,
        figure: 'figures.wrongEntries',
        must: 0,
        aim: 0,
        smallerIsBetter: true,
        unit: '',
      },
    ],
    notes: [
      '`buildRowsPerSecond` is from CREATE INDEX to `ready` in SHOW INDEXES. The check compares every row with its entry and every entry with its row, offline; its operations are entries.',
    ],
  }
}

type Open = {
  readonly server: IndexedServer
  readonly load: LoadProcess
  readonly say: (text: string) => void
}

/** The one server of the experiment, and one load process for each contender. */
class SharedIndexedServer {
  readonly #rows: number
  readonly #options: Readonly<Record<string, string>>
  #shared: SharedServer<IndexedServer> | undefined

  constructor(rows: number, options: Readonly<Record<string, string>>) {
    this.#rows = rows
    this.#options = options
  }

  contender(
    name: string,
    run: (open: Open, seconds: number, signal: AbortSignal) => Promise<Sample>,
  ): PeerContender {
    return {
      name,
      program: undefined,
      open: async (surroundings) => {
        const shared = this.#serverIn(surroundings)
        const server = await shared.acquire(surroundings)
        const settings: HttpSettings = { origin: server.origin, request: 'set', rows: this.#rows }
        const order = { module: WORKLOAD, settings, clients: WRITERS, seed: SEED }
        const load = await LoadProcess.open(order)
        const { say } = surroundings
        return {
          run: async (seconds, signal) => {
            const measured = () => run({ server, load, say }, seconds, signal)
            const { result, cpuSeconds } = await serverCpuDuring(server, measured)
            return { ...result, driverCpuSeconds: result.cpuSeconds, cpuSeconds }
          },
          close: async () => {
            await load.close()
            await shared.release()
          },
        }
      },
    }
  }

  #serverIn({ signal, say }: Surroundings): SharedServer<IndexedServer> {
    const load = { rows: this.#rows, signal, say }
    this.#shared ??= new SharedServer('index-build', (folder) =>
      IndexedServer.start(folder, this.#options, load),
    )
    return this.#shared
  }
}

async function buildUnderWriters(
  { server, load, say }: Open,
  rows: number,
  signal: AbortSignal,
): Promise<Sample> {
  const built = new AbortController()
  const writing = load.run({ seconds: ENDLESS_SECONDS }, AbortSignal.any([signal, built.signal]))
  // Shown below, once the build has come to its end in whatever way.
  writing.catch(() => built.abort())
  try {
    const seconds = await server.buildIndex(AbortSignal.any([signal, built.signal]), say)
    built.abort()
    const sample = await writing
    const figures = { buildSeconds: seconds, buildRowsPerSecond: rows / seconds }
    return { ...sample, figures: { ...sample.figures, ...figures } }
  } finally {
    built.abort()
    await writing
  }
}

async function checkEntries(server: IndexedServer, rows: number): Promise<Sample> {
  const { entries, problems, seconds, peakMiB } = await server.checkStopped()
  const wrongEntries = problems + Math.abs(rows - entries)
  return { operations: entries, seconds, cpuSeconds: 0, figures: { wrongEntries, peakMiB } }
}
