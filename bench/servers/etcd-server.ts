// SPDX-License-Identifier: Apache-2.0
import { basename, join } from 'node:path'
import { HttpClient } from '../load/http-client.ts'
import { assertOwn, ChildServer, freePorts } from './child-server.ts'
import { findExecutable } from './executable.ts'
import type { MeasuredServer } from './measured-server.ts'

// The default of 2 GiB is soon full of old versions when every put makes one.
const QUOTA_BYTES = 8 * 2 ** 30

/** An etcd of one member of our own, which syncs each entry of its log before it answers. Throws PeerMissing. */
export async function startEtcd(
  folder: string,
): Promise<MeasuredServer & { readonly origin: string }> {
  const program = findExecutable('etcd')
  const [clientPort, peerPort] = (await freePorts(2)) as [number, number]
  const origin = `http://127.0.0.1:${clientPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  // The folder's name is new with each start, so it tells our member from any other.
  const name = basename(folder)
  const flags = {
    name,
    'data-dir': join(folder, 'data'),
    'listen-client-urls': origin,
    'advertise-client-urls': origin,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `${name}=${peer}`,
    'quota-backend-bytes': QUOTA_BYTES,
    'auto-compaction-mode': 'revision',
    'auto-compaction-retention': 100_000,
    'log-level': 'error',
    logger: 'zap',
  }
  const server = await ChildServer.start({
    name: 'etcd',
    program,
    args: Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`),
    folder,
    ready: () => assertOwnMember(origin, name),
  })
  return { origin, pid: server.pid, close: () => server.stop() }
}

async function assertOwnMember(origin: string, name: string): Promise<void> {
  const client = new HttpClient(origin, 1)
  try {
    const { members } = JSON.parse(await client.ask('/v3/cluster/member/list', '{}'))
    assertOwn('etcd', members[0].name, name)
  } finally {
    client.close()
  }
}
