// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { ACCOUNTS, ITEMS } from '../load/data.ts'
import { startEtcd } from '../servers/etcd-server.ts'
import { startFastifyPostgres } from '../servers/fastify-postgres-server.ts'
import type { MeasuredServer } from '../servers/measured-server.ts'
import { type PercoliteOptions, startPercolite } from '../servers/percolite-server.ts'
import { startPostgres } from '../servers/postgres-server.ts'
import { startRedis } from '../servers/redis-server.ts'
import { startRqlite } from '../servers/rqlite-server.ts'
import { startSqld } from '../servers/sqld-server.ts'
import { USERTABLE } from '../ycsb/record.ts'
import { openStore, type StoreKind, type StoreSettings } from './open-store.ts'
import type { StoreRecord, Table } from './store.ts'

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

const START_BY_ORIGIN = { etcd: startEtcd, rqlite: startRqlite, sqld: startSqld } as const

/** A server of our own; or nothing but a file, of a store that runs in the load process itself. */
export type StartedStore = MeasuredServer & { readonly settings: StoreSettings }

/** Throws PeerMissing. */
export async function startStore(
  kind: StoreKind,
  folder: string,
  percolite: PercoliteOptions = {},
): Promise<StartedStore> {
  switch (kind) {
    case 'percolite':
    case 'percolite-socket': {
      const server = await startPercolite(folder, percolite)
      return started(server, { kind, origin: server.origin })
    }
    case 'postgresql': {
      const server = await startPostgres(folder)
      return started(server, { kind, address: server.address })
    }
    case 'fastify-postgres': {
      const server = await startFastifyPostgres({ folder, tables: [ITEMS, ACCOUNTS, USERTABLE] })
      return started(server, { kind, origin: server.origin, address: server.address })
    }
    case 'redis': {
      const server = await startRedis(folder)
      return started(server, { kind, url: server.url })
    }
    case 'etcd':
    case 'rqlite':
    case 'sqld': {
      const server = await START_BY_ORIGIN[kind](folder)
      return started(server, { kind, origin: server.origin })
    }
    case 'better-sqlite3': {
      const settings = { kind, file: join(folder, 'store.db') } as const
      return { settings, inProcess: true, pid: process.pid, close: async () => {} }
    }
  }
}

function started(server: MeasuredServer, settings: StoreSettings): StartedStore {
  return { settings, pid: server.pid, close: () => server.close() }
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
