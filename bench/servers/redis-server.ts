// SPDX-License-Identifier: Apache-2.0
import { createClient } from '@redis/client'
import { assertOwn, ChildServer, freePorts } from './child-server.ts'
import { findExecutable } from './executable.ts'
import type { MeasuredServer } from './measured-server.ts'

/** A Redis of our own that syncs its log before it answers (`appendfsync always`). Throws PeerMissing. */
export async function startRedis(
  folder: string,
): Promise<MeasuredServer & { readonly url: string }> {
  const program = findExecutable('redis-server')
  const [port] = (await freePorts(1)) as [number]
  const url = `redis://127.0.0.1:${port}`
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    daemonize: 'no',
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  }
  const server = await ChildServer.start({
    name: 'redis',
    program,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    folder,
    ready: () => dataFolderOf(url).then((said) => assertOwn('redis', said, folder)),
  })
  return { url, pid: server.pid, close: () => server.stop() }
}

async function dataFolderOf(url: string): Promise<string | undefined> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  // A refused connection is also thrown by `connect`.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.configGet('dir')).dir
  } finally {
    await client.close()
  }
}
