// SPDX-License-Identifier: Apache-2.0
import type { Suite } from '../harness/experiment.ts'
import { numberOf } from '../harness/flag-values.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import { loading } from './loading.ts'
import { restart } from './restart.ts'

const ROWS_MIN = 100

/** What rows of a kilobyte and more cost on disk, in memory and at the next start. */
export const filesSuite: Suite = {
  title: 'Bytes on disk and in memory, and the start after kill -9',
  defaults: { seconds: 1, repetitions: 1 },
  options: {
    rows: { default: '200000', help: 'rows loaded for the bytes on disk' },
    'restart-rows': { default: '1000000', help: 'rows loaded before kill -9' },
    ...PERCOLITE_OPTIONS,
  },
  experiments(options) {
    const rowsOf = (flag: string) => numberOf(flag, options[flag] ?? '', ROWS_MIN)
    return [loading(rowsOf('rows'), options), restart(rowsOf('restart-rows'), options)]
  },
}
