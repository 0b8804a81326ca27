// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, DatabaseError } from 'pg'
import { assertOwn, ChildServer, freePorts, unprivilegedAccount } from './child-server.ts'
import { findExecutable } from './executable.ts'
import type { MeasuredServer } from './measured-server.ts'

const INITDB_MS_MAX = 60_000
const SHARED_BUFFERS_MIB_MAX = 2048

export type PostgresAddress = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

export type PostgresServer = MeasuredServer & { readonly address: PostgresAddress }

/** A PostgreSQL of our own: durable as by default, with more memory than by default. Throws PeerMissing. */
export async function startPostgres(folder: string): Promise<PostgresServer> {
  const program = findExecutable('postgres')
  const account = unprivilegedAccount()
  if (account !== undefined) await chown(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  await promisify(execFile)(
    findExecutable('initdb'),
    // What initdb writes is never needed after a crash; the server itself syncs.
    ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...account, cwd: folder, timeout: INITDB_MS_MAX },
  )
  const [port] = (await freePorts(1)) as [number]
  const address = { host: '127.0.0.1', port, user: 'bench', database: 'postgres' }
  const server = await ChildServer.start({
    name: 'postgres',
    program,
    args: ['-D', data, ...settingsAsArguments(port)],
    folder,
    account,
    // The fast shutdown: it does not wait for clients.
    stopSignal: 'SIGINT',
    ready: () => assertOwnData(address, data),
  })
  return { address, pid: server.pid, close: () => server.stop() }
}

/** Durability is the default, and is said anyway; the rest is what its manual advises for memory. */
function settingsAsArguments(port: number): string[] {
  const quarterMiB = Math.floor(totalmem() / 4 / 2 ** 20)
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    autovacuum: 'on',
    shared_buffers: `${Math.min(quarterMiB, SHARED_BUFFERS_MIB_MAX)}MB`,
    max_wal_size: '4GB',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function assertOwnData(address: PostgresAddress, data: string): Promise<void> {
  await withClient(address, async (client) => {
    const { rows } = await client.query('SHOW data_directory')
    assertOwn('postgres', rows[0].data_directory, data)
  })
}

/** Runs `work` over a connection of its own. */
export async function withClient<Result>(
  address: PostgresAddress,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(address)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** Which conflict with another transaction it was that a statement failed by; undefined where it was none. */
export function conflictOf(error: unknown): 'serialization' | 'deadlock' | undefined {
  const code = error instanceof DatabaseError ? error.code : undefined
  if (code === SERIALIZATION_FAILURE) return 'serialization'
  return code === DEADLOCK ? 'deadlock' : undefined
}
