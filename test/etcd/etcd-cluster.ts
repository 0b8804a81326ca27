// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EtcdCellStore } from '../../engines/etcd/etcd-cell-store.ts'
import { type EtcdOptions, openEtcdCellStore } from '../../engines/etcd/etcd-engine.ts'

const START_MS = 20_000

/** What is missing on this machine; false when etcd can be started. With CI=true it throws instead. */
export function etcdSkipReason(): string | false {
  if (spawnSync('etcd', ['--version']).status === 0) return false
  const text = 'etcd is not there: apt-get install -y --no-install-recommends etcd-server'
  if (process.env.CI === 'true') throw new Error(text)
  return text
}

type Member = {
  readonly name: string
  readonly client: string
  readonly peer: string
  child: ChildProcess | undefined
}

/** How members are reached: by TLS with these flags of etcd, where they are given. */
type Access = {
  readonly flags: readonly string[]
  readonly tls: EtcdOptions['tls']
  /** For how long a store may not be opened after the start. */
  readonly startMs?: number
}

const PLAIN: Access = { flags: [], tls: undefined }

/** Some etcd processes on loopback, with data folders of their own. */
export class EtcdCluster {
  readonly #folder: string
  readonly #members: readonly Member[]
  readonly #access: Access

  private constructor(folder: string, members: readonly Member[], access: Access) {
    this.#folder = folder
    this.#members = members
    this.#access = access
  }

  /** Resolves when a store can be opened on it. */
  static async start(count = 1, access: Access = PLAIN): Promise<EtcdCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'percolite-etcd-'))
    const ports = await freePorts(2 * count)
    const members = Array.from({ length: count }, (_, at): Member => {
      const [client, peer] = ports.slice(2 * at, 2 * at + 2).map((port) => `127.0.0.1:${port}`)
      return { name: `m${at}`, client: client as string, peer: peer as string, child: undefined }
    })
    const cluster = new EtcdCluster(folder, members, access)
    process.once('exit', () => cluster.#killAll())
    for (const member of members) cluster.#start(member)
    try {
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
  async open(prefix: string = `${randomUUID()}/`): Promise<EtcdCellStore> {
    const { members } = this
    const { tls } = this.#access
    return await openEtcdCellStore({ members, prefix, user: undefined, tls })
  }

  /** The number of the member that leads; undefined when nobody says so. */
  async leader(): Promise<number | undefined> {
    const statuses = await Promise.all(this.#members.map(({ client }) => statusOf(client)))
    const leader = statuses.find((one) => one !== undefined)?.leader
    const at = statuses.findIndex((one) => one !== undefined && one.member === leader)
    return at < 0 ? undefined : at
  }

  async kill(at: number): Promise<void> {
    const member = this.#members[at] as Member
    const { child } = member
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    member.child = undefined
  }

  restart(at: number): void {
    this.#start(this.#members[at] as Member)
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map((_, at) => this.kill(at)))
    await rm(this.#folder, { recursive: true, force: true })
  }

  #start(member: Member): void {
    const { name, client, peer } = member
    const { flags, tls } = this.#access
    const url = `${tls === undefined ? 'http' : 'https'}://${client}`
    const cluster = this.#members.map((one) => `${one.name}=http://${one.peer}`).join(',')
    member.child = spawn(
      'etcd',
      [
        ...['--name', name, '--data-dir', join(this.#folder, name)],
        ...flags,
        ...['--listen-client-urls', url, '--advertise-client-urls', url],
        ...[
          '--listen-peer-urls',
          `http://${peer}`,
          '--initial-advertise-peer-urls',
          `http://${peer}`,
        ],
        ...['--initial-cluster', cluster, '--log-level', 'error', '--logger', 'zap'],
      ],
      { stdio: 'ignore' },
    )
  }

  async #ready(): Promise<void> {
    const deadlineMs = Date.now() + (this.#access.startMs ?? START_MS)
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

  #killAll(): void {
    for (const { child } of this.#members) child?.kill('SIGKILL')
  }
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

/** Ports that the system had free a moment ago: etcd has to be told them, and cannot say which it took. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
