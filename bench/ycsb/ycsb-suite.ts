// SPDX-License-Identifier: Apache-2.0

import { listOf, oneOf, wholeNumber } from '../harness/command-line.ts'
import { bars, type Plot, type Suite } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { loadGeneratorNote } from '../load/load-process.ts'
import { loadedContender, type Sampling } from '../load/loaded-contender.ts'
import { type PeerContender, withInstalledPeers } from '../servers/executable.ts'
import { PERCOLITE_OPTIONS } from '../servers/percolite-server.ts'
import type { StoreKind } from '../stores/open-store.ts'
import { PROGRAMS } from '../stores/start-store.ts'
import { CORE_WORKLOADS, type CoreWorkload, describeMix } from './core-workloads.ts'
import { type LoadedStore, loadedStores } from './loaded-store.ts'
import type { YcsbSettings } from './ycsb-workload.ts'

const RECORDS_MAX = 10_000_000
const RUN_SEED = 2010
const STORES = 'percolite,percolite-socket,postgresql,redis,etcd,better-sqlite3'
const OTHER_STORES = Object.keys(PROGRAMS)
  .filter((kind) => !STORES.split(',').includes(kind))
  .join(', ')

/** The Yahoo! Cloud Serving Benchmark, by the facts of its core workloads, in our own words. */
export const ycsbSuite: Suite = {
  title: 'YCSB workloads A to F',
  defaults: { seconds: 3, repetitions: 3 },
  options: {
    workloads: { default: 'a,b,c,d,e,f', help: 'letters, separated by commas' },
    keys: { default: 'zipfian,uniform', help: 'how the keys of all but D are drawn' },
    stores: { default: STORES, help: `who takes part; also ${OTHER_STORES}` },
    records: { default: '100000', help: 'of about 1 kB, loaded into each store' },
    clients: {
      default: '16',
      help: 'of the closed loop; several, separated by commas, are compared',
    },
    ...PERCOLITE_OPTIONS,
  },
  experiments: (options) => [experimentOf(options)],
  get notes() {
    return [
      'An own implementation of the published core workloads: A 50 % read and 50 % update, B 95/5, C read, D 95 % read of the latest and 5 % insert, E 95 % scan (1 to 100 records) and 5 % insert, F 50 % read and 50 % read-modify-write. Keys are scrambled zipfian (D: latest) with skew 0.99, in “-uniform” all alike; records have ten fields of 100 characters.',
      '“field” updates write one field, “record” updates all ten; F is “plain” (a read, then an update, as in YCSB) and “transaction” (nobody may write in between).',
      'Every acknowledged write of every store is on disk (durability class D2): PostgreSQL synchronous_commit on, Redis appendfsync always, etcd as it is, better-sqlite3 synchronous FULL.',
      'etcd has one value for a record: where one field is written (a-field, b-field, f) it reads the record and writes it all, and except in f-transaction not atomically. Only “record” updates are the same work for it. It is asked through its JSON gateway, whose cost is included.',
      'better-sqlite3 runs in the load process itself, without network and with one writer; its CPU time includes the driver’s.',
      'Keys are padded with zeroes to one length, which YCSB does not; all workloads run on one loading, and what D and E insert stays. Clients are written for Node.js; the driver’s CPU time is reported, since it can be the bottleneck.',
      loadGeneratorNote(),
    ]
  },
}

function experimentOf(options: Readonly<Record<string, string>>) {
  const { workloads = '', keys = '', records = '', clients = '' } = options
  const chosen = workloadsOf(workloads, keys)
  const known = Object.keys(PROGRAMS) as StoreKind[]
  const kinds = listOf(options.stores ?? '', (word) => oneOf('stores', word, known))
  const counts = listOf(clients, (word) => wholeNumber('clients', word, RECORDS_MAX))
  const size = wholeNumber('records', records, RECORDS_MAX)
  const stores = loadedStores(kinds, {
    records: size,
    percolite: options,
    load: {
      module: new URL('./ycsb-workload.ts', import.meta.url).href,
      settings: { records: size } satisfies Omit<YcsbSettings, 'store'>,
      ...{ clients: Math.max(...counts), seed: RUN_SEED },
    },
  })
  const contenders = chosen.flatMap((workload) =>
    counts.flatMap((count) =>
      stores.map(({ kind, server }) =>
        loadedContender<LoadedStore>({
          name: nameOf(workload, kind, count, counts.length),
          ...{ program: PROGRAMS[kind], server, load: ({ load }) => load },
          ...{ mix: workload.name, clients: count, sample: sampleWithLoadSeconds },
        }),
      ),
    ),
  )
  return withInstalledPeers({
    name: 'ycsb',
    title: `${size.toLocaleString('en')} records, closed loop of ${counts.join(', ')} clients`,
    unit: 'operations',
    contenders,
    goals: [],
    plots: chosen.map((workload): Plot => plotOf(workload, contenders)),
  })
}

function plotOf(workload: CoreWorkload, contenders: readonly PeerContender[]): Plot {
  const { name } = workload
  const title = `YCSB ${name}: ${describeMix(workload)}`
  return {
    ...bars(`ycsb-${name}`, title, 'operations per second'),
    contenders: contenders.map((one) => one.name).filter((one) => one.startsWith(`${name} `)),
  }
}

function nameOf(workload: CoreWorkload, kind: StoreKind, clients: number, counts: number): string {
  return `${workload.name} ${kind}${counts === 1 ? '' : `, ${clients} clients`}`
}

async function sampleWithLoadSeconds({
  server: { loadSeconds },
  run,
  seconds,
  signal,
}: Sampling<LoadedStore>): Promise<Sample> {
  const sample = await run(seconds, signal)
  return { ...sample, figures: { ...sample.figures, loadSeconds } }
}

function workloadsOf(text: string, keys: string): readonly CoreWorkload[] {
  const letters = [...new Set(CORE_WORKLOADS.map(({ letter }) => letter))]
  const chosen = listOf(text, (word) => oneOf('workloads', word, letters))
  const drawn = listOf(keys, (word) => oneOf('keys', word, ['zipfian', 'uniform']))
  return CORE_WORKLOADS.filter(({ letter, keys }) => {
    return chosen.includes(letter) && (keys === 'latest' || drawn.includes(keys))
  })
}
