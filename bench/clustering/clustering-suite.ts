// SPDX-License-Identifier: Apache-2.0

import { listOf, wholeNumber } from '../harness/command-line.ts'
import { type Suite, UsageError } from '../harness/experiment.ts'
import { loadGeneratorNote } from '../load/load-process.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import { FIGURE_7_HOUR, FIGURE_7_QUICK, type Figure7Size, figure7 } from './figure-7.ts'

const DOCUMENTS_MAX = 10_000_000
const PERCENT_MAX = 1_000
const SEED_MAX = 2 ** 31
const FULL_DOCUMENTS = [10_000, 1_000_000] as const

/** Incremental clustering by observers, compared with batch passes: the paper's Figure 7. */
export const clusteringSuite: Suite = {
  title: 'Incremental clustering compared with batch: Figure 7 of the paper',
  // Those of a crawl at one rate; a rate is measured once.
  defaults: { seconds: FIGURE_7_HOUR.seconds, repetitions: 1 },
  options: {
    documents: { default: '', help: 'of the repository (100,000; 10,000 with --quick)' },
    rates: {
      default: '',
      help: 'percent of the repository that are crawled in a benchmark hour (1,5,10,20,50)',
    },
    crawl: { default: '', help: 'seconds of the crawl at each rate (45; 15 with --quick)' },
    quick: { default: '', help: '10,000 documents and three rates: three minutes', isSwitch: true },
    full: { default: '', help: 'also 10,000 and 1,000,000 documents: hours', isSwitch: true },
    seed: { default: '1', help: 'of all documents' },
    ...PERCOLITE_OPTIONS,
  },
  experiments: (options) => {
    const size = sizeOf(options)
    const seed = wholeNumber('seed', options.seed ?? '', SEED_MAX)
    const others = options.full === 'yes' ? FULL_DOCUMENTS : []
    const sizes = others.filter((documents) => documents !== size.documents)
    return [size, ...sizes.map((documents) => ({ ...size, documents }))].map((one) =>
      figure7(one, { seed, percolite: options }),
    )
  },
  notes: [
    'One machine: server, crawler and passes share its cores. What is compared are two ways of clustering on the same store and the same machine.',
    loadGeneratorNote(),
  ],
}

function sizeOf(options: Readonly<Record<string, string>>): Figure7Size {
  const size = options.quick === 'yes' ? FIGURE_7_QUICK : FIGURE_7_HOUR
  const { documents = '', rates = '', crawl = '' } = options
  return {
    ...size,
    ...(documents === ''
      ? {}
      : { documents: wholeNumber('documents', documents, DOCUMENTS_MAX, 100) }),
    ...(rates === '' ? {} : { rates: ratesOf(rates) }),
    ...(crawl === '' ? {} : { seconds: wholeNumber('crawl', crawl, 3_600) }),
  }
}

function ratesOf(text: string): readonly number[] {
  const rates = listOf(text, Number)
  if (rates.every((rate) => rate > 0 && rate <= PERCENT_MAX)) return rates.toSorted((a, b) => a - b)
  throw new UsageError(`--rates ${text}: they are numbers up to ${PERCENT_MAX}, with commas.`)
}
