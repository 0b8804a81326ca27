// SPDX-License-Identifier: Apache-2.0

import { FIGURE_7_HOUR, FIGURE_7_QUICK, figure7 } from '../clustering/figure-7.ts'
import { FIGURE_8_SIZES, figure8OnEngines } from '../engines/figure-8-on-engines.ts'
import { TIMESTAMPS_SIZES, timestampsOnEngines } from '../engines/timestamps-on-engines.ts'
import { hotRow } from '../feed/hot-row.ts'
import type { Experiment } from '../harness/experiment.ts'
import type { RunnableSuite } from '../harness/run-suite.ts'
import { figure8 } from '../micro/figure-8.ts'
import { timestamps } from '../micro/timestamps.ts'
import { oneCommit } from '../notifications/one-commit.ts'
import { scanning } from '../notifications/scanning.ts'
import { FIGURE_10_SIZES, figure10 } from '../recovery/figure-10.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import { figure9OfPaper } from './figure-9-of-paper.ts'
import { paperPage } from './page/paper-page.ts'
import { trimmed } from './write-paper.ts'

/** How much of each figure is measured: as a part of an hour, and of ten minutes. */
export type PaperSize = 'hour' | 'quick'

/** The experiments of other suites that measure what the paper measured, and one page of all. */
export const paperSuite: RunnableSuite = {
  title: 'The evaluation of the Percolator paper, measured again',
  defaults: { seconds: 1, repetitions: 5 },
  options: {
    quick: { default: '', help: 'a fifth of everything, in ten minutes', isSwitch: true },
    ...PERCOLITE_OPTIONS,
  },
  experiments: (options) => experimentsOf(options.quick === 'yes' ? 'quick' : 'hour', options),
  notes: [
    'Each experiment is one of another suite, with the sizes of this one; `--only` runs some of them.',
  ],
  pages: async (report) => new Map([['paper.html', await paperPage(trimmed(report))]]),
}

const CLUSTERING_SEED = 1

const SIZES = {
  hour: {
    ...{ rows: 50_000, repetitions: 5, hotRow: 5 },
    ...{ clustering: FIGURE_7_HOUR, scanning: { seconds: 20, repetitions: 3 } },
  },
  quick: {
    ...{ rows: 10_000, repetitions: 3, hotRow: 2 },
    ...{ clustering: FIGURE_7_QUICK, scanning: { seconds: 10, repetitions: 1 } },
  },
} as const

/** In the order of the paper. */
function experimentsOf(
  size: PaperSize,
  options: Readonly<Record<string, string>>,
): readonly Experiment[] {
  const { rows, repetitions, clustering, scanning: scanned, hotRow: hotRowSeconds } = SIZES[size]
  const sized = (experiment: Experiment, seconds: number): Experiment => {
    return { ...experiment, seconds, repetitions }
  }
  return [
    sized(timestamps(), 1),
    ...timestampsOnEngines(TIMESTAMPS_SIZES[size]),
    scanning({ rows: 16_384, dirty: 4_096, ...scanned }),
    sized(oneCommit(), hotRowSeconds),
    sized(hotRow(options), hotRowSeconds),
    figure7(clustering, { seed: CLUSTERING_SEED, percolite: options }),
    { ...figure8(rows), repetitions },
    ...figure8OnEngines(FIGURE_8_SIZES[size]),
    ...figure9OfPaper(size, options),
    ...figure10(FIGURE_10_SIZES[size]),
  ]
}
