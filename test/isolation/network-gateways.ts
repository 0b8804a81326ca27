// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SharedEngine } from '../../bench/engines/shared-engine.ts'
import { openGateway } from '../../storage/storage.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import type { Name } from './scenario.ts'
import type { World } from './world.ts'

/**
 * A server for each transaction, with a connection of its own to the engine, where each scenario has a store of its
 * own. Time is real here.
 */
export async function networkGateways(
  t: TestContext,
  names: readonly Name[],
  engine: SharedEngine,
): Promise<World> {
  const place = `t-${randomUUID()}`
  const servers = new Map<Name, TestServer>()
  for (const name of names) {
    const storage = await openGateway(await engine.open(place), { ownsCellStore: true })
    servers.set(name, await startTestServer(t, { outside: { storage } }))
  }
  return {
    serverOf: (name) => servers.get(name) as TestServer,
    living: () => [...servers.values()],
    settled: (answer) => answer,
    letTimePass: (ms) => sleep(ms),
    collectGarbage: () => Promise.reject(new Error('it would take minutes')),
    dieDuring: () => Promise.reject(new Error('these gateways do not die')),
  }
}
