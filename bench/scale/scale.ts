// SPDX-License-Identifier: Apache-2.0

import { numberOf } from '../harness/command-line.ts'
import type { Suite } from '../harness/experiment.ts'
import { growth } from './growth.ts'
import { memory } from './memory.ts'

const ROWS_MIN = 1_000

/** What operations cost as the data grows, and what memory it takes. */
export const scaleSuite: Suite = {
  title: 'Cost and memory as the data grows, in process',
  defaults: { seconds: 2, repetitions: 5 },
  options: {
    rows: { default: '10000000', help: 'rows of 100 bytes of the largest store' },
    'memory-rows': { default: '1000000', help: 'rows loaded and scanned for memory' },
  },
  experiments(options) {
    const rowsOf = (flag: string) => numberOf(flag, options[flag] ?? '', ROWS_MIN)
    return [growth(rowsOf('rows')), memory(rowsOf('memory-rows'))]
  },
  notes: [
    'Rows are written by transactions of 1,000 rows each; what is read may lie in the cache of the operating system, which is larger than most of these stores.',
  ],
}
