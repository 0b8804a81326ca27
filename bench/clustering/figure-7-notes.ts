// SPDX-License-Identifier: Apache-2.0
import type { Figure7Size } from './figure-7-size.ts'

const KEYS =
  'Documents: 1 KB each, three keys uniformly from 0.75 for each document of the repository, as the paper has 750 M for a billion.'

/** What the rows of Figure 7 are, and what of them cannot be compared with the paper. */
export function figure7Notes({ documents }: Figure7Size, workers: number): readonly string[] {
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
