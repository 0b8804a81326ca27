// SPDX-License-Identifier: Apache-2.0
import { rowsOf } from '../load/data.ts'
import { exampleRequest, type HttpSettings } from '../load/http-workload.ts'
import type { Load } from '../load/loaded-contender.ts'
import { HelloServer } from '../peers/hello-server.ts'
import { SharedServer } from '../peers/measured-server.ts'
import type { PercoliteOptions, PercoliteServer } from '../peers/percolite-server.ts'
import { preparedPercolite } from '../peers/prepared-servers.ts'

export type RequestName = HttpSettings['request']

const HELLO_PATH = '/hello'
const MODULE = new URL('../load/http-workload.ts', import.meta.url).href

/** One percolite with the data of the benchmarks, for all contenders of an experiment. */
export function sharedPercolite(options: PercoliteOptions): SharedServer<PercoliteServer> {
  return new SharedServer('percolite', (folder) =>
    preparedPercolite(folder, rowsOf(options), options),
  )
}

const ROWS_FOR_ONE_ANSWER = 2

/** A hello server whose answer is the very answer that a percolite gives to such a request. */
export function sharedHello(
  request: RequestName,
  options: PercoliteOptions,
): SharedServer<HelloServer> {
  return new SharedServer('hello', async (folder) => {
    const percolite = await preparedPercolite(folder, ROWS_FOR_ONE_ANSWER, options)
    try {
      const { body } = exampleRequest(request, ROWS_FOR_ONE_ANSWER)
      return await HelloServer.start({ [HELLO_PATH]: await percolite.query(body) })
    } finally {
      await percolite.close()
    }
  })
}

export function percoliteLoad(
  request: RequestName,
  options: PercoliteOptions,
): (server: PercoliteServer) => Load {
  return ({ origin }) => loadOf({ origin, request, rows: rowsOf(options) })
}

export function helloLoad(
  request: RequestName,
  options: PercoliteOptions,
): (server: HelloServer) => Load {
  return ({ origin }) => loadOf({ origin, request, rows: rowsOf(options), path: HELLO_PATH })
}

function loadOf(settings: HttpSettings): Load {
  return { module: MODULE, settings }
}
