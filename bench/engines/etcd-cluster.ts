// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EtcdOptions, openEtcdCellStore } from '../../engines/etcd/etcd-engine.ts'
import { ChildServer, freePorts } from '../servers/child-server.ts'
import { findExecutable } from '../servers/executable.ts'
import type { MeasuredServer } from '../servers/measured-server.ts'

const START_MS = 20_000

/** What is missing on this machine; undefined when etcd can be started. */
export function etcdMissing(): string | undefined {
  if (spawnSync('etcd', ['--version']).status === 0) return undefined
  return 'etcd is not there: apt-get install -y --no-install-recommends etcd-server'
}

/** As `etcdMissing`, and false when it can be started; with CI=true it throws instead. */
export function etcdSkipReason(): string | false {
  const missing = etcdMissing()
  if (missing !== undefined && process.env.CI === 'true') throw new Error(missing)
  return missing ?? false
}

type Member = {
  readonly name: string
  readonly client: string
  readonly peer: string
  server: ChildServer | undefined
}

type ClusterOptions = {
  /** Of etcd itself. */
  readonly flags?: readonly string[]
  /** Members are reached by TLS where this is given. */
  readonly tls?: EtcdOptions['tls']
  /** For how long a store may not be opened after the start. */
  readonly startMs?: number
  /** For the data of all members, removed at the end; one of the system's temporary folders when absent. */
  readonly folder?: string
}

/** Some etcd processes on loopback, with data folders of their own. Each entry of the log is synced, as by default. */
export class EtcdCluster {
  readonly #folder: string
  readonly #members: readonly Member[]
  readonly #options: ClusterOptions

  private constructor(folder: string, members: readonly Member[], options: ClusterOptions) {
    this.#folder = folder
    this.#members = members
    this.#options = options
  }

  /** Resolves when a store can be opened on it. */
  static async start(count = 1, options: ClusterOptions = {}): Promise<EtcdCluster> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'percolite-etcd-')))
    const ports = await freePorts(2 * count)
    const members = Array.from({ length: count }, (_, at): Member => {
      const [client, peer] = ports.slice(2 * at, 2 * at + 2).map((port) => `127.0.0.1:${port}`)
      return { name: `m${at}`, client: client as string, peer: peer as string, server: undefined }
    })
    const cluster = new EtcdCluster(folder, members, options)
    try {
      await Promise.all(members.map((member) => cluster.#start(member)))
      await cluster.#ready()
    } catch (error) {
      await cluster.close()
      throw error
    }
    return cluster
  }

  get members(): readonly string[] {
    return this.#members.map(({ client }) => client)
  }

  /** A store of its own, or the one with this prefix. */
  async open(prefix: string = `${randomUUID()}/`): ReturnType<typeof openEtcdCellStore> {
    const { members } = this
    const { tls } = this.#options
    return await openEtcdCellStore({ members, prefix, user: undefined, tls })
  }

  /** The number of the member that leads; undefined when nobody says so. */
  async leader(): Promise<number | undefined> {
    const statuses = await Promise.all(this.#members.map(({ client }) => statusOf(client)))
    const leader = statuses.find((one) => one !== undefined)?.leader
    const at = statuses.findIndex((one) => one !== undefined && one.member === leader)
    return at < 0 ? undefined : at
  }

  /** By SIGKILL. */
  async kill(at: number): Promise<void> {
    const member = this.#members[at] as Member
    await member.server?.kill()
    member.server = undefined
  }

  async restart(at: number): Promise<void> {
    await this.#start(this.#members[at] as Member)
  }

  /** Of the members that live. */
  processIds(): readonly number[] {
    return this.#members.flatMap(({ server }) => server?.pid ?? [])
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map((_, at) => this.kill(at)))
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Resolves when its process runs: it takes work only when most members run. */
  async #start(member: Member): Promise<void> {
    const { name, client, peer } = member
    const { flags = [], tls } = this.#options
    const folder = join(this.#folder, name)
    await mkdir(folder, { recursive: true })
    const url = `${tls === undefined ? 'http' : 'https'}://${client}`
    const peerUrl = `http://${peer}`
    const cluster = this.#members.map((one) => `${one.name}=http://${one.peer}`).join(',')
    member.server = await ChildServer.start({
      name: `etcd ${name}`,
      program: findExecutable('etcd'),
      args: [
        ...['--name', name, '--data-dir', join(folder, 'data')],
        ...flags,
        ...['--listen-client-urls', url, '--advertise-client-urls', url],
        ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
        ...['--initial-cluster', cluster, '--log-level', 'error', '--logger', 'zap'],
      ],
      folder,
      ready: async () => {},
    })
  }

  async #ready(): Promise<void> {
    const deadlineMs = Date.now() + (this.#options.startMs ?? START_MS)
    for (;;) {
      try {
        const store = await this.open('ready/')
        await store.close()
        return
      } catch (error) {
        if (Date.now() > deadlineMs) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
}

// The default of 2 GiB is soon full of old versions when every put makes one.
const MEASURED = [
  ...['--quota-backend-bytes', String(8 * 2 ** 30)],
  ...['--auto-compaction-mode', 'revision', '--auto-compaction-retention', '100000'],
]

/** An etcd of one member as a server that is measured, which syncs each entry of its log before it answers. */
export async function startEtcd(
  folder: string,
): Promise<MeasuredServer & { readonly origin: string }> {
  const cluster = await EtcdCluster.start(1, { flags: MEASURED, folder: join(folder, 'etcd') })
  const [[member], [pid]] = [cluster.members, cluster.processIds()] as [[string], [number]]
  return { origin: `http://${member}`, pid, close: () => cluster.close() }
}

type Status = { readonly member: string; readonly leader: string }

/** By etcd's own JSON gateway; undefined when the member does not answer. */
async function statusOf(client: string): Promise<Status | undefined> {
  try {
    const answer = await fetch(`http://${client}/v3/maintenance/status`, {
      ...{ method: 'POST', body: '{}' },
      signal: AbortSignal.timeout(2_000),
    })
    const { header, leader } = (await answer.json()) as {
      readonly header: { readonly member_id: string }
      readonly leader: string
    }
    return { member: header.member_id, leader }
  } catch {
    return undefined
  }
}
