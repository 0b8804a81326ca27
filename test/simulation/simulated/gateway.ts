// SPDX-License-Identifier: Apache-2.0
import type { AsyncLocalStorage } from 'node:async_hooks'
import type { CellStore } from '../../../storage/cells/cell-store.ts'
import { CellStoreError, Storage } from '../../../storage/storage.ts'
import type { StorageLog } from '../../../storage/storage-log.ts'
import { SeededRandomness } from '../../seeded-randomness.ts'
import type { Violations } from '../checkers/violations.ts'
import type { Counters } from '../sometimes.ts'
import type { Swarm } from '../swarm.ts'
import type { FaultMenu } from './faults.ts'
import type { Scheduler } from './scheduler.ts'
import { SimulatedClock } from './simulated-clock.ts'
import { ProcessCrashed, SimulatedProcess } from './simulated-process.ts'

/** Which work of a process a call to the store belongs to. */
export type Sender = 'client' | 'background' | 'collector'

/** What all processes of a run have in common. */
export type Surroundings = {
  readonly scheduler: Scheduler
  readonly random: SeededRandomness
  readonly faults: FaultMenu
  readonly counters: Counters
  /** Follows the work of a process through its awaits. */
  readonly sender: AsyncLocalStorage<Sender>
}

/** The store as a process that starts now reaches it, and how it opens it. */
export type Engine = (
  process: SimulatedProcess,
  clock: SimulatedClock,
) => {
  readonly cellStore: CellStore
  readonly options: Parameters<typeof Storage.open>[1]
}

/**
 * One gateway after the other in the same place: a real `Storage` over a simulated store. When its
 * process dies, a new one with an empty memory and another clock takes over after a while.
 */
export class Gateway {
  readonly #name: string
  readonly #world: Surroundings
  readonly #swarm: Swarm
  readonly #violations: Violations
  readonly #engine: Engine
  #runs = 0
  #storage: Storage | undefined
  #process: SimulatedProcess
  #isOver = false

  constructor(
    name: string,
    world: Surroundings,
    parts: {
      readonly swarm: Swarm
      readonly violations: Violations
      readonly engine: Engine
    },
  ) {
    this.#name = name
    this.#world = world
    this.#swarm = parts.swarm
    this.#violations = parts.violations
    this.#engine = parts.engine
    this.#process = this.#start()
  }

  get isServing(): boolean {
    return this.#storage !== undefined && !this.#process.isDead
  }

  /** The process that runs now. */
  get process(): SimulatedProcess {
    return this.#process
  }

