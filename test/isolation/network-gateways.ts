// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CellStore, openGateway } from '../../storage/storage.ts'
import { openEmulatedStore } from '../bigtable/emulated-store.ts'
import { anyEmulator } from '../bigtable/emulator.ts'
import { EtcdCluster } from '../etcd/etcd-cluster.ts'
import type { EngineName } from '../gateways/shared-engine.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import type { Name } from './scenario.ts'
import type { World } from './world.ts'

/** One engine for all scenarios; each has a table, or a prefix, of its own. */
export type RunningEngine = {
  open(name: string): Promise<CellStore>
  close(): Promise<void>
}

export async function startNetworkEngine(name: EngineName): Promise<RunningEngine> {
  if (name === 'bigtable') {
    const emulator = await anyEmulator().start()
    return {
      open: (table) => openEmulatedStore(emulator, table),
      close: () => emulator.close(),
    }
  }
  const cluster = await EtcdCluster.start()
  return { open: (prefix) => cluster.open(`${prefix}/`), close: () => cluster.close() }
}

/** A server for each transaction, each with a connection of its own to the engine. Time is real here. */
export async function networkGateways(
  t: TestContext,
  names: readonly Name[],
  engine: RunningEngine,
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
