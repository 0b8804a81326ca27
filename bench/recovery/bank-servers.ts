// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type SharedEngine, startEngine } from '../engines/shared-engine.ts'
import type { Surroundings } from '../harness/experiment.ts'
import { type PercoliteServer, startGateway, startPercolite } from '../servers/percolite-server.ts'
import { cpuSecondsOfTrees } from '../servers/process-figures.ts'
import type { BankAddresses } from './bank.ts'

/** What is killed by SIGKILL, and started again after a while. */
export type Victim = {
  /** In the names of its figures. */
  readonly name: string
  readonly title: string
  readonly awayMs: number
  kill(): Promise<void>
  /** Resolves when it takes work again, as far as it says so. */
  restart(): Promise<void>
}

/** The processes that keep a bank. */
export type BankServers = BankAddresses & {
  readonly victims: readonly Victim[]
  /** Of the processes that live. */
  cpuSeconds(): number
  close(): Promise<void>
}

const AWAY_MS = 5_000
const LEADER_MS_MAX = 10_000
const LOOK_AGAIN_MS = 100

/** One server over a store of its own; it is started again at once, as a supervisor does. */
export async function openEmbeddedBank({ temporaryFolder }: Surroundings): Promise<BankServers> {
  const folder = await temporaryFolder('recovery')
  let server = await startPercolite(folder)
  const victim: Victim = {
    ...{ name: 'server', title: 'the server', awayMs: 0 },
    kill: () => server.kill(),
    async restart() {
      server = await startPercolite(folder)
    },
  }
  return {
    any: () => server.origin,
    victims: [victim],
    cpuSeconds: () => cpuSecondsOfTrees([server.pid]),
    close: () => server.close(),
  }
}

/** Gateways over an etcd of three members. Clients ask any of them, and do not know which one was killed. */
export async function openSharedBank(
  gateways: number,
  below: (bound: number) => number,
  { temporaryFolder }: Surroundings,
): Promise<BankServers> {
  const folder = await temporaryFolder('gateways')
  const engine = await startEngine('etcd', { folder: await temporaryFolder('etcd') })
  const servers: PercoliteServer[] = []
  const start = (at: number) => startGateway(join(folder, String(at)), engine.moveTo)
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()))
    await engine.close()
  }
  try {
    while (servers.length < gateways) servers.push(await start(servers.length))
  } catch (error) {
    await close()
    throw error
  }
  const gateway: Victim = {
    ...{ name: 'gateway', title: 'a gateway', awayMs: AWAY_MS },
    kill: async () => await servers[0]?.kill(),
    async restart() {
      servers[0] = await start(0)
    },
  }
  return {
    any: () => (servers[below(servers.length)] as PercoliteServer).origin,
    victims: [gateway, leaderOf(engine)],
    cpuSeconds: () => cpuSecondsOfTrees([...servers.map(({ pid }) => pid), ...engine.processIds()]),
    close,
  }
}

function leaderOf(engine: SharedEngine): Victim {
  let restart: (() => Promise<void>) | undefined
  return {
    ...{ name: 'leader', title: "etcd's leader", awayMs: AWAY_MS },
    async kill() {
      const deadlineMs = performance.now() + LEADER_MS_MAX
      do {
        restart = await engine.killLeader?.()
        if (restart !== undefined) return
        await delay(LOOK_AGAIN_MS)
      } while (performance.now() < deadlineMs)
      throw new Error(`${engine.name} has had no leader for ${LEADER_MS_MAX / 1_000} s.`)
    },
    restart: async () => await restart?.(),
  }
}
