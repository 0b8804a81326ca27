// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { rowsOf } from '../load/data.ts'
import { exampleRequest, type HttpSettings } from '../load/http-workload.ts'
import { type Load, loadedContender } from '../load/loaded-contender.ts'
import type { PeerContender } from '../servers/executable.ts'
import { type HelloServer, startHello } from '../servers/hello-server.ts'
import { SharedServer } from '../servers/measured-server.ts'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
} from '../servers/percolite-server.ts'
import { loadItemsAndAccounts } from '../stores/load-items.ts'
import { closedOnFailure } from '../stores/start-store.ts'

export type RequestName = HttpSettings['request']

export const HELLO_PATH = '/hello'
const MODULE = new URL('../load/http-workload.ts', import.meta.url).href

/** One percolite with the data of the benchmarks, for all contenders of an experiment. */
export function sharedPercolite(options: PercoliteOptions): SharedServer<PercoliteServer> {
  return new SharedServer('percolite', (folder) =>
    loadedPercolite(folder, rowsOf(options), options),
  )
}

async function loadedPercolite(
  folder: string,
  rows: number,
  options: PercoliteOptions,
): Promise<PercoliteServer> {
  const server = await startPercolite(folder, options)
  const { origin } = server
  await closedOnFailure(server, () => loadItemsAndAccounts({ kind: 'percolite', origin }, rows))
  return server
}

const ROWS_FOR_ONE_ANSWER = 2

/**
 * A hello server whose answer is the very answer that a percolite gives to such a request. With `puts` it
 * answers a SET when its value is durably in a store, as a raw cell.
 */
export function sharedHello(
  request: RequestName,
  options: PercoliteOptions,
  { puts = false } = {},
): SharedServer<HelloServer> {
  return new SharedServer(puts ? 'hello-puts' : 'hello', async (folder) => {
    const percolite = await loadedPercolite(folder, ROWS_FOR_ONE_ANSWER, options)
    const { body } = exampleRequest(request, ROWS_FOR_ONE_ANSWER)
    const answer = await percolite.query(body).finally(() => percolite.close())
    const order = { folder: join(folder, 'raw'), rows: rowsOf(options) }
    return await startHello(folder, {
      ...{ path: HELLO_PATH, answer },
      ...(puts ? { puts: order } : {}),
    })
  })
}

/** Such requests to a percolite; or to a hello server, which answers all of them at one path. */
export function requestLoad(
  request: RequestName,
  options: PercoliteOptions,
  path?: string,
): (server: { readonly origin: string }) => Load {
  const settings = { request, rows: rowsOf(options), ...(path === undefined ? {} : { path }) }
  return ({ origin }) => {
    return { module: MODULE, settings: { ...settings, origin } satisfies HttpSettings }
  }
}

/**
 * What a SET could reach at most on this Fastify and this store: the value is put as a cell, durably, by the
 * same thread and the same group commit, without SQL, transaction or log.
 */
export function durableCeiling(options: PercoliteOptions, clients: number): PeerContender {
  return loadedContender({
    name: `hello with a raw durable put, ${clients} clients`,
    server: sharedHello('set', options, { puts: true }),
    load: requestLoad('set', options, HELLO_PATH),
    clients,
  })
}
