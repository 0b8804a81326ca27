// SPDX-License-Identifier: Apache-2.0
import type { Sentence } from './fill.ts'

/** A row of the table that the page begins with. As in sections, no number has digits here. */
export type Headline = {
  /** The id of the section that has the details. */
  readonly section: string
  readonly what: string
  readonly paper: Sentence
  /** One is left out where its number was not measured. */
  readonly here: readonly Sentence[]
}

export const HEADLINES: readonly Headline[] = [
  {
    section: 'timestamps',
    what: 'timestamps a second from one oracle',
    paper: '{paper: timestamps}',
    here: [
      '{goal: timestamps per second, in process} in its own process',
      '{goal: timestamps per second, through a gateway} through a shared store',
    ],
  },
  {
    section: 'figure-7',
    what: 'how many times longer a document waits for batches than for observers, at the lowest crawl rate',
    paper: '{paper: faster}',
    here: [
      '{goal: delay at 1 %: batch-full / percolite} where passes carry everything',
      '{goal: delay at 1 %: batch-lean / percolite} where they carry keys only',
    ],
  },
  {
    section: 'figure-7',
    what: 'crawl rate that is too much for observers, % of the repository an hour',
    paper: '{paper: saturation}',
    here: ['{goal: saturation of percolite} in an hour of the benchmark'],
  },
  {
    section: 'figure-8',
    what: 'reads in transactions / reads of the raw store',
    paper: '{paper: relative reads}',
    here: [
      '{goal: Figure 8, read / raw read} in one process',
      '{goal: Figure 8 on bigtable: read at one snapshot / raw read} on Bigtable’s emulator',
      '{goal: Figure 8 on etcd: read at one snapshot / raw read} on etcd',
    ],
  },
  {
    section: 'figure-8',
    what: 'writes in transactions / writes of the raw store',
    paper: '{paper: relative writes}',
    here: [
      '{goal: Figure 8, write / raw write, one-phase} in one process and one phase',
      '{goal: Figure 8, write / raw write, two-phase} in the two phases of the paper',
      '{goal: Figure 8 on bigtable: write / raw write} on Bigtable’s emulator',
      '{goal: Figure 8 on etcd: write / raw write} on etcd',
    ],
  },
  {
    section: 'figure-9',
    what: 'processor time for a transaction / that of a conventional database',
    paper: '{paper: times more}, by its authors’ estimate',
    here: [
      '{goal: processor time for a trade result: percolite-http / postgres} with PostgreSQL and the same program',
      '{goal: processor time for a trade result: percolite-etcd-1 / postgres} over etcd, with PostgreSQL and the same program',
    ],
  },
  {
    section: 'figure-10',
    what: 'seconds until the work is near its level again',
    paper: 'in a plot only',
    here: [
      '{goal: Figure 10, a gateway killed: until 90 % of the level before} after a gateway was killed',
      "{goal: Figure 10, etcd's leader killed: until 90 % of the level before} after the leader of etcd",
      '{goal: Figure 10, the server killed: until 90 % of the level before} after the one server',
    ],
  },
]