  /**
   * Runs one request of a client in the process that serves now. Rejects as the request does, or
   * with ProcessCrashed.
   */
  request<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
    const process = this.#process
    const storage = this.#storage
    if (storage === undefined) return Promise.reject(new ProcessCrashed(process.name))
    const { scheduler, faults } = this.#world
    const answer = new Promise<T>((resolve, reject) => {
      const serve = () =>
        this.#world.sender.run('client', () => work(storage)).then(resolve, reject)
      scheduler.after(faults.delayMs() / 4, 'serves', serve, process)
    })
    return process.answered(answer)
  }

  /** Stops in order; rejects when the process does not come to its end. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#storage?.close()
  }

  #start(): SimulatedProcess {
    const { scheduler, random } = this.#world
    this.#runs += 1
    const process = new SimulatedProcess(`${this.#name}.${this.#runs}`)
    const clock = new SimulatedClock(scheduler, process, {
      offsetMs: (random.fraction() * 2 - 1) * CLOCK_OFFSET_MS_MAX,
      rate: 1 + (random.fraction() * 2 - 1) * CLOCK_DRIFT_MAX,
    })
    const randomness = new SeededRandomness(random.below(2 ** 32))
    const { retention, indexBatchRows } = this.#swarm
    const log = this.#log(process)
    const { cellStore, options } = this.#engine(process, clock)
    const deps = { ...options, clock, randomness, log, retention, indexBatchRows }
    this.#storage = undefined
    this.#world.sender.run('background', () => this.#open(process, cellStore, deps))
    process.answered(new Promise(() => {})).catch(() => {
      this.#world.counters.count('crashes')
      if (this.#isOver) return
      scheduler.after(random.fraction() * RESTART_MS_MAX, `${this.#name} restarts`, () => {
        this.#process = this.#start()
      })
    })
    return process
  }

  /** A process that cannot open its storage is started again by whoever watches over it. */
  async #open(
    process: SimulatedProcess,
    cellStore: CellStore,
    deps: Parameters<typeof Storage.open>[1],
  ): Promise<void> {
    for (;;) {
      try {
        const storage = await Storage.open(cellStore, deps)
        if (process === this.#process && !process.isDead) this.#storage = storage
        if (process.isDead) return
        this.#collectForEver(process, storage)
        this.#stopInOrder(process, storage)
        return
      } catch (error) {
        if (!(error instanceof CellStoreError)) this.#unexpected('open', error)
        await deps.clock?.sleep(100)
      }
    }
  }

  /** Collects garbage once, however often the store is too busy for it. */
  async collect(): Promise<void> {
    for (;;) {
      const storage = this.#storage
      if (storage === undefined) throw new Error(`${this.#name} is not serving`)
      try {
        return await this.#collect(storage)
      } catch (error) {
        if (!isOfTheStore(error)) throw error
        await this.#world.scheduler.sleep(1_000)
      }
    }
  }

  async #collect(storage: Storage): Promise<void> {
    await this.#world.sender.run('collector', () => storage.collectGarbage())
    this.#world.counters.count('garbage collected')
  }

  async #collectForEver(process: SimulatedProcess, storage: Storage): Promise<void> {
    const { scheduler, random } = this.#world
    const { collectEveryMs } = this.#swarm
    if (collectEveryMs === undefined || this.#swarm.ranges.together) return
    while (!this.#isOver && !process.isDead) {
      await new Promise<void>((resolve) =>
        scheduler.after(collectEveryMs * (0.5 + random.fraction()), 'collects', resolve, process),
      )
      if (this.#isOver) return
      try {
        await this.#collect(storage)
      } catch (error) {
        if (this.#isOver || this.#storage !== storage) return // Stopped in its middle.
        if (!isOfTheStore(error)) this.#unexpected('garbage collection', error)
      }
    }
  }

  /** As on SIGTERM: what is under way is finished, and the next process goes on from there. */
  async #stopInOrder(process: SimulatedProcess, storage: Storage): Promise<void> {
    const { scheduler, random, counters, faults } = this.#world
    const { stopEveryMs } = this.#swarm.embedded
    if (stopEveryMs === undefined) return
    const ms = stopEveryMs * (0.5 + random.fraction())
    await new Promise<void>((resolve) => scheduler.after(ms, 'is told to stop', resolve, process))
    if (this.#isOver || faults.isStopped) return
    this.#storage = undefined
    counters.count('stopped in order')
    try {
      await storage.close()
    } catch (error) {
      if (!isOfTheStore(error)) this.#unexpected('close', error)
    }
    process.crash()
  }

  /** An error in the log is an alarm: a rule of `storage/DESIGN.md` did not hold. */
  #log(process: SimulatedProcess): StorageLog {
    const { scheduler } = this.#world
    return {
      info: (facts, message) => scheduler.note(`${process.name} ${message} ${textOf(facts)}`),
      warn: (facts, message) => scheduler.note(`${process.name} ${message} ${textOf(facts)}`),
      error: (facts, message) =>
        this.#violations.add('alarm', `${process.name} ${message} ${textOf(facts)}`),
    }
  }

  #unexpected(during: string, error: unknown): void {
    this.#violations.add('unexpected error', `${during}: ${String(error)}`)
  }
}

function isOfTheStore(error: unknown): boolean {
  return error instanceof CellStoreError || (error as Error).name === 'StorageError'
}

function textOf(facts: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(facts)
}

const CLOCK_OFFSET_MS_MAX = 600_000
const CLOCK_DRIFT_MAX = 0.01
const RESTART_MS_MAX = 3_000
