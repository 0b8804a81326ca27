// SPDX-License-Identifier: Apache-2.0
import type { PostgresAddress } from '../servers/postgres-server.ts'
import { openEtcdStore } from './etcd-store.ts'
import { openPercoliteStore } from './percolite-store.ts'
import { openPostgresStore } from './postgres-store.ts'
import { openRedisStore } from './redis-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { YcsbStore } from './store.ts'

/** Which store, and where it is; this travels to the load process. */
export type StoreSettings =
  | { readonly kind: 'percolite'; readonly origin: string }
  | { readonly kind: 'postgresql'; readonly address: PostgresAddress }
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'etcd'; readonly origin: string }
  | { readonly kind: 'better-sqlite3'; readonly file: string }

export function openStore(settings: StoreSettings, clients: number): Promise<YcsbStore> {
  switch (settings.kind) {
    case 'percolite':
      return openPercoliteStore(settings, clients)
    case 'postgresql':
      return openPostgresStore(settings, clients)
    case 'redis':
      return openRedisStore(settings, clients)
    case 'etcd':
      return openEtcdStore(settings, clients)
    case 'better-sqlite3':
      return openSqliteStore(settings)
  }
}
