// SPDX-License-Identifier: Apache-2.0
import type { PostgresAddress } from '../servers/postgres-server.ts'
import { openEtcdStore } from './etcd-store.ts'
import { openPercoliteStore } from './percolite-store.ts'
import { openPostgresStore } from './postgres-store.ts'
import { openRedisStore } from './redis-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store, Table } from './store.ts'

/** Which store, and where it is; this travels to the load process. */
export type StoreSettings =
  | { readonly kind: 'percolite'; readonly origin: string }
  | { readonly kind: 'postgresql'; readonly address: PostgresAddress }
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'etcd'; readonly origin: string }
  | { readonly kind: 'better-sqlite3'; readonly file: string }

export type StoreKind = StoreSettings['kind']

export function openStore(settings: StoreSettings, table: Table, clients: number): Promise<Store> {
  switch (settings.kind) {
    case 'percolite':
      return openPercoliteStore(settings, table, clients)
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
