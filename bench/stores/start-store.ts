// SPDX-License-Identifier: Apache-2.0
import { basename, join } from 'node:path'
import { createClient } from '@redis/client'
import { startEtcd } from '../engines/etcd-cluster.ts'
import { ACCOUNTS, ITEMS } from '../load/data.ts'
import { assertOwn, ChildServer, freePorts } from '../servers/child-server.ts'
import { findExecutable } from '../servers/executable.ts'
import { startFastifyPostgres } from '../servers/fastify-postgres-server.ts'
import type { MeasuredServer } from '../servers/measured-server.ts'
import { type PercoliteOptions, startPercolite } from '../servers/percolite-server.ts'
import { startPostgres } from '../servers/postgres-server.ts'
import { USERTABLE } from '../ycsb/record.ts'
import { type OriginKind, openStore, type StoreKind, type StoreSettings } from './open-store.ts'
import type { StoreRecord, Table } from './store.ts'

/** A sqld of our own, as it is by default. Throws PeerMissing. */
async function startSqld(folder: string): Promise<MeasuredServer & { readonly origin: string }> {
  const program = findExecutable('sqld')
  const [port] = (await freePorts(1)) as [number]
  const origin = `http://127.0.0.1:${port}`
  const data = join(folder, 'data')
  const server = await ChildServer.start({
    name: 'sqld',
    program,
    args: ['--db-path', data, '--http-listen-addr', `127.0.0.1:${port}`, '--no-welcome'],
    folder,
    ready: async (log) => {
      // It does not say whose it is, but its log is that of this process alone.
      if (!log.includes(`127.0.0.1:${port}`)) throw new Error('it does not listen yet')
      await fetch(`${origin}/health`)
    },
  })
  return { origin, pid: server.pid, close: () => server.stop() }
}

type Status = { readonly store: { readonly node_id?: string; readonly ready: boolean } }

/** An rqlite of one node of our own, which syncs its Raft log before it answers. Throws PeerMissing. */
async function startRqlite(folder: string): Promise<MeasuredServer & { readonly origin: string }> {
  const program = findExecutable('rqlited')
  const [port, raftPort] = (await freePorts(2)) as [number, number]
  const origin = `http://127.0.0.1:${port}`
  // The folder's name is new with each start, so it tells our node from any other.
  const id = basename(folder)
  const flags = {
    'node-id': id,
    'http-addr': `127.0.0.1:${port}`,
    'raft-addr': `127.0.0.1:${raftPort}`,
    'raft-log-level': 'ERROR',
  }
  const server = await ChildServer.start({
    name: 'rqlite',
    program,
    args: [
      ...Object.entries(flags).map(([flag, value]) => `-${flag}=${value}`),
      join(folder, 'data'),
    ],
    folder,
    ready: async () => {
      const { store } = (await (await fetch(`${origin}/status`)).json()) as Status
      if (store.node_id === undefined) throw new Error('it does not know its name yet')
      assertOwn('rqlite', store.node_id, id)
      if (!store.ready) throw new Error('it has no leader yet')
    },
  })
  return { origin, pid: server.pid, close: () => server.stop() }
}

/** What must be installed for a store. */
export const PROGRAMS: Readonly<Record<StoreKind, string | undefined>> = {
  percolite: undefined,
  'percolite-socket': undefined,
  postgresql: 'postgres',
  'fastify-postgres': 'postgres',
  rqlite: 'rqlited',
  sqld: 'sqld',
  redis: 'redis-server',
  etcd: 'etcd',
  'better-sqlite3': undefined,
}

const START = {
  percolite: startPercolite,
  'percolite-socket': startPercolite,
  rqlite: startRqlite,
  sqld: startSqld,
  redis: startRedis,
  etcd: startEtcd,
} as const satisfies Readonly<Record<OriginKind, unknown>>

/** A server of our own; or nothing but a file, of a store that runs in the load process itself. */
export type StartedStore = MeasuredServer & { readonly settings: StoreSettings }

/** Throws PeerMissing. */
export async function startStore(
  kind: StoreKind,
  folder: string,
  percolite: PercoliteOptions = {},
): Promise<StartedStore> {
  switch (kind) {
    case 'postgresql': {
      const server = await startPostgres(folder)
      return { ...server, settings: { kind, address: server.address } }
    }
    case 'fastify-postgres': {
      const server = await startFastifyPostgres({ folder, tables: [ITEMS, ACCOUNTS, USERTABLE] })
      return { ...server, settings: { kind, origin: server.origin, address: server.address } }
    }
    case 'better-sqlite3': {
      const settings = { kind, file: join(folder, 'store.db') } as const
      return { settings, inProcess: true, pid: process.pid, close: async () => {} }
    }
    default: {
      const server = await START[kind](folder, percolite)
      return { ...server, settings: { kind, origin: server.origin } }
    }
  }
}

/** The seconds it took, each piece on disk before the next was sent; makes the table first. */
export async function loadTable(
  settings: StoreSettings,
  table: Table,
  pieces: Iterable<readonly StoreRecord[]>,
): Promise<number> {
  const store = await openStore(settings, table, 1)
  try {
    const beganMs = performance.now()
    await store.create()
    for (const piece of pieces) await store.insertMany(piece)
    const seconds = (performance.now() - beganMs) / 1000
    await store.afterLoading?.()
    return seconds
  } finally {
    await store.close()
  }
}

/** Closes what was started when it cannot be filled. */
export async function closedOnFailure<Result>(
  server: Pick<MeasuredServer, 'close'>,
  fill: () => Promise<Result>,
): Promise<Result> {
  try {
    return await fill()
  } catch (error) {
    await server.close()
    throw error
  }
}

/** A Redis of our own that syncs its log before it answers (`appendfsync always`). Throws PeerMissing. */
async function startRedis(folder: string): Promise<MeasuredServer & { readonly origin: string }> {
  const program = findExecutable('redis-server')
  const [port] = (await freePorts(1)) as [number]
  const origin = `redis://127.0.0.1:${port}`
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    daemonize: 'no',
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  }
  const server = await ChildServer.start({
    name: 'redis',
    program,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    folder,
    ready: () => dataFolderOf(origin).then((said) => assertOwn('redis', said, folder)),
  })
  return { origin, pid: server.pid, close: () => server.stop() }
}

async function dataFolderOf(url: string): Promise<string | undefined> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  // A refused connection is also thrown by `connect`.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.configGet('dir')).dir
  } finally {
    await client.close()
  }
}
