// SPDX-License-Identifier: Apache-2.0

import { wholeNumber } from '../harness/command-line.ts'
import type { Suite } from '../harness/experiment.ts'
import { FIGURE_8_SIZES, figure8OnEngines } from './figure-8-on-engines.ts'
import { TIMESTAMPS_SIZES, timestampsOnEngines } from './timestamps-on-engines.ts'

const ROWS_MIN = 500
const ROWS_MAX = 1_000_000
const CLIENTS_MAX = 1_000

/** Transactions over stores in other processes, which is what the paper measured. */
export const enginesSuite: Suite = {
  title: "Transactions over Bigtable's emulator and etcd",
  defaults: { seconds: 2, repetitions: 5 },
  options: {
    rows: {
      default: String(FIGURE_8_SIZES.alone.rows),
      help: 'rows of 100 bytes that each store holds twice',
    },
    clients: {
      default: String(FIGURE_8_SIZES.alone.clients),
      help: 'readers, or writers, at a time',
    },
  },
  experiments(options) {
    const rows = wholeNumber('rows', options.rows ?? '', ROWS_MAX, ROWS_MIN)
    const clients = wholeNumber('clients', options.clients ?? '', CLIENTS_MAX)
    return [...figure8OnEngines({ rows, clients }), ...timestampsOnEngines(TIMESTAMPS_SIZES.alone)]
  },
  notes: [
    'Stores, gateways and drivers share one machine, and take its cores from each other. Only ratios are comparable.',
  ],
}
