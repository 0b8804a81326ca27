// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SuiteOption } from '../harness/experiment.ts'
import { HttpClient } from '../load/http-client.ts'
import { assertOwn, ChildServer } from './child-server.ts'
import type { MeasuredServer } from './measured-server.ts'

export const THIS_TREE = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What `npm start` of a checkout runs, for those who start its server themselves:
 * `node …nodeFlags main serve`, without the cache of compiled code, which is only for the start. Throws
 * when its package.json says something else.
 */
export function startCommand(tree = THIS_TREE): {
  readonly nodeFlags: readonly string[]
  readonly main: string
} {
  const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
  const call = /exec node (.*?)(\w+\/\w+\.ts) serve$/.exec(scripts.start)
  const [, flags, main] = call ?? []
  if (flags === undefined || main === undefined) {
    throw new Error(`${tree}: "${scripts.start}" is not understood`)
  }
  return { nodeFlags: flags.split(' ').filter((word) => word !== ''), main: join(tree, main) }
}

/** Which server is measured; each suite with one takes these as flags. */
export const PERCOLITE_OPTIONS = {
  tree: { default: THIS_TREE, help: 'the checkout whose server is measured' },
  'node-flags': { default: '', help: 'for the node that runs it, such as --cpu-prof' },
  'server-flags': { default: '', help: 'for percolite serve itself' },
} as const satisfies Readonly<Record<string, SuiteOption>>

export type PercoliteOptions = Readonly<Record<string, string>>

export type PercoliteServer = MeasuredServer & {
  readonly origin: string
  /** The answer of `POST /v1/query`. Throws UnexpectedAnswer. */
  query(body: unknown, token?: string): Promise<unknown>
  /** How many requests it has sent to a store on the network, as its `/metrics` say. */
  storeRequests(): Promise<number>
  /** Ends it with SIGKILL; what it had acknowledged is in its folder, for the next one. */
  kill(): Promise<void>
}

/** Percolite itself, as `npm start` runs it, on a free port; what it has acknowledged is on disk. */
export async function startPercolite(
  folder: string,
  options: PercoliteOptions = {},
): Promise<PercoliteServer> {
  const data = join(folder, 'data')
  const server = await started(folder, ['--data', data], options)
  // The address is from the process' own output; that the store is its own, the lock beside it says.
  assertOwn('percolite', readFileSync(join(data, 'lock.pid'), 'utf8').trim(), server.pid)
  return server
}

/** One of several over a store on the network, which `to` names in the words of `percolite move`. */
export async function startGateway(
  folder: string,
  to: string,
  options: PercoliteOptions = {},
): Promise<PercoliteServer> {
  const [, engine = '', named = ''] = /^(bigtable|etcd):(.+)$/s.exec(to) ?? []
  // For its log.
  await mkdir(folder, { recursive: true })
  return await started(folder, ['--engine', engine, `--${engine}`, named], options)
}

/** Takes a database to such a store, where it is compared: one in a folder, or that of a server, which is used on. */
export async function moveDatabase(
  from: string,
  to: string,
  options: PercoliteOptions = {},
): Promise<void> {
  const { main } = startCommand(options.tree)
  const follow = from.startsWith('http') ? ['--follow'] : []
  const args = [main, 'move', '--from', from, '--to', to, '--json', ...follow]
  await promisify(execFile)(process.execPath, args)
}

async function started(
  folder: string,
  store: readonly string[],
  options: PercoliteOptions,
): Promise<PercoliteServer> {
  const { nodeFlags, main } = startCommand(options.tree)
  const [ownNodeFlags, flags] = [words(options['node-flags']), words(options['server-flags'])]
  const place = ['--host', '127.0.0.1', '--port', '0', ...store, '--log-format', 'json']
  let origin = ''
  const server = await ChildServer.start({
    name: 'percolite',
    program: process.execPath,
    args: [...nodeFlags, ...ownNodeFlags, main, 'serve', ...place, ...flags],
    folder,
    ready: async (log) => {
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1]
      if (found === undefined) throw new Error('it has not named its address')
      origin = found
    },
  })
  const client = new HttpClient(origin, 4)
  return {
    origin,
    pid: server.pid,
    query: async (body, token) => {
      const asking = token === undefined ? client : new HttpClient(origin, 1, token)
      try {
        return JSON.parse(await asking.ask('/v1/query', JSON.stringify(body)))
      } finally {
        if (asking !== client) asking.close()
      }
    },
    async storeRequests() {
      const metrics = await (await fetch(`${origin}/metrics`)).text()
      const counts = metrics.matchAll(/^percolite_store_requests_total\{.*\} (\d+)$/gm)
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
    },
    async kill() {
      await server.kill()
      client.close()
    },
    async close() {
      client.close()
      await server.stop()
    },
  }
}

function words(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '')
}

/** The text of a token, where the answer has one. */
export function tokenOf(answer: unknown): string | undefined {
  const { results } = answer as { results?: Array<{ rows: Array<{ token?: string }> }> }
  return results?.[0]?.rows[0]?.token
}
