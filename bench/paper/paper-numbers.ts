// SPDX-License-Identifier: Apache-2.0

/** A number of the paper itself, and where it stands there. */
export type PaperNumber = {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly where: string
}

/**
 * All numbers of "Large-scale Incremental Processing Using Distributed Transactions and Notifications"
 * (Peng and Dabek, OSDI 2010) that the page has. What it says of its own run comes from the report.
 */
export const PAPER_NUMBERS = {
  timestamps: {
    ...{ what: 'timestamps from one oracle, about', value: 2_000_000, unit: 'a second' },
    where: 'section 2.3',
  },
  'commits for a change': {
    ...{ what: 'commits of an observer for a change, at most', value: 1, unit: '' },
    where: 'section 2.4',
  },
  'machines of the clustering': {
    ...{ what: 'machines that clustered documents', value: 240, unit: '' },
    where: 'section 3.1',
  },
  keys: { what: 'clustering keys to choose from', value: 750, unit: 'M', where: 'section 3.1' },
  'cluster size': { what: 'documents in a cluster', value: 3.3, unit: '', where: 'section 3.1' },
  'in clusters': {
    ...{ what: 'documents that are in a cluster with others', value: 93, unit: '%' },
    where: 'section 3.1',
  },
  'low rate': {
    what: 'the lowest crawl rate',
    value: 1,
    unit: '% an hour',
    where: 'section 3.1, Figure 7',
  },
  'batch run': {
    ...{ what: 'a sequence of MapReduces, about', value: 20, unit: 'minutes' },
    where: 'section 3.1',
  },
  'batch delay': {
    ...{ what: 'a document in batches at the lowest rate, about', value: 30, unit: 'minutes' },
    where: 'section 3.1',
  },
  'incremental delay': {
    ...{ what: 'a document in Percolator at the lowest rate', value: 2, unit: 'seconds' },
    where: 'section 3.1',
  },
  faster: { what: 'so many times faster, about', value: 1_000, unit: '', where: 'section 3.1' },
  saturation: {
    ...{ what: 'the crawl rate that is too much for Percolator', value: 40, unit: '% an hour' },
    where: 'section 3.1, Figure 7',
  },
  'raw reads': {
    what: 'reads of Bigtable',
    value: 15_513,
    unit: 'a second',
    where: 'section 3.2, Figure 8',
  },
  reads: {
    what: 'reads of Percolator',
    value: 14_590,
    unit: 'a second',
    where: 'section 3.2, Figure 8',
  },
  'relative reads': {
    what: 'reads, relative',
    value: 0.94,
    unit: '',
    where: 'section 3.2, Figure 8',
  },
  'raw writes': {
    what: 'writes of Bigtable',
    value: 31_003,
    unit: 'a second',
    where: 'section 3.2, Figure 8',
  },
  writes: {
    what: 'writes of Percolator',
    value: 7_232,
    unit: 'a second',
    where: 'section 3.2, Figure 8',
  },
  'relative writes': {
    what: 'writes, relative',
    value: 0.23,
    unit: '',
    where: 'section 3.2, Figure 8',
  },
  'fewest cores': {
    what: 'cores of the smallest run',
    value: 11,
    unit: '',
    where: 'section 3.3, Figure 9',
  },
  'most cores': {
    what: 'cores of the largest run',
    value: 15_000,
    unit: '',
    where: 'section 3.3, Figure 9',
  },
  transactions: {
    ...{ what: 'its transactions', value: 11_200, unit: 'a second' },
    where: 'section 3.3, Figure 9',
  },
  'each core': {
    ...{ what: 'for each core, by division', value: 0.75, unit: 'a second' },
    where: 'section 3.3, Figure 9',
  },
  'cores of the record': {
    ...{ what: 'cores of the database with the record', value: 64, unit: '' },
    where: 'section 3.3, Figure 9',
  },
  'transactions of the record': {
    ...{ what: 'its transactions', value: 3_183, unit: 'a second' },
    where: 'section 3.3, Figure 9',
  },
  'each core of the record': {
    ...{ what: 'for each core, by division', value: 49.7, unit: 'a second' },
    where: 'section 3.3, Figure 9',
  },
  'times more': {
    ...{ what: 'so many times more processor time, by its authors’ estimate', value: 30, unit: '' },
    where: 'sections 3.3 and 5',
  },
  'tablet servers': {
    what: 'tablet servers',
    value: 15,
    unit: '',
    where: 'section 3.3, Figure 10',
  },
  killed: {
    ...{ what: 'of them, killed at once', value: 33, unit: '%' },
    where: 'section 3.3, Figure 10',
  },
} as const satisfies Readonly<Record<string, PaperNumber>>

export type PaperNumberName = keyof typeof PAPER_NUMBERS

/** `11,200`, as the paper writes it. */
export function paperText(name: PaperNumberName): string {
  return PAPER_NUMBERS[name].value.toLocaleString('en')
}
