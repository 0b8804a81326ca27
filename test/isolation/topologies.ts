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
import { Closing } from './closing.ts'
import { type DeathMoment, Gateways } from './gateways.ts'
import { NetworkGateways } from './network-gateways.ts'
import { type Name, NO_TABLE } from './scenario.ts'
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

/** What `npm test` tries. */
export const LOCAL_TOPOLOGIES: readonly Topology[] = [
  ...(['one-phase', 'two-phase'] as const).flatMap((commit) => [
    embedded('memory', commit),
    embedded('sqlite', commit),
  ]),
  {
    name: 'each transaction on its own gateway',
    start: (t, names) => Gateways.start(t, names),
  },
  dyingGateway('prewritten'),
]

/** What needs an engine, and the other moments of a death, which take as long. */
export const SYSTEM_TOPOLOGIES: readonly Topology[] = [
  dyingGateway('primaryLocked'),
  dyingGateway('committed'),
  ...ENGINES.map(overTheNetwork),
]

/** The tests that `defineTests` defines, between what this topology does before and after all of them. */
export function describeOver(topology: Topology, defineTests: (topology: Topology) => void): void {
  describe(topology.name, { skip: topology.missing ?? false }, () => {
    before(() => topology.before?.())
    after(() => topology.after?.())
    defineTests(topology)
  })
}

function dyingGateway(death: DeathMoment): Topology {
  return {
    name: `a gateway that dies: ${death}`,
    death,
    start: (t, names) => Gateways.start(t, names, death),
  }
}

/** Each transaction on its own gateway, over a real engine. */
function overTheNetwork(engine: EngineName): Topology {
  let running: SharedEngine | undefined
  let gateways: NetworkGateways | undefined
  return {
    name: `each transaction on its own gateway, over ${engine}`,
    missing: missingEngine(engine),
    before: async () => {
      running = await startEngine(engine)
      gateways = new NetworkGateways(running)
    },
    after: async () => {
      await gateways?.close()
      await running?.close()
    },
    start: (_, names) => (gateways as NetworkGateways).start(names),
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

/** A server that owns its store alone, and commits as it is told; the same for all tests. */
function embedded(engine: 'memory' | 'sqlite', commit: 'one-phase' | 'two-phase'): Topology {
  const closing = new Closing()
  let server: TestServer | undefined
  return {
    name: `one server, ${engine === 'memory' ? 'in memory' : 'on SQLite'}, ${commit}`,
    before: async () => {
      const data = await mkdtemp(join(tmpdir(), 'percolite-isolation-'))
      closing.after(() => rm(data, { recursive: true, force: true }))
      const place = engine === 'memory' ? {} : { data }
      server = await startTestServer(closing, { flags: { engine, commit, ...place } })
    },
    after: () => closing.close(),
    start: async () => {
      await server?.rows(NO_TABLE)
      return oneServer(server as TestServer)
    },
  }
}
