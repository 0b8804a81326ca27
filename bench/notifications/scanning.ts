// SPDX-License-Identifier: Apache-2.0
import type { Contender, Experiment } from '../harness/experiment.ts'
import { DirtyTable } from './dirty-table.ts'
import { type Movement, scanWithWorkers } from './scanning-workers.ts'

const WORKERS = 8

type ScanningSize = {
  readonly rows: number
  readonly dirty: number
  /** Of each sample, of which the plots have the last. */
  readonly seconds: number
  readonly repetitions: number
}

const SCANNING_SIZE: ScanningSize = {
  ...{ rows: 16_384, dirty: 4_096 },
  ...{ seconds: 20, repetitions: 3 },
}

const NAMES = {
  'goes round': 'workers that go round',
  teleports: 'workers that teleport where they meet',
} as const satisfies Record<Movement, string>

/** Workers that look for notifications clump together, unless they jump away where they meet (paper 2.4). */
export function scanning(size: ScanningSize = SCANNING_SIZE): Experiment {
  const { rows, dirty, seconds, repetitions } = size
  const movements = ['goes round', 'teleports'] as const
  return {
    name: 'scanning',
    title: `${WORKERS} workers look for notifications: ${dirty.toLocaleString('en')} of ${rows.toLocaleString('en')} rows have one at any time`,
    unit: 'runs',
    ...{ seconds, repetitions, warmUpSeconds: 0 },
    contenders: movements.map((movement) => contender(movement, size)),
    goals: [
      {
        what: 'runs, with teleporting / without',
        ...{ of: NAMES.teleports, to: NAMES['goes round'] },
      },
      {
        what: 'different places of the workers, with teleporting / without',
        ...{ of: NAMES.teleports, to: NAMES['goes round'], figure: 'figures.places' },
      },
    ],
    plots: [
      {
        ...{ name: 'scanning-places', title: 'Different places in which the workers are' },
        ...{ kind: 'times', values: 'places', yTitle: 'places' },
      },
      {
        ...{ name: 'scanning-runs', title: 'Notifications that were run' },
        ...{ kind: 'times', values: 'runs', yTitle: 'runs per second' },
      },
    ],
    notes: [
      'Each worker has a scanner of the product, over one durable store. A row that was run makes another one dirty, so that there is always as much to do. Workers that are nearer to each other than a 64th of the table are in one place. `inVainPerRun` are rows that a worker found and another one had taken meanwhile; `waitedP50Ms` and `waitedP99Ms` are how long rows had been dirty when they were run.',
      'Those that go round begin in random places, and each round where the one before ended. The product always teleports.',
    ],
  }
}

function contender(movement: Movement, { rows, dirty }: ScanningSize): Contender {
  return {
    name: NAMES[movement],
    async open({ temporaryFolder }) {
      const dataDirectory = await temporaryFolder('dirty')
      const table = await DirtyTable.open({ dataDirectory, rows, dirty })
      return {
        run: (seconds, signal) =>
          scanWithWorkers(table, { workers: WORKERS, movement }, seconds, signal),
        close: () => table.close(),
      }
    },
  }
}
