// SPDX-License-Identifier: Apache-2.0

/** A number of the paper itself, and where it stands there. */
export type PaperNumber = {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly where: string
}

const CLUSTERING = 'section 3.1'
const FIGURE_7 = 'section 3.1, Figure 7'
const FIGURE_8 = 'section 3.2, Figure 8'
const FIGURE_9 = 'section 3.3, Figure 9'

/**
 * All numbers of "Large-scale Incremental Processing Using Distributed Transactions and Notifications"
 * (Peng and Dabek, OSDI 2010) that the page has. What it says of its own run comes from the report.
 */
export const PAPER_NUMBERS = {
  timestamps: number('timestamps from one oracle, about', 2_000_000, 'a second', 'section 2.3'),
  'commits for a change': number(
    'commits of an observer for a change, at most',
    1,
    '',
    'section 2.4',
  ),
  'machines of the clustering': number('machines that clustered documents', 240, '', CLUSTERING),
  keys: number('clustering keys to choose from', 750, 'M', CLUSTERING),
  'cluster size': number('documents in a cluster', 3.3, '', CLUSTERING),
  'in clusters': number('documents that are in a cluster with others', 93, '%', CLUSTERING),
  'low rate': number('the lowest crawl rate', 1, '% an hour', FIGURE_7),
  'batch run': number('a sequence of MapReduces, about', 20, 'minutes', CLUSTERING),
  'batch delay': number(
    'a document in batches at the lowest rate, about',
    30,
    'minutes',
    CLUSTERING,
  ),
  'incremental delay': number(
    'a document in Percolator at the lowest rate',
    2,
    'seconds',
    CLUSTERING,
  ),
  faster: number('so many times faster, about', 1_000, '', CLUSTERING),
  saturation: number('the crawl rate that is too much for Percolator', 40, '% an hour', FIGURE_7),
  'raw reads': number('reads of Bigtable', 15_513, 'a second', FIGURE_8),
  reads: number('reads of Percolator', 14_590, 'a second', FIGURE_8),
  'relative reads': number('reads, relative', 0.94, '', FIGURE_8),
  'raw writes': number('writes of Bigtable', 31_003, 'a second', FIGURE_8),
  writes: number('writes of Percolator', 7_232, 'a second', FIGURE_8),
  'relative writes': number('writes, relative', 0.23, '', FIGURE_8),
  'fewest cores': number('cores of the smallest run', 11, '', FIGURE_9),
  'most cores': number('cores of the largest run', 15_000, '', FIGURE_9),
  transactions: number('its transactions', 11_200, 'a second', FIGURE_9),
  'each core': number('for each core, by division', 0.75, 'a second', FIGURE_9),
  'cores of the record': number('cores of the database with the record', 64, '', FIGURE_9),
  'transactions of the record': number('its transactions', 3_183, 'a second', FIGURE_9),
  'each core of the record': number('for each core, by division', 49.7, 'a second', FIGURE_9),
  'times more': number(
    'so many times more processor time, by its authors’ estimate',
    30,
    '',
    'sections 3.3 and 5',
  ),
  'tablet servers': number('tablet servers', 15, '', 'section 3.3, Figure 10'),
  killed: number('of them, killed at once', 33, '%', 'section 3.3, Figure 10'),
} as const satisfies Readonly<Record<string, PaperNumber>>

export type PaperNumberName = keyof typeof PAPER_NUMBERS

/** `11,200`, as the paper writes it. */
export function paperText(name: PaperNumberName): string {
  return PAPER_NUMBERS[name].value.toLocaleString('en')
}

function number(what: string, value: number, unit: string, where: string): PaperNumber {
  return { what, value, unit, where }
}
