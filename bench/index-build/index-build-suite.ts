// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fillDataDirectory, insertAll, makeTable, tableOf } from '../embedded/data-directory.ts'
import type { Experiment, Suite } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { Shared } from '../harness/shared.ts'
import { requestLoad } from '../http/http-contenders.ts'
import { itemId, itemValue, rowsOf } from '../load/data.ts'
import { loadedContender, type Sampling } from '../load/loaded-contender.ts'
import { Random } from '../load/random.ts'
import {
  PERCOLITE_OPTIONS,
  type PercoliteOptions,
  type PercoliteServer,
  startCommand,
  startPercolite,
} from '../servers/percolite-server.ts'
import { mebibytesOf } from '../servers/process-figures.ts'

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
    await fillDataDirectory(join(folder, 'data'), async (storage) => {
      await makeTable(storage, tableOf('item', { id: 'text', value: 'text' }, ['id']))
      await insertAll(storage, 'item', itemRows(rows), surroundings)
    })
    return { ...(await startPercolite(folder, options)), folder }
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
      contender(NAMES.check, ({ server }) => checkStopped(server, rows, options)),
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

const LOOK_MS = 100
const MEMORY_LOOK_MS = 50

/** A server over a table of so many items, and the folder that it works in. */
type IndexedServer = PercoliteServer & { readonly folder: string }

/** Resolves when the index is ready, to the seconds that took; tells its progress meanwhile. */
async function buildIndex(
  server: PercoliteServer,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<number> {
  const startedMs = performance.now()
  await server.query({ sql: 'CREATE INDEX itemByValue ON item (value)' })
  for (;;) {
    signal.throwIfAborted()
    const { results } = (await server.query({ sql: 'SHOW INDEXES FROM item' })) as {
      results: readonly { readonly rows: readonly Record<string, unknown>[] }[]
    }
    const { state, progress, failure } = results[0]?.rows[0] ?? {}
    const seconds = (performance.now() - startedMs) / 1000
    if (state === 'ready') return seconds
    if (state !== 'building') throw new Error(`the index is ${state}: ${failure}`)
    const rows = Number(progress).toLocaleString('en')
    say(`SHOW INDEXES: ${rows} rows after ${seconds.toFixed(0)} s`)
    await delay(LOOK_MS)
  }
}

/** Stops the server and checks what it leaves behind: each cell, and each entry with its row. */
async function checkStopped(
  server: IndexedServer,
  rows: number,
  { tree }: PercoliteOptions,
): Promise<Sample> {
  await server.close()
  const startedMs = performance.now()
  const { main } = startCommand(tree)
  const args = [main, 'check', '--json', '--data', join(server.folder, 'data')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let peakMiB = 0
  const watch = setInterval(() => {
    peakMiB = Math.max(peakMiB, mebibytesOf(child.pid, 'VmHWM'))
  }, MEMORY_LOOK_MS)
  const output = await text(child.stdout)
  clearInterval(watch)
  const { problemCount, tables } = JSON.parse(output)
  const indexes = tables.flatMap((table: { indexes: { entries: number }[] }) => table.indexes)
  const entries = indexes.reduce((sum: number, one: { entries: number }) => sum + one.entries, 0)
  const seconds = (performance.now() - startedMs) / 1000
  const wrongEntries = problemCount + Math.abs(rows - entries)
  return { operations: entries, seconds, cpuSeconds: 0, figures: { wrongEntries, peakMiB } }
}

const LOAD_SEED = 1

/** The items of `load/data.ts`. */
function* itemRows(rows: number): Iterable<readonly string[]> {
  const random = new Random(LOAD_SEED)
  for (let number = 0; number < rows; number += 1) {
    yield [itemId(number), itemValue(random, number)]
  }
}
