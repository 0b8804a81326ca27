// SPDX-License-Identifier: Apache-2.0
import type { Experiment, Suite } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { Shared } from '../harness/shared.ts'
import { requestLoad } from '../http/http-contenders.ts'
import { rowsOf } from '../load/data.ts'
import { loadedContender, type Sampling } from '../load/loaded-contender.ts'
import { PERCOLITE_OPTIONS, type PercoliteOptions } from '../servers/percolite-server.ts'
import { buildIndex, checkStopped, type IndexedServer, startIndexed } from './indexed-server.ts'

const WRITERS = 16
/** Until it is told to stop. */
const ENDLESS_SECONDS = 24 * 3600

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
  const server = new Shared(async (surroundings) => {
    const folder = await surroundings.temporaryFolder('index-build')
    return await startIndexed(folder, options, { rows, ...surroundings })
  })
  const contender = (name: string, sample?: (of: Sampling<IndexedServer>) => Promise<Sample>) =>
    loadedContender({
      name,
      server,
      load: requestLoad('set', options),
      clients: WRITERS,
      ...(sample === undefined ? {} : { sample }),
    })
  return {
    name: 'index-build',
    title: `An index over ${rows.toLocaleString('en')} rows, built while they are written`,
    unit: 'writes',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders: [
      contender(NAMES.before),
      contender(NAMES.during, (sampling) => buildUnderWriters(sampling, rows)),
      contender(NAMES.after),
      contender(NAMES.check, ({ server }) => checkEntries(server, rows, options)),
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

async function buildUnderWriters(
  { server, run, signal, say }: Sampling<IndexedServer>,
  rows: number,
): Promise<Sample> {
  const built = new AbortController()
  const writing = run(ENDLESS_SECONDS, AbortSignal.any([signal, built.signal]))
  // Shown below, once the build has come to its end in whatever way.
  writing.catch(() => built.abort())
  try {
    const seconds = await buildIndex(server, AbortSignal.any([signal, built.signal]), say)
    built.abort()
    const sample = await writing
    const figures = { buildSeconds: seconds, buildRowsPerSecond: rows / seconds }
    return { ...sample, figures: { ...sample.figures, ...figures } }
  } finally {
    built.abort()
    await writing
  }
}

async function checkEntries(
  server: IndexedServer,
  rows: number,
  options: PercoliteOptions,
): Promise<Sample> {
  const { entries, problems, seconds, peakMiB } = await checkStopped(server, options)
  const wrongEntries = problems + Math.abs(rows - entries)
  return { operations: entries, seconds, cpuSeconds: 0, figures: { wrongEntries, peakMiB } }
}
