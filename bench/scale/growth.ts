// SPDX-License-Identifier: Apache-2.0

import { EmbeddedStore } from '../embedded/embedded-store.ts'
import type { Experiment, Goal, Plot } from '../harness/experiment.ts'
import { Shared } from '../harness/shared.ts'
import { LoadProcess } from '../load/load-process.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import type { MeasuredServer } from '../servers/measured-server.ts'
import { GROWTH_OPERATIONS, type GrowthSettings } from './growth-workload.ts'

const SMALLEST_ROWS = 10_000
/** The rows of the smallest store are in memory, so the ratio has no bound. */
const COMPARES_MEMORY = 'point read'

/** The same work over stores of 10 thousand, a tenth of, and all of `rows`, side by side. */
export function growth(rows: number): Experiment {
  const sizes = sizesUpTo(rows)
  const smallest = sizes[0] as number
  const largest = sizes.at(-1) as number
  const stores = sizes.map((size) => ({ size, store: grownStore(size) }))
  const contenders = GROWTH_OPERATIONS.flatMap((mix) =>
    stores.map(({ size, store }) =>
      loadedContender({
        name: contenderName(mix, size),
        point: { series: mix, x: size },
        server: store,
        load: ({ load }) => load,
        ...{ mix, clients: 1 },
        sample: async ({ server, run, seconds, signal }) => {
          return { ...(await run(seconds, signal)), figures: server.figures }
        },
      }),
    ),
  )
  return {
    name: 'growth',
    title: 'Cost of an operation as the table grows',
    unit: 'operations',
    contenders,
    goals: GROWTH_OPERATIONS.map((name): Goal => {
      const small = contenderName(name, smallest)
      const large = contenderName(name, largest)
      return {
        what: `cost of a ${name}, ${shortRows(largest)} rows / ${shortRows(smallest)} rows`,
        // How many times as many the small store does in the same time.
        ...{ of: small, to: large, smallerIsBetter: true },
        ...(name === COMPARES_MEMORY ? {} : { must: 2.5, aim: 1.5 }),
      }
    }),
    plots: [PLOT],
    notes: [
      'Each store is in a process of its own.',
      'A point read is one in a transaction. The newest records of 131,072 rows are kept in memory: nearly all of the smallest store, and hardly any of the largest. A look-up in the store is what it costs where they are not.',
      '`loadRowsPerSecond` is how fast the store was filled; `storeMiB` its files before anything was measured.',
    ],
  }
}

const PLOT: Plot = {
  name: 'growth',
  title: 'Operations per second as the table grows',
  figure: 'operationsPerSecond',
  kind: 'lines',
  xTitle: 'rows of the table',
  yTitle: 'operations per second',
  xLogarithmic: true,
  yLogarithmic: true,
}

function sizesUpTo(rows: number): number[] {
  const sizes = [SMALLEST_ROWS, Math.floor(rows / 10), rows]
  return [...new Set(sizes)].filter((size) => size <= rows).sort((left, right) => left - right)
}

function contenderName(operation: string, rows: number): string {
  return `${operation}, ${shortRows(rows)} rows`
}

function shortRows(rows: number): string {
  if (rows >= 1e6) return `${rows / 1e6} M`
  return rows >= 1e3 ? `${rows / 1e3} k` : String(rows)
}

const WORKLOAD = new URL('./growth-workload.ts', import.meta.url).href

type GrownStore = MeasuredServer & {
  readonly load: LoadProcess
  readonly figures: ReturnType<EmbeddedStore['figures']>
}

/**
 * A store of so many rows in a process of its own, as a server has it: in one process with others they
 * would share a heap, and what its garbage collector costs. Filled by the first of its contenders.
 */
function grownStore(rows: number): Shared<GrownStore> {
  return new Shared(async (surroundings) => {
    const store = await EmbeddedStore.open(
      { rows, commit: 'auto', fill: 'transactions' },
      surroundings,
    )
    const { dataDirectory } = store
    const figures = store.figures()
    await store.close()
    const settings: GrowthSettings = { dataDirectory, rows }
    const order = { module: WORKLOAD, settings, clients: 1, seed: 1, holdsStore: true }
    const load = await LoadProcess.open(order)
    return { load, figures, pid: process.pid, inProcess: true, close: () => load.close() }
  })
}
