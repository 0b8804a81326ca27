// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Experiment, Goal, Plot, Surroundings } from '../harness/experiment.ts'
import { Shared } from '../harness/shared.ts'
import { spreadOf } from '../report/statistics.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import { shapeOf } from './assignment/cluster-index.ts'
import { batchContender } from './batch/batch-contender.ts'
import { PassWorkers } from './batch/pass-workers.ts'
import { type PassVariant, runPasses } from './batch/passes.ts'
import { type DocumentsOrder, SyntheticDocuments } from './documents/synthetic-documents.ts'
import { baseOf, Field, type FieldOrder } from './field.ts'
import { INCREMENTAL, incrementalContender } from './incremental/incremental-contender.ts'
import { SATURATION, saturationContender } from './saturation-contender.ts'
import { loadRepository } from './store/tables.ts'

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

const KEYS =
  'Documents: 1 KB each, three keys uniformly from 0.75 for each document of the repository, as the paper has 750 M for a billion.'

/** What the rows of Figure 7 are, and what of them cannot be compared with the paper. */
function figure7Notes({ documents }: Figure7Size, workers: number): readonly string[] {
  return [
    KEYS,
    'The rule: a document joins the cluster of the first of its three keys that is known, and the keys before that become known for this cluster. The paper does not say how the keys combine; this reading gives its averages, and its "up to three" look-ups.',
    'percolite: the server as anybody starts it, durable, with a function that observes documents; an open loop writes those that are due over HTTP by one request at a time, of at most 100, each a transaction. Delay: the commit of the cluster minus when the document was to be crawled. That is when it was given its timestamp; it is on the disk some milliseconds later.',
    `batch-full and batch-lean: ${workers} threads read everything in the same server at one snapshot by pages of its HTTP, run three passes over files on the same disk (partition by the hash of a key, group, write, sync), follow the pointers, and write the clusters of new documents to the server by requests of 1,000. batch-full carries the payload through the passes, as MapReduces do; batch-lean carries ids and keys only, and is the stronger opponent. Only clusters that are new are written, since the earlier ones never change. So the same store costs a run one read of everything through the server (readSeconds), more than passes over files that lie there already, and saves it the copy of everything that is published.`,
    'T0 is the time of batch-full with nothing new; the benchmark hour is 3 T0, which has the geometry of the paper (20 minutes of 60). It is no hour.',
    'Delays are of the last three quarters of a crawl; of the passes those of three runs after a first one. Each rate has a fresh copy of the repository. Saturated means that the backlog still grows over the last third of the crawl by more than 5 % of the rate; then there is no delay. Saturation is found by bisection and is the middle of the last interval; that of the passes is their time over the documents that were new, as a line, continued, as the dotted line of the paper is.',
    'CPU time is that of all processes but the crawler, after the warm-up; where passes need less of it for a document than observers do is the cross-over as the paper explains it.',
    'After each run every document has been compared with a clustering of all of them offline, observers with passes in the order of their commits, passes with the rule of the observers; a difference is a failure of the run.',
    `The paper: 240 machines, a billion documents, 750 M keys; MapReduce about 20 minutes for a sequence and 30 for a document at 1 %, Percolator about 2 seconds, a thousand times less; Percolator saturates at 40 %, MapReduce above 100 %. Not comparable: one machine with a repository of ${documents.toLocaleString('en')} documents, which fits into its memory, no network between workers and store, no stragglers. The ratio grows with the repository, as the paper says: a smaller repository has a smaller one, and nothing is extrapolated here.`,
  ]
}

/** Before them one that is not measured: workers and server begin slowly. */
const RUNS = 3

/** Loads the repository, and measures T0 on a copy of it. */
async function openField(order: FieldOrder, surroundings: Surroundings): Promise<Field> {
  const folder = await surroundings.temporaryFolder('clustering')
  const documents = new SyntheticDocuments(order.documents)
  const { repository } = order.documents
  const clusters = await loadRepository(baseOf(folder), documents, repository, surroundings)
  const made = { documents, shape: shapeOf(clusters), folder }
  surroundings.say('T0, the passes over the repository')
  const t0Seconds = await timeOfPasses(
    new Field(order, { ...made, t0Seconds: Number.NaN }),
    surroundings.signal,
  )
  return new Field(order, { ...made, t0Seconds })
}

async function timeOfPasses(field: Field, signal: AbortSignal): Promise<number> {
  const { workers: count, documents } = field.order
  const workers = new PassWorkers(count)
  try {
    return await field.withServer('', async ({ origin }, { folder }) => {
      const seconds: number[] = []
      for (let run = 0; run <= RUNS; run += 1) {
        signal.throwIfAborted()
        const made = { origin, workers, folder: join(folder, `passes-${run}`) }
        const from = documents.repository
        const passes = await runPasses({ ...made, from, variant: 'batch-full' })
        if (run > 0) seconds.push(passes.seconds)
      }
      return spreadOf(seconds).median
    })
  } finally {
    await workers.close()
  }
}

export type Figure7Size = {
  /** Of the repository. */
  readonly documents: number
  /** Percent of the repository that are crawled in a benchmark hour, ascending. */
  readonly rates: readonly number[]
  /** Of the crawl at each rate; the passes take as long as they take. */
  readonly seconds: number
  /** Steps towards the rate of saturation; with 0 neither that nor what follows from it is looked for. */
  readonly bisections: number
}

/** In about a quarter of an hour. */
export const FIGURE_7_HOUR: Figure7Size = {
  ...{ documents: 100_000, rates: [1, 5, 10, 20, 50], seconds: 45, bisections: 4 },
}

/** In about three minutes. */
export const FIGURE_7_QUICK: Figure7Size = {
  ...{ documents: 10_000, rates: [1, 10, 40], seconds: 15, bisections: 2 },
}
