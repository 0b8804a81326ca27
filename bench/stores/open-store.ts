// SPDX-License-Identifier: Apache-2.0
import type { PostgresAddress } from '../servers/postgres-server.ts'
import { openEtcdStore } from './etcd-store.ts'
import { openFastifyPostgresStore } from './fastify-postgres-store.ts'
import { openPercoliteStore, overHttp, overSockets } from './percolite-store.ts'
import { openPostgresStore } from './postgres-store.ts'
import { openRedisStore } from './redis-store.ts'
import { rqliteRequests, sqlOverHttpStore } from './sql-over-http-store.ts'
import { sqldRequests } from './sqld-requests.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store, Table } from './store.ts'

/** Which store, and where it is; this travels to the load process. */
export type StoreSettings =
  | { readonly kind: OriginKind; readonly origin: string }
  | { readonly kind: 'postgresql'; readonly address: PostgresAddress }
  | {
      readonly kind: 'fastify-postgres'
      readonly origin: string
      readonly address: PostgresAddress
    }
  | { readonly kind: 'better-sqlite3'; readonly file: string }

/** A server that a URL says all of. */
export type OriginKind = 'percolite' | 'percolite-socket' | 'rqlite' | 'sqld' | 'redis' | 'etcd'

export type StoreKind = StoreSettings['kind']

export async function openStore(
  settings: StoreSettings,
  table: Table,
  clients: number,
): Promise<Store> {
  switch (settings.kind) {
    case 'percolite':
      return openPercoliteStore(overHttp(settings.origin, clients), table)
    case 'percolite-socket':
      return openPercoliteStore(overSockets(settings.origin, clients), table)
    case 'fastify-postgres':
      return openFastifyPostgresStore(settings, table, clients)
    case 'rqlite':
      return sqlOverHttpStore(rqliteRequests(settings.origin, clients), table)
    case 'sqld':
      return sqlOverHttpStore(sqldRequests(settings.origin, clients), table)
    case 'postgresql':
      return openPostgresStore(settings, table, clients)
    case 'redis':
      return openRedisStore(settings, table, clients)
    case 'etcd':
      return openEtcdStore(settings, table, clients)
    case 'better-sqlite3':
      return openSqliteStore(settings, table)
  }
}
