// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startTestServer, type TestServer } from '../test-server.ts'
import { type DeathMoment, Gateways } from './gateways.ts'
import type { Name } from './scenario.ts'
import type { World } from './world.ts'

export type Topology = {
  readonly name: string
  /** What becomes of the one transaction of a scenario that its steps mark; undefined: it lives. */
  readonly death?: DeathMoment
  start(t: TestContext, names: readonly Name[]): Promise<World>
}

const severalGateways = (death?: DeathMoment): Topology['start'] => {
  return (t, names) => Gateways.start(t, names, death)
}

export const TOPOLOGIES: readonly Topology[] = [
  { name: 'one gateway, in memory', start: async (t) => oneServer(await startTestServer(t)) },
  { name: 'one gateway, on SQLite', start: async (t) => oneServer(await startOnSqlite(t)) },
  { name: 'each transaction on its own gateway', start: severalGateways() },
  ...(['primaryLocked', 'prewritten', 'committed'] as const).map((death) => ({
    name: `a gateway that dies: ${death}`,
    death,
    start: severalGateways(death),
  })),
]

function oneServer(server: TestServer): World {
  return {
    serverOf: () => server,
    living: () => [server],
    settled: (answer) => answer,
    letTimePass: async () => {},
    dieDuring: () => Promise.reject(new Error('the only gateway cannot die')),
  }
}

async function startOnSqlite(t: TestContext): Promise<TestServer> {
  const data = await mkdtemp(join(tmpdir(), 'percolite-isolation-'))
  const server = await startTestServer(t, { flags: { engine: 'sqlite', data } })
  t.after(() => rm(data, { recursive: true, force: true }))
  return server
}
