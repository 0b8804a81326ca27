// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url'
import type { Table } from '../stores/store.ts'
import { startProgram } from './child-server.ts'
import type { MeasuredServer } from './measured-server.ts'
import type { PostgresAddress } from './postgres-server.ts'

/** In which folder PostgreSQL is started, and the tables that there are routes for. */
export type FastifyPostgresOrder = { readonly folder: string; readonly tables: readonly Table[] }

export type FastifyPostgresServer = MeasuredServer & {
  readonly origin: string
  /** Of the PostgreSQL behind it, which makes its tables and fills them. */
  readonly address: PostgresAddress
}

/** What one who wants rows over HTTP writes: a Fastify that asks a PostgreSQL of its own through pg. */
export function startFastifyPostgres(order: FastifyPostgresOrder): Promise<FastifyPostgresServer> {
  const main = fileURLToPath(new URL('./fastify-postgres-main.ts', import.meta.url))
  return startProgram('fastify-postgres', main, order, order.folder)
}
