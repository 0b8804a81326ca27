// SPDX-License-Identifier: Apache-2.0
import type { Experiment, Suite } from '../harness/experiment.ts'
import { durableCeiling } from '../http/http-contenders.ts'
import { DATA_NOTE, ROWS_OPTION, rowsOf } from '../load/data.ts'
import { loadGeneratorNote } from '../load/load-process.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import { type PeerContender, withInstalledPeers } from '../servers/executable.ts'
import { SharedServer } from '../servers/measured-server.ts'
import { PERCOLITE_OPTIONS, type PercoliteOptions } from '../servers/percolite-server.ts'
import { loadItemsAndAccounts } from '../stores/load-items.ts'
import type { StoreKind } from '../stores/open-store.ts'
import { closedOnFailure, PROGRAMS, startStore } from '../stores/start-store.ts'
import type { PeerSettings } from './peer-workload.ts'
import { RECORDS_OPTION, rowsExperiment } from './rows.ts'

const CLIENTS = 64
// A server of Node's is fast when V8 has compiled what it does: after six to ten seconds under load.
const WARM_UP_SECONDS = 8

const MODULE = new URL('./peer-workload.ts', import.meta.url).href

/** Percolite beside the servers that people would use instead. */
export const peersSuite: Suite = {
  title: 'Percolite beside PostgreSQL, etcd, Redis, rqlite and sqld',
  defaults: { seconds: 3, repetitions: 9 },
  options: { rows: ROWS_OPTION, records: RECORDS_OPTION, ...PERCOLITE_OPTIONS },
  experiments: (options) => [puts(options), transfers(options), rowsExperiment(options)],
  get notes() {
    return [
      DATA_NOTE,
      'Every acknowledged write of every server here is on disk: PostgreSQL fsync and synchronous_commit on, etcd as it is by default, Redis appendfsync always.',
      'Server and load generator share the cores of one machine; each server is a process of its own, over the loopback interface, and asked for nothing while another is measured.',
      loadGeneratorNote(),
      'Servers that are not installed are left out; bench/peers.sh installs them on Debian.',
    ]
  },
}

/** A store of this kind, with the data of the benchmarks, and this is all that is asked of it. */
function peer(
  name: string,
  kind: StoreKind,
  operation: PeerSettings['operation'],
  options: PercoliteOptions,
): PeerContender {
  const rows = rowsOf(options)
  const program = PROGRAMS[kind]
  return loadedContender({
    name,
    ...(program === undefined ? {} : { program }),
    server: new SharedServer(kind, async (folder) => {
      const store = await startStore(kind, folder, options)
      await closedOnFailure(store, () => loadItemsAndAccounts(store.settings, rows))
      return store
    }),
    load: ({ settings }) => {
      return {
        module: MODULE,
        settings: { store: settings, operation, rows } satisfies PeerSettings,
      }
    },
    clients: CLIENTS,
  })
}

function puts(options: PercoliteOptions): Experiment {
  const ceiling = durableCeiling(options, CLIENTS)
  return withInstalledPeers({
    name: 'put',
    title: `Durable put of one value, ${CLIENTS} clients`,
    unit: 'puts',
    warmUpSeconds: WARM_UP_SECONDS,
    contenders: [
      peer('percolite', 'percolite', 'put', options),
      peer('etcd', 'etcd', 'put', options),
      peer('postgresql', 'postgresql', 'put', options),
      peer('redis', 'redis', 'put', options),
      ceiling,
    ],
    goals: [
      {
        what: `durable put over HTTP, ${CLIENTS} clients / etcd HTTP put`,
        of: 'percolite',
        to: 'etcd',
        must: 2,
        aim: 3.5,
      },
      {
        what: 'durable put over HTTP / PostgreSQL upsert through pg',
        of: 'percolite',
        to: 'postgresql',
        must: 0.8,
        aim: 1.3,
      },
      { what: `${ceiling.name} / etcd HTTP put`, of: ceiling.name, to: 'etcd' },
      { what: `durable put over HTTP / ${ceiling.name}`, of: 'percolite', to: ceiling.name },
    ],
    notes: [
      'etcd is asked through its own JSON gateway (/v3/kv/put), PostgreSQL through pg by a named INSERT … ON CONFLICT DO UPDATE, each with as many connections as clients.',
      'Redis is there for orientation: it has no goal, since it keeps everything in memory and gives no snapshots. A put is a hash and its key in a sorted set, as scans need it.',
      'The hello with a raw durable put is a Fastify that puts the value as a cell into the product’s own store, by the same group commit, without SQL, transaction or log: what any server of this kind can reach with this client.',
    ],
  })
}

function transfers(options: PercoliteOptions): Experiment {
  return withInstalledPeers({
    name: 'transfer',
    title: `Transfer between two rows, ${CLIENTS} clients`,
    unit: 'transfers',
    warmUpSeconds: WARM_UP_SECONDS,
    contenders: [
      peer('percolite, one request', 'percolite', 'transfer', options),
      peer('postgresql, five round trips', 'postgresql', 'transfer', options),
      peer('etcd3, compare-and-swap', 'etcd', 'transfer', options),
    ],
    goals: [
      {
        what: 'two-row transfer in one request / PostgreSQL five round trips',
        of: 'percolite, one request',
        to: 'postgresql, five round trips',
        must: 2,
        aim: 3,
      },
      {
        what: 'two-row transfer in one request / etcd3 compare-and-swap',
        of: 'percolite, one request',
        to: 'etcd3, compare-and-swap',
        must: 4,
        aim: 8,
      },
    ],
    notes: [
      'PostgreSQL: BEGIN (REPEATABLE READ), SELECT of both, UPDATE, UPDATE, COMMIT, again after 40001 or 40P01. etcd3 is the third version of etcd’s API, through its JSON gateway: both read in one transaction, both written in another if neither has changed.',
      'Percolite: two SETs of an expression in one request; each reads its row and writes it, and the server itself runs the request again after a conflict.',
    ],
  })
}
