// SPDX-License-Identifier: Apache-2.0
import { eventLoopTurn } from '../cell-store/event-loop-turn.ts'
import type { Clock } from '../clock.ts'
import { StorageError } from '../errors.ts'
import type { Randomness } from '../randomness.ts'
import type { StorageLog } from '../storage-log.ts'
import { Backoff } from '../transaction/backoff.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { Catalog, TableIndex } from './catalog.ts'
import { type BuildStep, buildBatch } from './index-backfill.ts'

export type IndexBuilderParts = {
  /** Begins a transaction that counts as nobody's. */
  readonly begin: () => Promise<Transaction>
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
 * Builds indexes behind the writers' backs, one at a time, batch by batch. It begins with whatever is
 * `building` when the store is opened, so a build that a crash interrupted goes on where it was. Each
 * batch is a transaction that also moves the position in the catalog's system row, so two builders,
 * of two processes or by mistake, conflict there and do no harm.
 */
export class IndexBuilder {
  readonly #parts: IndexBuilderParts
  readonly #stopping = new AbortController()
  readonly #builds = new Map<number, IndexBuild>()
  #running: Promise<void> = Promise.resolve()
  /** How often building was asked for, and up to which of these everything has been built. */
  #asked = 1
  #woken = Promise.withResolvers<void>()
  #waiters: Waiter[] = []
  #rowsMax: number

  constructor(parts: IndexBuilderParts) {
    this.#parts = parts
    this.#rowsMax = this.#batchRowsMax
  }

  get builds(): readonly IndexBuild[] {
    return [...this.#builds.values()]
  }

  get #batchRowsMax(): number {
    return this.#parts.batchRowsMax ?? BATCH_ROWS_MAX
  }

  start(): void {
    this.#running = this.#buildForEver()
  }

  /** Looks for work; to be called when the catalog has changed. */
  wake(): void {
    this.#asked += 1
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
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
    this.#stopping.abort()
    this.#woken.resolve()
    await this.#running
    for (const { reject } of this.#waiters) reject(stopped())
    this.#waiters = []
  }

  async #buildForEver(): Promise<void> {
    const { signal } = this.#stopping
    const { clock, log } = this.#parts
    while (!signal.aborted) {
      const asked = this.#asked
      try {
        await this.#buildAll()
        this.#answerWaiters(asked)
        if (this.#asked === asked) await this.#nextOccasion()
      } catch (error) {
        if (signal.aborted) return
        // Nothing is lost: the next try goes on behind the last batch that was committed.
        log.warn({ error: String(error) }, 'the building of an index was interrupted')
        await clock.sleep(RETRY_MS, signal).catch(() => undefined)
      }
    }
  }

  /** One that cannot go on does not keep the others from being built. */
  async #buildAll(): Promise<void> {
    const { signal } = this.#stopping
    const interrupted = new Map<number, unknown>()
    for (;;) {
      signal.throwIfAborted()
      const building = await this.#read(buildingIndexes)
      const next = building.find(({ index }) => !interrupted.has(index.id))
      if (next === undefined) break
      const { id } = next.index
      await this.#build(id).catch((error: unknown) => interrupted.set(id, error))
      await eventLoopTurn()
    }
    for (const error of interrupted.values()) throw error
  }

  async #build(indexId: number): Promise<void> {
    const { log } = this.#parts
    const { signal } = this.#stopping
    let backoff = new Backoff(this.#parts, CONFLICT_RETRY)
    try {
      for (;;) {
        signal.throwIfAborted()
        const step = await this.#tryBatch(indexId)
        if (step === 'gone' || (step !== 'conflict' && step.kind === 'ended')) break
        if (step === 'conflict') {
          // Smaller batches are shorter, so that rows that change all the time get their turn too.
          this.#rowsMax = Math.max(1, Math.floor(this.#rowsMax / 2))
          if (!(await backoff.wait(signal))) backoff = new Backoff(this.#parts, CONFLICT_RETRY)
          continue
        }
        backoff = new Backoff(this.#parts, CONFLICT_RETRY)
        this.#rowsMax = Math.min(this.#batchRowsMax, this.#rowsMax * 2)
        await eventLoopTurn()
      }
      log.info({ ...this.#builds.get(indexId) }, 'the building of an index has ended')
    } finally {
      this.#builds.delete(indexId)
    }
  }

  /** One batch, committed; `conflict` when it has to be tried again from a new snapshot. */
  async #tryBatch(indexId: number): Promise<BuildStep | 'gone' | 'conflict'> {
    const { signal } = this.#stopping
    const transaction = await this.#parts.begin()
    try {
      const building = findBuilding(await this.#parts.catalog(transaction), indexId)
      if (building === undefined) return 'gone'
      const bounds = { rowsMax: this.#rowsMax, bytesMax: BATCH_BYTES_MAX, signal }
      const step = await buildBatch(transaction, building, bounds)
      await transaction.commit()
      if (step.kind === 'moved') this.#moved(building, step.position.rows)
      return step
    } catch (error) {
      if (isWorthAnotherTry(error)) return 'conflict'
      throw error
    } finally {
      transaction.rollback()
    }
  }

  #moved({ table, index }: TableIndex, rowsDone: number): void {
    this.#builds.set(index.id, { table: table.name, index: index.name, rowsDone })
  }

  async #stateOf(indexId: number): Promise<'building' | 'ready' | 'failed' | 'dropped'> {
    return await this.#read((catalog) => {
      const indexes = catalog.tables().flatMap((table) => table.indexes)
      return indexes.find(({ id }) => id === indexId)?.state ?? 'dropped'
    })
  }

  async #read<T>(look: (catalog: Catalog) => T): Promise<T> {
    const transaction = await this.#parts.begin()
    try {
      return look(await this.#parts.catalog(transaction))
    } finally {
      transaction.rollback()
    }
  }

  async #nextOccasion(): Promise<void> {
    const { clock, lookMs } = this.#parts
    const { signal } = this.#stopping
    if (signal.aborted) return
    const woken = this.#woken.promise
    if (lookMs === undefined) return await woken
    const sleeping = new AbortController()
    const slept = clock.sleep(lookMs, sleeping.signal).catch(() => undefined)
    await Promise.race([woken, slept])
    sleeping.abort()
  }

  /** Everything that was building when this was called is so no more. */
  #allBuilt(signal: AbortSignal | undefined): Promise<void> {
    if (this.#stopping.signal.aborted) throw stopped()
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { asked: this.#asked, resolve, reject }
    this.#waiters.push(waiter)
    const aborted = () => reject(signal?.reason)
    signal?.addEventListener('abort', aborted, { once: true })
    return promise.finally(() => {
      signal?.removeEventListener('abort', aborted)
      this.#waiters = this.#waiters.filter((other) => other !== waiter)
    })
  }

  #answerWaiters(asked: number): void {
    for (const waiter of this.#waiters) if (waiter.asked <= asked) waiter.resolve()
  }
}

type Waiter = {
  readonly asked: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

function buildingIndexes(catalog: Catalog): TableIndex[] {
  return catalog
    .tables()
    .flatMap((table) => table.indexes.map((index) => ({ table, index })))
    .filter(({ index }) => index.state === 'building')
}

function findBuilding(catalog: Catalog, indexId: number): TableIndex | undefined {
  return buildingIndexes(catalog).find(({ index }) => index.id === indexId)
}

/** Also after a lost answer: the position tells whether the batch has been committed. */
function isWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof StorageError)) return false
  return error.retryable || error.code === 'commit_outcome_unknown'
}

function stopped(): StorageError {
  return new StorageError('closed', 'The store is being closed.')
}

/** So few that a commit of theirs holds up the writers in the queue for a moment only. */
const BATCH_ROWS_MAX = 250
const BATCH_BYTES_MAX = 1024 * 1024
const CONFLICT_RETRY = { firstMs: 2, totalMs: 1_000 }
const RETRY_MS = 1_000
