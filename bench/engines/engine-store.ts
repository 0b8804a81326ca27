// SPDX-License-Identifier: Apache-2.0

import type { CellStore, Storage } from '../../storage/storage.ts'
import { openGateway } from '../../storage/storage.ts'
import { FilledStore } from '../embedded/filled-store.ts'
import type { Work } from '../embedded/work.ts'
import type { Surroundings } from '../harness/experiment.ts'
import { Shared } from '../harness/shared.ts'
import { cpuSecondsOfTree } from '../servers/process-figures.ts'
import { type EngineName, type SharedEngine, startEngine } from './shared-engine.ts'

/** A filled store in an engine of its own, whose gateway is this process. */
export class EngineStore extends FilledStore {
  readonly #engine: SharedEngine

  private constructor(rows: number, opened: Opened) {
    super(rows, opened.cellStore, opened.storage)
    this.#engine = opened.engine
  }

  static async open(
    name: EngineName,
    rows: number,
    surroundings: Surroundings,
  ): Promise<EngineStore> {
    const folder = await surroundings.temporaryFolder(name)
    // A single server, as the paper's.
    const engine = await startEngine(name, { members: 1, folder })
    try {
      const cellStore = await engine.open('bench')
      const storage = await openGateway(cellStore, { ownsCellStore: true })
      const store = new EngineStore(rows, { engine, cellStore, storage })
      await store.fillRaw(surroundings)
      await store.fillTransactions(surroundings)
      return store
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  /** Requests that this process has sent to the engine since it opened the store. */
  requestsSent(): number {
    let sum = 0
    for (const count of this.cellStore.requestsSent?.values() ?? []) sum += count
    return sum
  }

  /** Of the engine's own processes; 0 where the system tells none. */
  engineCpuSeconds(): number {
    return this.#engine.processIds().reduce((sum, pid) => sum + (cpuSecondsOfTree(pid) ?? 0), 0)
  }

  override async close(): Promise<void> {
    try {
      await super.close()
    } finally {
      await this.#engine.close()
    }
  }
}

type Opened = {
  readonly engine: SharedEngine
  readonly cellStore: CellStore
  readonly storage: Storage
}

/** One store for all contenders of an experiment. */
export function sharedEngineStore(name: EngineName, rows: number): Shared<EngineStore> {
  return new Shared((surroundings) => EngineStore.open(name, rows, surroundings))
}

/**
 * The work, with what the engine had to do with it: how many requests it was sent for each operation, and its own CPU
 * time. The CPU time of the sample is that of both processes. `roundTrips` are told with them.
 */
export function withEngineFigures(store: EngineStore, roundTrips: number, work: Work): Work {
  return async (seconds, signal) => {
    const sentBefore = store.requestsSent()
    const cpuBefore = store.engineCpuSeconds()
    const sample = await work(seconds, signal)
    const cpuSeconds = store.engineCpuSeconds() - cpuBefore
    const operations = Math.max(1, sample.operations)
    return {
      ...sample,
      cpuSeconds: sample.cpuSeconds + cpuSeconds,
      figures: {
        ...sample.figures,
        roundTrips,
        requestsPerOperation: (store.requestsSent() - sentBefore) / operations,
        engineCpuMicrosPerOperation: (cpuSeconds * 1e6) / operations,
      },
    }
  }
}
