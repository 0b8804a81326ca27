// SPDX-License-Identifier: Apache-2.0

import { numberOf } from '../harness/command-line.ts'
import type { Suite } from '../harness/experiment.ts'
import { feedLog } from './feed-log.ts'
import { figure8 } from './figure-8.ts'
import { readOneCell, scan100 } from './reads.ts'
import { timestamps } from './timestamps.ts'
import { writeOneCell, writers } from './write-one-cell.ts'

const ROWS_MIN = 1_000

/** The transaction layer beside the raw store that it stands on, in one process. */
export const microSuite: Suite = {
  title: 'Transactions beside the raw store, in process',
  defaults: { seconds: 1, repetitions: 5 },
  options: { rows: { default: '50000', help: 'rows of 100 bytes that each store holds' } },
  experiments(options) {
    const rows = numberOf('rows', options.rows ?? '', ROWS_MIN)
    return [
      readOneCell(rows),
      scan100(rows),
      writeOneCell(rows),
      writers(rows),
      feedLog(rows),
      timestamps(),
      figure8(rows),
    ]
  },
  notes: [
    'Everything runs in one process: its CPU time is that of the driver, the store and its writer together.',
    'An acknowledged write is on disk (synchronous = FULL). Every write brings a value that was not there before.',
  ],
}
