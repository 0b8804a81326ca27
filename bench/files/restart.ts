// SPDX-License-Identifier: Apache-2.0
import type { Experiment, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { type PercoliteOptions, startPercolite } from '../servers/percolite-server.ts'
import { cpuSecondsOfTree, mebibytesOf } from '../servers/process-figures.ts'
import { openStore } from '../stores/open-store.ts'
import { closedOnFailure, loadTable } from '../stores/start-store.ts'
import { recordKey, USERTABLE } from '../ycsb/record.ts'
import { loadedPieces } from './loaded-pieces.ts'

const NAME = 'load, kill -9, start'

/** The memory that a server takes while rows of a kilobyte are loaded, and its start after `kill -9`. */
export function restart(rows: number, options: PercoliteOptions): Experiment {
  const count = rows.toLocaleString('en')
  const goal = { of: NAME, smallerIsBetter: true } as const
  return {
    name: 'restart',
    title: `${count} rows of 1 kB: memory, and the start after kill -9`,
    unit: 'rows',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders: [
      {
        name: NAME,
        open: async (surroundings) => ({
          run: (_seconds, signal) => run(rows, options, surroundings, signal),
          close: async () => {},
        }),
      },
    ],
    goals: [
      {
        what: `${count} rows of 1 kB loaded, resident set`,
        ...{ ...goal, figure: 'figures.residentMiB', unit: 'MiB', must: 500, aim: 400 },
      },
      {
        what: `${count} rows of 1 kB, from the start after kill -9 to a row`,
        ...{ ...goal, figure: 'figures.startSeconds', unit: 's', must: 3, aim: 1 },
      },
    ],
    plots: [],
    notes: [
      'The server is killed while a request is under way. `startSeconds` is the time from the start of the next process to its answer to a GET of the last row that was acknowledged, which has to be there.',
    ],
  }
}

async function run(
  rows: number,
  options: PercoliteOptions,
  { say, temporaryFolder }: Surroundings,
  signal: AbortSignal,
): Promise<Sample> {
  const folder = await temporaryFolder('percolite')
  const server = await startPercolite(folder, options)
  const settings = { kind: 'percolite', origin: server.origin } as const
  const seconds = await closedOnFailure(server, () =>
    loadTable(settings, USERTABLE, loadedPieces(rows, { say, signal })),
  )
  const residentMiB = mebibytesOf(server.pid, 'VmHWM')
  const cpuSeconds = cpuSecondsOfTree(server.pid) ?? 0
  const store = await openStore(settings, USERTABLE, 1)
  // Nobody waits for its answer.
  store.update(0, recordKey(0), [[0, 'changed']]).catch(() => {})
  await server.kill()
  await store.close()
  const startedMs = performance.now()
  const next = await startPercolite(folder, options)
  try {
    const reader = await openStore({ kind: 'percolite', origin: next.origin }, USERTABLE, 1)
    await reader.get(0, recordKey(rows - 1))
    const startSeconds = (performance.now() - startedMs) / 1000
    await reader.close()
    return { operations: rows, seconds, cpuSeconds, figures: { residentMiB, startSeconds } }
  } finally {
    await next.close()
  }
}
