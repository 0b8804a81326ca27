// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SharedEngine } from '../../bench/engines/shared-engine.ts'
import { openGateway } from '../../storage/storage.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import { Closing } from './closing.ts'
import { type Name, NO_TABLE } from './scenario.ts'
import type { World } from './world.ts'

/**
 * A server for each transaction, with a connection of its own to the engine. They share one store, and stay for the
 * next scenario, which begins without a table. Time is real here.
 */
export class NetworkGateways {
  readonly #engine: SharedEngine
  readonly #place = `t-${randomUUID()}`
  readonly #servers = new Map<Name, TestServer>()
  readonly #closing = new Closing()

  constructor(engine: SharedEngine) {
    this.#engine = engine
  }

  async start(names: readonly Name[]): Promise<World> {
    for (const name of names) {
      if (!this.#servers.has(name)) this.#servers.set(name, await this.#startGateway())
    }
    const servers = names.map((name) => this.#servers.get(name) as TestServer)
    await servers[0]?.rows(NO_TABLE)
    return {
      serverOf: (name) => this.#servers.get(name) as TestServer,
      living: () => servers,
      settled: (answer) => answer,
      letTimePass: (ms) => sleep(ms),
      collectGarbage: () => Promise.reject(new Error('it would take minutes')),
      dieDuring: () => Promise.reject(new Error('these gateways do not die')),
    }
  }

  close(): Promise<void> {
    return this.#closing.close()
  }

  async #startGateway(): Promise<TestServer> {
    const cellStore = await this.#engine.open(this.#place)
    const storage = await openGateway(cellStore, { ownsCellStore: true })
    return await startTestServer(this.#closing, { deps: { storage } })
  }
}
