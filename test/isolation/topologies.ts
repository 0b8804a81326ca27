// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext } from 'node:test'
import {
  ENGINES,
  type EngineName,
  missingEngine,
  type SharedEngine,
  startEngine,
} from '../../bench/engines/shared-engine.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import { type DeathMoment, Gateways } from './gateways.ts'
import { networkGateways } from './network-gateways.ts'
import type { Name } from './scenario.ts'
import type { World } from './world.ts'

export type Topology = {
  readonly name: string
  /** What becomes of the one transaction of a scenario that its steps mark; undefined: it lives. */
  readonly death?: DeathMoment
  /** Why it cannot be tried here; false when it can. */
  readonly missing?: string | false
  /** Around all of its tests. */
  before?(): Promise<void>
  after?(): Promise<void>
  start(t: TestContext, names: readonly Name[]): Promise<World>
}

const severalGateways = (death?: DeathMoment): Topology['start'] => {
  return (t, names) => Gateways.start(t, names, death)
}

export const TOPOLOGIES: readonly Topology[] = [
  ...(['one-phase', 'two-phase'] as const).flatMap((commit) => [
    { name: `one server, in memory, ${commit}`, start: embedded('memory', commit) },
    { name: `one server, on SQLite, ${commit}`, start: embedded('sqlite', commit) },
  ]),
  { name: 'each transaction on its own gateway', start: severalGateways() },
  ...(['primaryLocked', 'prewritten', 'committed'] as const).map((death) => ({
    name: `a gateway that dies: ${death}`,
    death,
    start: severalGateways(death),
  })),
  ...ENGINES.map(overTheNetwork),
]

/** The tests that `defineTests` defines, between what this topology does before and after all of them. */
export function describeOver(topology: Topology, defineTests: () => void): void {
  describe(topology.name, { skip: topology.missing ?? false }, () => {
    before(() => topology.before?.())
    after(() => topology.after?.())
    defineTests()
  })
}

/** Each transaction on its own gateway, over a real engine. */
function overTheNetwork(engine: EngineName): Topology {
  let running: SharedEngine | undefined
  return {
    name: `each transaction on its own gateway, over ${engine}`,
    missing: missingEngine(engine),
    before: async () => {
      running = await startEngine(engine)
    },
    after: async () => await running?.close(),
    start: (t, names) => networkGateways(t, names, running as SharedEngine),
  }
}

function oneServer(server: TestServer): World {
  return {
    serverOf: () => server,
    living: () => [server],
    settled: (answer) => answer,
    letTimePass: async () => {},
    collectGarbage: async () => {},
    dieDuring: () => Promise.reject(new Error('the only gateway cannot die')),
  }
}

/** A server that owns its store alone, and commits as it is told. */
function embedded(
  engine: 'memory' | 'sqlite',
  commit: 'one-phase' | 'two-phase',
): Topology['start'] {
  return async (t) => {
    if (engine === 'memory') return oneServer(await startTestServer(t, { flags: { commit } }))
    const data = await mkdtemp(join(tmpdir(), 'percolite-isolation-'))
    const server = await startTestServer(t, { flags: { engine, data, commit } })
    t.after(() => rm(data, { recursive: true, force: true }))
    return oneServer(server)
  }
}
