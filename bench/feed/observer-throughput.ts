// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Contender, Experiment } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { batches } from '../load/data.ts'
import { LoadProcess } from '../load/load-process.ts'
import { SharedServer, serverCpuDuring } from '../servers/measured-server.ts'
import type { PercoliteOptions, PercoliteServer } from '../servers/percolite-server.ts'
import { observerFigures, startWithObservers } from './observer-server.ts'
import type { RemoteWorkersSettings } from './remote-workers.ts'

const REMOTE = new URL('./remote-workers.ts', import.meta.url).href
const ROWS_PER_SECOND = 4_000
const ROWS_PER_REQUEST = 500
const SEED = 20_061_106

const TABLES = [
  'CREATE TABLE source (id INTEGER PRIMARY KEY, n INTEGER)',
  'CREATE TABLE derived (id INTEGER PRIMARY KEY, n INTEGER)',
]

type Workers = {
  readonly name: string
  readonly observer: string
  /** How many run elsewhere; those in the server are in its module. */
  readonly remote?: number
}

const CONTENDERS: readonly Workers[] = [
  { name: 'in the server, 1 worker', observer: 'derive_by_1' },
  { name: 'in the server, 8 workers', observer: 'derive_by_8' },
  { name: 'elsewhere, 8 workers', observer: 'derive_elsewhere', remote: 8 },
]

/** How many rows a second are observed: a run for each reads the row and writes another one. */
export function observerThroughput(options: PercoliteOptions): Experiment {
  return {
    name: 'observers',
    title: 'Runs of a strong observer for different rows',
    unit: 'runs',
    contenders: CONTENDERS.map((workers) => contender(workers, options)),
    goals: [],
    notes: [
      'The rows are written while the observer is paused, and then it is resumed. Each run is a transaction that reads its row, writes one of another table and its acknowledgment, and is on disk when it ends; a worker elsewhere has three requests for each run beside the notification.',
    ],
  }
}

function contender({ name, observer, remote }: Workers, options: PercoliteOptions): Contender {
  const shared = new SharedServer(`observers-${observer}`, (folder) =>
    startWithObservers(folder, options, [...TABLES, `CREATE OBSERVER ${observer} ON source (n)`]),
  )
  return {
    name,
    open: async (surroundings) => {
      const server = await shared.acquire(surroundings)
      const { origin } = server
      await server.query({ sql: `ALTER OBSERVER ${observer} PAUSE` })
      const workers =
        remote === undefined
          ? undefined
          : await LoadProcess.open({
              module: REMOTE,
              settings: { origin, observer, workers: remote } satisfies RemoteWorkersSettings,
              clients: remote,
              seed: SEED,
            })
      return {
        run: (seconds, signal) => run(server, observer, seconds, signal),
        close: async () => {
          await workers?.close()
          await shared.release()
        },
      }
    },
  }
}

/** The observer is paused before and after; what is left over is written again by the next sample. */
async function run(
  server: PercoliteServer,
  observer: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Sample> {
  const rows = Math.ceil(ROWS_PER_SECOND * seconds)
  const n = Math.floor(performance.now())
  for (const ids of batches(rows, ROWS_PER_REQUEST)) {
    signal.throwIfAborted()
    const sql = 'SET n = $1 ON source WHERE id = $2'
    await server.query({ statements: ids.map((id) => ({ sql, params: [n, id] })) })
  }
  const before = await observerFigures(server, observer)
  const startedMs = performance.now()
  const { result, cpuSeconds } = await serverCpuDuring(server, async () => {
    await server.query({ sql: `ALTER OBSERVER ${observer} RESUME` })
    for (;;) {
      const figures = await observerFigures(server, observer)
      const elapsed = (performance.now() - startedMs) / 1000
      if (elapsed >= seconds || figures.pending === 0 || signal.aborted) return { figures, elapsed }
      await delay(Math.min(LOOK_MS, (seconds - elapsed) * 1000))
    }
  })
  await server.query({ sql: `ALTER OBSERVER ${observer} PAUSE` })
  const { figures, elapsed } = result
  return {
    operations: figures.runs - before.runs,
    seconds: elapsed,
    cpuSeconds,
    figures: { conflicts: figures.conflicts - before.conflicts },
  }
}

/** `pending` counts rows one by one, so it is not asked for too often. */
const LOOK_MS = 250
