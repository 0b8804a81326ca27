// SPDX-License-Identifier: Apache-2.0

import type { Clock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import type { Randomness } from '../../randomness.ts'
import type { StorageLog } from '../../storage-log.ts'
import {
  BATCH_ROWS_MAX,
  type BeginOwn,
  reading,
  runBatches,
} from '../../transactions/own-transactions.ts'
import { BackgroundLoop } from '../../transactions/protocol/background-loop.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { nextTurn } from '../../turns/turns.ts'
import type { Catalog, TableIndex } from '../catalog/catalog.ts'
import { buildBatch } from './index-backfill.ts'

export type IndexBuilderDependencies = {
  readonly begin: BeginOwn
  readonly catalog: (transaction: Transaction) => Promise<Catalog>
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: StorageLog
  /** How often to look for indexes that another process began to build; never when absent. */
  readonly lookMs?: number
  /** Of one batch; so many that a commit of theirs holds up the writers for a moment only when absent. */
  readonly batchRowsMax?: number
}

/** An index that is being built by this process. */
export type IndexBuild = {
  readonly table: string
  readonly index: string
  readonly rowsDone: number
}

/**
 * Builds indexes in the background, one at a time, batch by batch. It begins with whatever is `building` when the store
 * is opened, so a build that a crash interrupted continues where it was. Each batch is a transaction that also moves
 * the position in the catalog's system row, so two builders, of two processes or by mistake, conflict there and do no
 * harm.
 */
export class IndexBuilder {
  readonly #deps: IndexBuilderDependencies
  readonly #loop: BackgroundLoop
  readonly #builds = new Map<number, IndexBuild>()
  readonly #waiters = new Set<PromiseWithResolvers<void>>()
  #rowsMax: number

  constructor(deps: IndexBuilderDependencies) {
    this.#deps = deps
    this.#rowsMax = this.#batchRowsMax
    this.#loop = new BackgroundLoop(deps, {
      pass: (signal) => this.#buildAll(signal),
      failureMessage: 'the building of an index was interrupted',
    })
  }

  get builds(): readonly IndexBuild[] {
    return [...this.#builds.values()]
  }

  get #batchRowsMax(): number {
    return this.#deps.batchRowsMax ?? BATCH_ROWS_MAX
  }

  start(): void {
    this.#loop.start()
  }

  /** Looks for work; to be called when the catalog has changed. */
  wake(): void {
    this.#loop.wake()
  }

  /**
   * Waits until an index is no longer being built. Rejects with the signal's reason, and with
   * StorageError `closed` when the builder is stopped first.
   */
  async built(indexId: number, signal?: AbortSignal): Promise<'ready' | 'failed' | 'dropped'> {
    for (;;) {
      const state = await this.#stateOf(indexId)
      if (state !== 'building') return state
      this.wake()
      await this.#allBuilt(signal)
    }
  }

  /** Ends after the batch that is under way. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    for (const { reject } of this.#waiters) reject(stopped())
  }

  /** One that cannot go on does not keep the others from being built. */
  async #buildAll(signal: AbortSignal): Promise<number | undefined> {
    // Who comes later has woken the loop, and is answered by its next pass.
    const waiting = [...this.#waiters]
    const interrupted = new Map<number, unknown>()
    for (;;) {
      signal.throwIfAborted()
      const building = await this.#read(buildingIndexes)
      const next = building.find(({ index }) => !interrupted.has(index.id))
      if (next === undefined) break
      const { id } = next.index
      await this.#build(id, signal).catch((error: unknown) => interrupted.set(id, error))
      await nextTurn()
    }
    for (const error of interrupted.values()) throw error
    for (const { resolve } of waiting) resolve()
    return this.#deps.lookMs
  }

  async #build(indexId: number, signal: AbortSignal): Promise<void> {
    const batches = {
      next: (transaction: Transaction) => this.#buildNext(transaction, indexId, signal),
      // Smaller batches are shorter, so that rows that change all the time get their turn too.
      conflicted: () => {
        this.#rowsMax = Math.max(1, Math.floor(this.#rowsMax / 2))
      },
    }
    try {
      await runBatches(this.#deps, batches, signal)
      this.#deps.log.info({ ...this.#builds.get(indexId) }, 'the building of an index has ended')
    } finally {
      this.#builds.delete(indexId)
    }
  }

  async #buildNext(
    transaction: Transaction,
    indexId: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const building = findBuilding(await this.#deps.catalog(transaction), indexId)
    if (building === undefined) return false
    const bounds = { rowsMax: this.#rowsMax, bytesMax: BATCH_BYTES_MAX, signal }
    const step = await buildBatch(transaction, building, bounds)
    await transaction.commit()
    if (step.kind === 'ended') return false
    const { table, index } = building
    const { rows: rowsDone } = step.position
    this.#builds.set(indexId, { table: table.name, index: index.name, rowsDone })
    this.#rowsMax = Math.min(this.#batchRowsMax, this.#rowsMax * 2)
    return true
  }

  async #stateOf(indexId: number): Promise<'building' | 'ready' | 'failed' | 'dropped'> {
    return await this.#read((catalog) => {
      const found = catalog.indexes().find(({ index }) => index.id === indexId)
      return found?.index.state ?? 'dropped'
    })
  }

  async #read<T>(look: (catalog: Catalog) => T): Promise<T> {
    const { catalog } = this.#deps
    return await reading(this.#deps, async (transaction) => look(await catalog(transaction)))
  }

  /** Everything that was building when this was called is so no more. */
  #allBuilt(signal: AbortSignal | undefined): Promise<void> {
    if (this.#loop.isStopped) throw stopped()
    signal?.throwIfAborted()
    const waiter = Promise.withResolvers<void>()
    this.#waiters.add(waiter)
    const aborted = () => waiter.reject(signal?.reason)
    signal?.addEventListener('abort', aborted, { once: true })
    return waiter.promise.finally(() => {
      signal?.removeEventListener('abort', aborted)
      this.#waiters.delete(waiter)
    })
  }
}

function buildingIndexes(catalog: Catalog): TableIndex[] {
  return catalog.indexes().filter(({ index }) => index.state === 'building')
}

function findBuilding(catalog: Catalog, indexId: number): TableIndex | undefined {
  return buildingIndexes(catalog).find(({ index }) => index.id === indexId)
}

function stopped(): StorageError {
  return new StorageError('closed', 'The store is being closed.')
}

const BATCH_BYTES_MAX = 1024 * 1024
