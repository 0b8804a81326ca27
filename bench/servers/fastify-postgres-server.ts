// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url'
import type { Table } from '../stores/store.ts'
import { ChildServer } from './child-server.ts'
import type { MeasuredServer } from './measured-server.ts'
import type { PostgresAddress } from './postgres-server.ts'

const MAIN = fileURLToPath(new URL('./fastify-postgres-main.ts', import.meta.url))

/** In which folder PostgreSQL is started, and the tables that there are routes for. */
export type FastifyPostgresOrder = { readonly folder: string; readonly tables: readonly Table[] }

export type FastifyPostgresServer = MeasuredServer & {
  readonly origin: string
  /** Of the PostgreSQL behind it, which makes its tables and fills them. */
  readonly address: PostgresAddress
}

/** What one who wants rows over HTTP writes: a Fastify that asks a PostgreSQL of its own through pg. */
export async function startFastifyPostgres(
  order: FastifyPostgresOrder,
): Promise<FastifyPostgresServer> {
  let place: Pick<FastifyPostgresServer, 'origin' | 'address'> | undefined
  const server = await ChildServer.start({
    name: 'fastify-postgres',
    program: process.execPath,
    args: [MAIN, JSON.stringify(order)],
    folder: order.folder,
    ready: async (log) => {
      const line = log.split('\n').find((one) => one.startsWith('{'))
      if (line === undefined) throw new Error('it has not named its address')
      place = JSON.parse(line)
    },
  })
  if (place === undefined) throw new Error('fastify-postgres has not named its address')
  return { ...place, pid: server.pid, close: () => server.stop() }
}
