// SPDX-License-Identifier: Apache-2.0
import { numberOf } from '../harness/command-line.ts'
import type { Suite } from '../harness/experiment.ts'
import { growth } from './growth.ts'
import { memory } from './memory.ts'

const ROWS = 10_000_000
const MEMORY_ROWS = 1_000_000
const ROWS_MIN = 1_000

/** What operations cost as the data grows, and what memory it takes. */
export const scaleSuite: Suite = {
  title: 'Cost and memory as the data grows, in process',
  defaults: { seconds: 2, repetitions: 5 },
  options: {
    rows: { default: String(ROWS), help: 'rows of 100 bytes of the largest store' },
    'memory-rows': { default: String(MEMORY_ROWS), help: 'rows loaded and scanned for memory' },
  },
  experiments(options) {
    const rows = numberOf('rows', options.rows, ROWS, ROWS_MIN)
    const memoryRows = numberOf('memory-rows', options['memory-rows'], MEMORY_ROWS, ROWS_MIN)
    return [growth(rows), memory(memoryRows)]
  },
  notes: [
    'Rows are written by transactions of 1,000 rows each; what is read may lie in the cache of the operating system, which is larger than most of these stores.',
  ],
}
