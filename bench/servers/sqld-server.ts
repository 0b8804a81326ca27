// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { ChildServer, freePorts } from './child-server.ts'
import { findExecutable } from './executable.ts'
import type { MeasuredServer } from './measured-server.ts'

/** A sqld of our own, as it is by default. Throws PeerMissing. */
export async function startSqld(
  folder: string,
): Promise<MeasuredServer & { readonly origin: string }> {
  const program = findExecutable('sqld')
  const [port] = (await freePorts(1)) as [number]
  const origin = `http://127.0.0.1:${port}`
  const data = join(folder, 'data')
  const server = await ChildServer.start({
    name: 'sqld',
    program,
    args: ['--db-path', data, '--http-listen-addr', `127.0.0.1:${port}`, '--no-welcome'],
    folder,
    ready: async (log) => {
      // It does not say whose it is, but its log is that of this process alone.
      if (!log.includes(`127.0.0.1:${port}`)) throw new Error('it does not listen yet')
      await fetch(`${origin}/health`)
    },
  })
  return { origin, pid: server.pid, close: () => server.stop() }
}
