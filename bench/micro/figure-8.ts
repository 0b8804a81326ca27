// SPDX-License-Identifier: Apache-2.0

import { sharedStore } from '../embedded/embedded-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { DURABLE_WRITE_SAMPLES, reading, writing } from '../embedded/work.ts'
import { bars, type Experiment } from '../harness/experiment.ts'
import { onShared } from '../harness/shared.ts'

/**
 * The paper's Figure 8, "The overhead of Percolator operations relative to Bigtable": random reads and
 * single-cell write transactions against one tablet server with everything in its cache.
 */
const PAPER = {
  bigtable: { read: 15_513, write: 31_003 },
  percolator: { read: 14_590, write: 7_232 },
}

export const FIGURE_8_RATIOS = {
  read: PAPER.percolator.read / PAPER.bigtable.read,
  write: PAPER.percolator.write / PAPER.bigtable.write,
}

/** For the notes of a report. */
export const FIGURE_8_PAPER = [
  'The paper, one tablet server:  read  Bigtable 15,513/s, Percolator 14,590/s, relative 0.94',
  '                               write Bigtable 31,003/s, Percolator  7,232/s, relative 0.23',
]

const WRITERS = 64
const RAW_READ = 'read, raw cell store'
const READ = 'read, Percolite'
const RAW_WRITE = 'write, raw cell store'
const ONE_PHASE = 'write, Percolite, one-phase'
const TWO_PHASE = 'write, Percolite, two-phase as in the paper'

export function figure8(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'one-phase' })
  const twoPhase = sharedStore({ rows, commit: 'two-phase', fill: 'transactions' })
  const title = 'Figure 8 of the paper: the overhead of transactions relative to the raw store'
  return {
    name: 'figure-8',
    title,
    unit: 'operations',
    ...DURABLE_WRITE_SAMPLES,
    contenders: [
      onShared(RAW_READ, store, reading(OPERATIONS.read.raw)),
      onShared(READ, store, reading(OPERATIONS.read.own)),
      onShared(RAW_WRITE, store, writing(OPERATIONS.write.raw, WRITERS)),
      onShared(ONE_PHASE, store, writing(OPERATIONS.write.own, WRITERS)),
      onShared(TWO_PHASE, twoPhase, writing(OPERATIONS.write.own, WRITERS)),
    ],
    goals: [
      {
        what: 'Figure 8, read / raw read',
        ...{ of: READ, to: RAW_READ, must: 0.85, aim: 0.97, paper: FIGURE_8_RATIOS.read },
      },
      {
        what: 'Figure 8, write / raw write, one-phase',
        ...{ of: ONE_PHASE, to: RAW_WRITE, must: 0.75, aim: 0.95, paper: FIGURE_8_RATIOS.write },
      },
      {
        what: 'Figure 8, write / raw write, two-phase',
        ...{ of: TWO_PHASE, to: RAW_WRITE, paper: FIGURE_8_RATIOS.write },
      },
    ],
    plots: [
      {
        name: 'figure-8',
        title,
        figure: 'operationsPerSecond',
        kind: 'goals',
        yTitle: 'relative to the raw store',
      },
      bars('figure-8-rates', 'Figure 8: reads and durable writes', 'operations per second'),
    ],
    notes: [
      ...FIGURE_8_PAPER,
      'Only what is relative can be compared: the paper writes to a replicated store on other machines, here a row goes to the disk of this one.',
    ],
  }
}
