// SPDX-License-Identifier: Apache-2.0
import { readConfig } from './config.ts'
import { FLAGS } from './flags.ts'
import { loadObservers } from './live/observers/observer-module.ts'
import { createServer } from './server.ts'
import { UsageError } from './usage-error.ts'

// The door of `percolite/testing`.

export type StartedServer = {
  /** Where it listens, on this machine alone: `connect({ url })`. */
  readonly url: string
  /** Stops it; what it held is gone. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a server in this process for a test: in memory, empty, at a free port, without tokens and without a log.
 * `flags` are those of `percolite serve`, such as `{ 'statement-timeout': '1s' }`. Rejects for one that there is not.
 */
export async function startServer(
  flags: Readonly<Record<string, string>> = {},
): Promise<StartedServer> {
  const unknown = Object.keys(flags).find((name) => !Object.hasOwn(FLAGS, name))
  if (unknown !== undefined) throw new UsageError(`There is no flag --${unknown}.`)
  const config = readConfig({ engine: 'memory', port: '0', ...flags }, {})
  const observers = await loadObservers(config.observersModule)
  const server = await createServer(config, { observers })
  const { url } = await server.listen()
  const close = () => server.close()
  return { url, close, [Symbol.asyncDispose]: close }
}
