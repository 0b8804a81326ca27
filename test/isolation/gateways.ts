// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { compareRowKeys, systemRowKey } from '../../storage/cells/row-key.ts'
import { openGateway, type Storage } from '../../storage/storage.ts'
import { outcomePath } from '../../storage/transactions/records/transaction-id.ts'
import { ManualClock } from '../manual-clock.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import { FaultyCellStore } from '../storage/faulty-cell-store.ts'
import { Closing } from './closing.ts'
import type { Name } from './scenario.ts'
import type { World } from './world.ts'

/**
 * How far the commit of a dying gateway got: only its primary is locked, all of its rows are, or its
 * primary is committed and nobody was told.
 */
export type DeathMoment = 'primaryLocked' | 'prewritten' | 'committed'

/** Beyond the life of a token and of a lock. */
const UNTIL_TAKEN_FOR_DEAD_MS = 4_000
/** All clocks keep within one tick of each other. */
const TICK_MS = 5
const LONG_TICK_MS = 200

type Gateway = {
  readonly store: FaultyCellStore
  readonly clock: ManualClock
  readonly storage: Storage
  readonly server: TestServer
  readonly close: () => Promise<void>
}

/** Gateways over one store in memory, each with a clock of its own; all clocks run side by side. */
export class Gateways implements World {
  readonly #death: DeathMoment | undefined
  readonly #gateways = new Map<Name, Gateway>()

  private constructor(death: DeathMoment | undefined) {
    this.#death = death
  }

  static async start(
    t: TestContext,
    names: readonly Name[],
    death?: DeathMoment,
  ): Promise<Gateways> {
    const gateways = new Gateways(death)
    const store = new MemoryCellStore()
    for (const name of names) {
      gateways.#gateways.set(name, await startGateway(store))
    }
    t.after(() => gateways.#close())
    return gateways
  }

  serverOf(name: Name): TestServer {
    const gateway = this.#gateways.get(name)
    if (gateway === undefined) throw new Error(`the gateway of ${name} is dead`)
    return gateway.server
  }

  living(): readonly TestServer[] {
    return [...this.#gateways.values()].map(({ server }) => server)
  }

  async settled<T>(answer: Promise<T>): Promise<T> {
    return await this.#passed(TICK_MS, answer)
  }

  async #passed<T>(tickMs: number, answer: Promise<T>): Promise<T> {
    let isPending = true
    const ended = () => {
      isPending = false
    }
    answer.then(ended, ended)
    while (isPending) await this.#tick(tickMs)
    return answer
  }

  async letTimePass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += LONG_TICK_MS) await this.#tick(LONG_TICK_MS)
  }

  async collectGarbage(): Promise<void> {
    const [gateway] = this.#gateways.values()
    await this.#passed(LONG_TICK_MS, (gateway as Gateway).storage.collectGarbage())
  }

  /** A dead gateway's clock stands still: no heartbeat, no renewed token comes from it. */
  async dieDuring(name: Name, transaction: string, commit: () => Promise<unknown>): Promise<void> {
    const gateway = this.#gateways.get(name)
    if (gateway === undefined) throw new Error(`the gateway of ${name} is dead`)
    const primary = systemRowKey(outcomePath(transaction))
    let callsOfPrimary = 0
    const died = new Promise<void>((resolve) => {
      gateway.store.fault = (_call, row) => {
        if (compareRowKeys(row, primary) !== 0) return 'none'
        callsOfPrimary += 1
        // The primary is called twice: to be locked, and to be committed.
        if (callsOfPrimary === 1 && this.#death !== 'primaryLocked') return 'none'
        resolve()
        return this.#death === 'prewritten' ? 'crashBefore' : 'crashAfter'
      }
    })
    // Its client gets no answer, or the end of its connection.
    commit().catch(() => undefined)
    await this.settled(died)
    this.#gateways.delete(name)
    // Of a dead process the sockets end as well. Nothing of it reaches the store any more, and its clock stands still.
    gateway.store.fault = () => 'crashBefore'
    gateway.close().catch(() => undefined)
    await this.letTimePass(UNTIL_TAKEN_FOR_DEAD_MS)
  }

  async #tick(ms: number): Promise<void> {
    for (const { clock } of this.#gateways.values()) await clock.advance(ms)
  }

  async #close(): Promise<void> {
    for (const { close } of this.#gateways.values()) await this.settled(close())
  }
}

async function startGateway(shared: MemoryCellStore): Promise<Gateway> {
  const store = new FaultyCellStore(shared)
  const clock = new ManualClock()
  const storage = await openGateway(store, { clock })
  const closing = new Closing()
  const flags = { 'shutdown-timeout': '1s' }
  const server = await startTestServer(closing, { flags, deps: { clock, storage } })
  return { store, clock, storage, server, close: () => closing.close() }
}
