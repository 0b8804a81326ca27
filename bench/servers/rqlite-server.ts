// SPDX-License-Identifier: Apache-2.0
import { basename, join } from 'node:path'
import { assertOwn, ChildServer, freePorts } from './child-server.ts'
import { findExecutable } from './executable.ts'
import type { MeasuredServer } from './measured-server.ts'

type Status = { readonly store: { readonly node_id?: string; readonly ready: boolean } }

/** An rqlite of one node of our own, which syncs its Raft log before it answers. Throws PeerMissing. */
export async function startRqlite(
  folder: string,
): Promise<MeasuredServer & { readonly origin: string }> {
  const program = findExecutable('rqlited')
  const [port, raftPort] = (await freePorts(2)) as [number, number]
  const origin = `http://127.0.0.1:${port}`
  // The folder's name is new with each start, so it tells our node from any other.
  const id = basename(folder)
  const flags = {
    'node-id': id,
    'http-addr': `127.0.0.1:${port}`,
    'raft-addr': `127.0.0.1:${raftPort}`,
    'raft-log-level': 'ERROR',
  }
  const server = await ChildServer.start({
    name: 'rqlite',
    program,
    args: [
      ...Object.entries(flags).map(([flag, value]) => `-${flag}=${value}`),
      join(folder, 'data'),
    ],
    folder,
    ready: async () => {
      const { store } = (await (await fetch(`${origin}/status`)).json()) as Status
      if (store.node_id === undefined) throw new Error('it does not know its name yet')
      assertOwn('rqlite', store.node_id, id)
      if (!store.ready) throw new Error('it has no leader yet')
    },
  })
  return { origin, pid: server.pid, close: () => server.stop() }
}
