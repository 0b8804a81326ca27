// SPDX-License-Identifier: Apache-2.0
import type { PaperNumberName } from '../paper-numbers.ts'
import type { Sentence } from './fill.ts'

/** A part of the page. Its sentences have no digits: numbers come from the report, or the table of the paper's. */
export type PaperSection = {
  readonly id: string
  readonly title: string
  /** In the paper. */
  readonly place: string
  readonly paper: readonly Sentence[]
  readonly numbers: readonly PaperNumberName[]
  readonly here: readonly Sentence[]
  /** A sentence is left out where one of its numbers was not measured. */
  readonly found: readonly Sentence[]
  readonly apart: readonly Sentence[]
  /** By how their names begin, with the figures that are shown besides the rate. */
  readonly experiments: Readonly<Record<string, readonly string[]>>
}

const ONE_MACHINE =
  'Everything shares one machine, its cores and its disk; the paper has a data center.'

export const SECTIONS: readonly PaperSection[] = [
  {
    id: 'timestamps',
    title: 'How many timestamps an oracle gives out',
    place: 'Section 2.3',
    paper: [
      'Every transaction asks one server for two timestamps. It takes them from a range that it has written to disk before, and each worker has one request under way at a time, for all its transactions that wait. So one machine serves about {paper: timestamps} of them a second.',
    ],
    numbers: ['timestamps'],
    here: [
      'The oracle of a server with its own store is an object in its process; it raises its mark on disk in the same way. The oracle of gateways that share a store is a row of that store, which one request raises for all callers that wait.',
    ],
    found: [
      'In its own process, a transaction can take {goal: timestamps per second, in process} timestamps a second.',
      'Through a shared store, many callers together get {goal: timestamps per second, through a gateway} a second.',
      'Over etcd, two gateways get {goal: timestamps per second from etcd, through 2 gateways, 100 waiting at each} a second together, four {goal: timestamps per second from etcd, through 4 gateways, 100 waiting at each}, and eight {goal: timestamps per second from etcd, through 8 gateways, 100 waiting at each}: each asks with one request for all who wait at it.',
    ],
    apart: [
      'The paper counts requests over a network to a server that is only an oracle. Here callers and oracle are in one process; etcd and Bigtable’s emulator are other processes of the same machine, and each request there changes a row.',
    ],
    experiments: { timestamps: [] },
  },
  {
    id: 'scanning',
    title: 'Scanners that clump together like buses',
    place: 'Section 2.4',
    paper: [
      'Threads walk through the table from random places and look for rows with a notification. A thread that has much to run slows down, and those behind it find nothing left and catch up with it: after a while they all are in the same place, as buses are. So a thread that meets another one continues in a random place.',
    ],
    numbers: [],
    here: [
      'Workers with the scanner of the product look for dirty rows in a durable store and run them. Those that go round do not move away where they meet; the others do, as in the product.',
    ],
    found: [
      'Those that go round were in {figure: scanning | go round | places} different places on average, those that teleport in {figure: scanning | teleport | places}.',
      'For each run, the first found {figure: scanning | go round | inVainPerRun} rows that another one had taken, the others {figure: scanning | teleport | inVainPerRun}.',
      'With teleporting there were {goal: runs, with teleporting / without} times as many runs as without.',
    ],
    apart: [
      'The paper gives no numbers for this. Its threads overloaded the servers of the place in which they met; here they only get into each other’s way.',
      'The rows that are dirty at a time, and what a run takes, are chosen so that the story is told within seconds.',
    ],
    experiments: { scanning: ['places', 'inVainPerRun', 'waitedP50Ms', 'waitedP99Ms'] },
  },
  {
    id: 'one-commit',
    title: 'At most one commit for a change',
    place: 'Section 2.4',
    paper: [
      'If two workers run an observer for the same change, both write its acknowledgment, so one of them conflicts and is aborted: no more than {paper: commits for a change} of them commits.',
    ],
    numbers: ['commits for a change'],
    here: [
      'Each change of a row is run by several transactions, all of which begin before any of them commits. Each writes a row of its own, and all of these are counted at the end. If there is not exactly one for each change, the benchmark fails.',
    ],
    found: [
      'For each change, {goal: runs committed, one-phase commit} run committed with one-phase commits, and {goal: runs committed, two-phase commit as in the paper} with the two phases of the paper.',
    ],
    apart: ['The paper states a promise and not a measurement.'],
    experiments: {
      'one-commit': ['changes', 'runsBegun', 'runsCommitted', 'runsInConflict', 'rowsDerived'],
    },
  },
  {
    id: 'hot-row',
    title: 'Weak notifications of a hot row',
    place: 'Section 2.4',
    paper: [
      'When many copies of a document are processed at once, each transaction notifies the same cluster, and they conflict. So there are weak notifications, which only leave a hint and cannot conflict; for one of them an observer may be run more than once.',
    ],
    numbers: [],
    here: [
      'Clients insert rows of their own, and each transaction notifies an observer of one row that all share: by writing that row, or by a weak notification.',
    ],
    found: [
      'Writers that write the shared row had {figure: hot-row | strong | conflictsPerSecond} conflicts a second, those that only notify {figure: hot-row | weak | conflictsPerSecond}, and these did {goal: transactions that tell of a hot row, weak / strong} times as many transactions.',
    ],
    apart: ['The paper gives no numbers for this.'],
    experiments: { 'hot-row': ['conflictsPerSecond', 'runsPerSecond', 'lagMs'] },
  },
  {
    id: 'figure-7',
    title: 'Clustering as documents come, or in batches',
    place: 'Section 3.1, Figure 7',
    paper: [
      'New documents are clustered by three keys that they share with others. Batches read the whole repository, however little is new: a sequence of them takes about {paper: batch run} minutes, and a document waits about {paper: batch delay}. Observers only look at what is new: at {paper: low rate} % an hour a document takes {paper: incremental delay} seconds, about {paper: faster} times less. From {paper: saturation} % an hour on Percolator cannot keep up, and batches can for longer, because reading a file from end to end costs less for each byte than look-ups.',
    ],
    numbers: [
      'machines of the clustering',
      ...(['keys', 'cluster size', 'in clusters', 'low rate', 'batch run', 'batch delay'] as const),
      ...(['incremental delay', 'faster', 'saturation'] as const),
    ],
    here: [
      'Generated documents are written to the server at several rates and clustered by its observers. Two batch systems read the same repository from the same server and publish what they found there: one carries the whole documents through its passes, the other only the keys. In the end all assignments are compared, document by document, with a clustering of everything at once; a difference makes the benchmark fail.',
    ],
    found: [
      'At the lowest rate, a document waits {goal: delay at 1 %: batch-full / percolite} times as long for batches that carry everything as for observers, and {goal: delay at 1 %: batch-lean / percolite} times as long for those that carry only keys.',
      'The observers cannot keep up from {goal: saturation of percolite} % of the repository in an hour of the benchmark on.',
      'From {goal: cross-over with batch-full} % on, batches that carry everything are the faster way, and from {goal: cross-over with batch-lean} % on those that carry only keys: their delay is the smaller one there, or the observers no longer keep up.',
      'Counted in processor time for a document, the former cost the same as observers at {goal: cross-over with batch-full by CPU time for a document} %.',
      'The latter do at {goal: cross-over with batch-lean by CPU time for a document} %.',
      'The reason is the one of the paper: observers look up the keys of each new document, which costs the same however many are new, while passes read the whole repository once and share what that costs among all that are new.',
    ],
    apart: [
      ONE_MACHINE,
      'The repository is much smaller, and it fits into memory. How many times faster the observers are depends on its size, as the paper says; here that number is smaller, and none is extrapolated.',
      'An hour of the benchmark is scaled, so that batches take as much of it as in the paper.',
    ],
    experiments: {
      'figure-7-': [
        ...['delayP50Ms', 'delayInT0', 'runSeconds', 'lookupsPerDocument', 'loadP50Ms'],
        ...['foundP50Ms', 'runP50Ms', 'saturationPercent'],
      ],
    },
  },
  {
    id: 'figure-8',
    title: 'What transactions cost compared with the raw store',
    place: 'Section 3.2, Figure 8',
    paper: [
      'Random reads in transactions are {paper: relative reads} of raw ones, because a read also looks for locks. Writes are {paper: relative writes}: each is a look for conflicts, a lock, and the write record that replaces the lock.',
    ],
    numbers: ['raw reads', 'reads', 'relative reads', 'raw writes', 'writes', 'relative writes'],
    here: [
      'The same operations in three places: on the store of the product in one process, where a commit can be one step or the two phases of the paper; and on Bigtable’s emulator and on etcd in processes of their own, where each step is a request and requests are counted.',
    ],
    found: [
      'In one process, a read in its own transaction is {goal: Figure 8, read / raw read} of a raw one, a write in one phase {goal: Figure 8, write / raw write, one-phase}, and in the two phases of the paper {goal: Figure 8, write / raw write, two-phase}.',
      'On Bigtable’s emulator, reads at one snapshot are {goal: Figure 8 on bigtable: read at one snapshot / raw read} of raw ones, and writes {goal: Figure 8 on bigtable: write / raw write}.',
      'On etcd, reads are {goal: Figure 8 on etcd: read at one snapshot / raw read}, and writes {goal: Figure 8 on etcd: write / raw write}.',
      'A write in a transaction waits for etcd {figure: figure-8-etcd | write, Percolite | roundTrips} times, a raw one {figure: figure-8-etcd | write, raw store | roundTrips} times.',
    ],
    apart: [
      ONE_MACHINE,
      'Only what is relative can be compared: the paper writes to a replicated store on other machines.',
      'A server with its own store keeps the newest records of rows in memory, so a read in a transaction may not have to ask the store at all; a raw read always does.',
      'An emulator is not Bigtable: it keeps everything in memory, and a request costs it what it costs an emulator.',
    ],
    experiments: {
      'figure-8': ['requestsPerOperation', 'roundTrips', 'engineCpuMicrosPerOperation'],
    },
  },
  {
    id: 'figure-9',
    title: 'Whether the work grows with the cores, and what it costs',
    place: 'Section 3.3, Figure 9',
    paper: [
      'A TPC-E-like workload runs with more and more customers. Its transactions grow in proportion to the cores, from {paper: fewest cores} to {paper: most cores} of them. The largest run does {paper: transactions} transactions a second. The database that held the record does {paper: transactions of the record} on {paper: cores of the record} cores. By the authors’ estimate Percolator uses {paper: times more} times as much processor time for each, and they ask how much of that is fundamental.',
    ],
    numbers: [
      ...(['fewest cores', 'most cores', 'transactions', 'each core'] as const),
      ...(['transactions of the record', 'cores of the record'] as const),
      ...(['each core of the record', 'times more'] as const),
    ],
    here: [
      'A TPC-E-style workload of our own runs at growing rates; what is counted is the processor time of all processes of the engine. Then the same customers trade as fast as they can with Percolite, PostgreSQL and SQLite and one program, which asks for one step after the other; earlier runs had each in its own language as well. Where there is time, the same runs over gateways that share an etcd.',
    ],
    found: [
      'A trade result costs Percolite {goal: processor time for a trade result: percolite-http / postgres} times as much processor time as PostgreSQL, and {goal: processor time for a trade result: percolite-http / sqlite} times as much as SQLite in the driver’s own process, with the same program.',
      'What the authors asked is how much of their factor is that of a store on other machines: over a gateway and etcd, a trade result costs {goal: processor time for a trade result: percolite-etcd-1 / postgres} times as much as in PostgreSQL, and {goal: processor time for a trade result: percolite-etcd-1 / percolite-http} times as much as with the store in Percolite’s own process, with the same program.',
    ],
    apart: [
      'A TPC-E-style workload: no TPC benchmark result, not audited, and not comparable with any published TPC-E result. How it differs is listed under each experiment.',
      ONE_MACHINE,
      'The paper’s transactions go to a store on other machines that keeps copies of everything, and its factor is that of such a system compared with one large machine. Percolite with its own store is one process, and keeps one copy.',
      'Customers and market are driven from the same machine; their processor time is not the engine’s, but they take it from the same cores.',
      'Transactions for each core depend on the processor: the paper’s were slower.',
    ],
    experiments: {
      'figure-9': [
        ...['coresUsed', 'resultsPerCore', 'cpuMicrosPerTransaction'],
        'storeRequestsPerTransaction',
      ],
    },
  },
  {
    id: 'figure-10',
    title: 'What clients feel when processes are killed',
    place: 'Section 3.3, Figure 10',
    paper: [
      'Of {paper: tablet servers} tablet servers a third is killed. The work drops at once and recovers while other servers take over, and is as before when those that were killed have come back.',
    ],
    numbers: ['tablet servers', 'killed'],
    here: [
      'Clients transfer money between accounts while a gateway, and then the leader of etcd, is killed and started again; and at a server with its own store, which is killed and started again. In the end the sum of all accounts must be what it was, or the benchmark fails.',
    ],
    found: [
      "After a gateway was killed it took {goal: Figure 10, a gateway killed: until 90 % of the level before} s until the work was near its level again, after the leader of etcd {goal: Figure 10, etcd's leader killed: until 90 % of the level before} s, and after the server itself {goal: Figure 10, the server killed: until 90 % of the level before} s.",
    ],
    apart: [
      ONE_MACHINE,
      'What is started again takes its time from the others. The paper’s work is that of its brokerage; here it is transfers, whose sum can be checked.',
    ],
    experiments: { 'figure-10-': ['failedRequests'] },
  },
]
