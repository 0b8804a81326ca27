// SPDX-License-Identifier: Apache-2.0
import type { Experiment } from '../harness/experiment.ts'
import { LoadProcess } from '../load/load-process.ts'
import type { MemorySettings } from './memory-workload.ts'

const MODULE = new URL('./memory-workload.ts', import.meta.url).href
const NAME = 'load, then scan'

/** The resident set of a process that loads a table and scans it, and does nothing else. */
export function memory(rows: number): Experiment {
  return {
    name: 'memory',
    title: `Resident memory while ${rows.toLocaleString('en')} rows of 100 bytes are loaded and scanned`,
    unit: 'rows',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders: [
      {
        name: NAME,
        async open({ temporaryFolder }) {
          const settings: MemorySettings = { dataDirectory: await temporaryFolder('memory'), rows }
          const order = { module: MODULE, settings, clients: 1, seed: 1, holdsStore: true }
          const load = await LoadProcess.open(order)
          return {
            run: (seconds, signal) => load.run({ seconds }, signal),
            close: () => load.close(),
          }
        },
      },
    ],
    goals: [
      {
        what: `${rows.toLocaleString('en')} rows loaded and scanned, resident set`,
        ...{ of: NAME, figure: 'figures.peakMiB' as const, unit: 'MiB' },
        ...{ must: 400, aim: 200, smallerIsBetter: true },
      },
    ],
    plots: [],
  }
}
