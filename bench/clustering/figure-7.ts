// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os'
import type { Experiment, Goal, Plot } from '../harness/experiment.ts'
import { Shared } from '../harness/shared.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import { batchContender } from './batch/batch-contender.ts'
import type { PassVariant } from './batch/passes.ts'
import type { DocumentsOrder } from './documents/documents.ts'
import type { Field } from './field.ts'
import { figure7Notes } from './figure-7-notes.ts'
import type { Figure7Size } from './figure-7-size.ts'
import { INCREMENTAL, incrementalContender } from './incremental/incremental-contender.ts'
import { openField } from './open-field.ts'
import { SATURATION, saturationContender } from './saturation-contender.ts'

export type Figure7Options = {
  readonly seed: number
  /** For the server. */
  readonly percolite: PercoliteOptions
}

const VARIANTS: readonly PassVariant[] = ['batch-full', 'batch-lean']

const PAPER_SATURATION_PERCENT = 40

/** The paper's Figure 7: how long a document waits for its cluster, over how fast documents are crawled. */
export function figure7(size: Figure7Size, options: Figure7Options): Experiment {
  const { documents: repository, rates } = size
  const { seed, percolite } = options
  const documents: DocumentsOrder = { repository, seed }
  const workers = availableParallelism()
  const field = new Shared<Field>((surroundings) =>
    openField({ documents, percolite, workers }, surroundings),
  )
  const name = `figure-7-${repository}`
  const [lowest = 1] = rates
  const isSearched = size.bisections > 0
  const goals = goalsOf(lowest).filter(({ of }) => isSearched || of !== SATURATION)
  return {
    ...{ name, goals },
    title: `Delay of clustering, ${repository.toLocaleString('en')} documents`,
    unit: 'documents',
    contenders: [
      ...rates.flatMap((percent) => [
        incrementalContender(field, percent),
        ...VARIANTS.map((variant) => batchContender(field, variant, percent)),
      ]),
      ...(isSearched ? [saturationContender(field, size.bisections)] : []),
    ],
    seconds: size.seconds,
    // What follows from the rates is found after them, so each is measured once; the passes run three times in it.
    ...{ repetitions: 1, warmUpSeconds: 0 },
    plots: [plotOf(name, repository), backlogPlotOf(name, rates)],
    notes: figure7Notes(size, workers),
  }
}

function goalsOf(lowest: number): readonly Goal[] {
  const at = (series: string) => `${series}, ${lowest} %`
  const observers = at(INCREMENTAL)
  // Of its lowest rate.
  const paper = (value: number) => (lowest === 1 ? { paper: value } : {})
  return [
    ...VARIANTS.map(
      (variant): Goal => ({
        what: `delay at ${lowest} %: ${variant} / ${INCREMENTAL}`,
        ...{ of: at(variant), to: observers, figure: 'figures.delayP50Ms' },
        ...(variant === 'batch-full' ? paper(1_000) : {}),
      }),
    ),
    ...[...VARIANTS, INCREMENTAL].map(
      (series): Goal => ({
        what: `delay at ${lowest} % of ${series}, as multiples of T0`,
        ...{ of: at(series), figure: 'figures.delayInT0', smallerIsBetter: true },
        ...(series === 'batch-full' ? paper(30 / 20) : {}),
        ...(series === INCREMENTAL ? paper(2 / 1_200) : {}),
      }),
    ),
    {
      ...{ what: `saturation of ${INCREMENTAL}`, of: SATURATION, unit: '%' },
      paper: PAPER_SATURATION_PERCENT,
      figure: 'figures.saturationPercent',
    },
    ...(['full', 'lean'] as const).flatMap((variant): readonly Goal[] => [
      {
        what: `saturation of batch-${variant}, continued (paper: above 100 %)`,
        ...{ of: SATURATION, unit: '%', figure: `figures.${variant}SaturationPercent` },
      },
      {
        what: `cross-over with batch-${variant}`,
        ...{ of: SATURATION, unit: '%', figure: `figures.crossOver${titled(variant)}Percent` },
      },
      {
        what: `cross-over with batch-${variant} by CPU time for a document`,
        ...{ of: SATURATION, unit: '%', figure: `figures.costCrossOver${titled(variant)}Percent` },
      },
    ]),
    {
      ...{ what: 'documents in a cluster, on average', of: observers, unit: '' },
      paper: 3.3,
      figure: 'figures.documentsPerCluster',
    },
    {
      ...{ what: 'documents in a cluster of two or more', of: observers, unit: '%' },
      paper: 93,
      figure: 'figures.sharedPercent',
    },
    {
      ...{ what: `look-ups of a document at ${lowest} %`, of: observers, unit: '' },
      figure: 'figures.lookupsPerDocument',
    },
  ]
}

function titled(variant: 'full' | 'lean'): 'Full' | 'Lean' {
  return variant === 'full' ? 'Full' : 'Lean'
}

function plotOf(name: string, repository: number): Plot {
  return {
    name,
    title: `Delay of clustering, repository of ${repository.toLocaleString('en')} documents`,
    subtitle: `median; bars: ${INCREMENTAL} 5th to 95th percentile of documents, passes three runs`,
    figure: 'figures.delayP50Ms',
    ranges: { low: 'figures.barLowMs', high: 'figures.barHighMs' },
    yTitle: 'ms from crawled to clustered',
    xTitle: 'percent of the repository crawled in a benchmark hour (3 T0)',
    kind: 'lines',
    ...{ xLogarithmic: true, yLogarithmic: true },
    rules: [
      {
        label: `${INCREMENTAL} saturates`,
        x: { contender: SATURATION, figure: 'figures.saturationPercent' },
      },
      { label: 'Percolator saturates, in the paper', x: PAPER_SATURATION_PERCENT },
    ],
  }
}

function backlogPlotOf(name: string, rates: readonly number[]): Plot {
  return {
    name: `${name}-backlog`,
    title: 'Documents that were crawled and are not clustered yet',
    kind: 'times',
    values: 'backlog',
    yTitle: 'documents',
    contenders: rates.map((percent) => `${INCREMENTAL}, ${percent} %`),
  }
}
