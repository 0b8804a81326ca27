// SPDX-License-Identifier: Apache-2.0
import { eventLoopTurn } from '../cell-store/event-loop-turn.ts'
import { StorageError } from '../errors.ts'
import type { Catalog, TableObserver } from '../tables/catalog.ts'
import { Backoff } from '../transaction/backoff.ts'
import { backfillBatch } from './observer-backfill.ts'
import type { ObserverParts } from './observer-parts.ts'

/** Notifies observers, one after the other, of the rows of before that CREATE OBSERVER and REPLAY ask for. */
export class ObserverBackfiller {
  readonly #parts: ObserverParts
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #woken: PromiseWithResolvers<void> = Promise.withResolvers()
  #asked = 0

  constructor(parts: ObserverParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = this.#backfillForEver()
  }

  /** Looks for work; to be called when the catalog has changed. */
  wake(): void {
    this.#asked += 1
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }

  /** Ends after the batch that is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#woken.resolve()
    await this.#running
  }

  async #backfillForEver(): Promise<void> {
    const { signal } = this.#stopping
    const { clock, log } = this.#parts
    while (!signal.aborted) {
      const asked = this.#asked
      try {
        await this.#backfillAll()
        if (this.#asked === asked) await this.#nextOccasion()
      } catch (error) {
        if (signal.aborted) return
        // Nothing is lost: the next try goes on behind the last batch that was committed.
        log.warn({ error: String(error) }, 'the notifying of older rows was interrupted')
        await clock.sleep(RETRY_MS, signal).catch(() => undefined)
      }
    }
  }

  async #backfillAll(): Promise<void> {
    const { signal } = this.#stopping
    let backoff = new Backoff(this.#parts, CONFLICT_RETRY)
    for (;;) {
      signal.throwIfAborted()
      const step = await this.#tryBatch()
      if (step === 'nothing') return
      if (step !== 'conflict') backoff = new Backoff(this.#parts, CONFLICT_RETRY)
      else if (!(await backoff.wait(signal))) backoff = new Backoff(this.#parts, CONFLICT_RETRY)
      await eventLoopTurn()
    }
  }

  async #tryBatch(): Promise<'nothing' | 'moved' | 'ended' | 'conflict'> {
    const { begin, catalog, log, backfillRowsMax = BATCH_ROWS_MAX } = this.#parts
    const { signal } = this.#stopping
    const transaction = await begin()
    try {
      const found = nextToBackfill(await catalog(transaction))
      if (found === undefined) return 'nothing'
      const bounds = { rowsMax: backfillRowsMax, signal }
      const step = await backfillBatch(this.#parts, transaction, found, bounds)
      await transaction.commit()
      if (step === 'ended') {
        log.info({ observer: found.observer.name }, 'all older rows have been notified')
      }
      return step
    } catch (error) {
      if (isWorthAnotherTry(error)) return 'conflict'
      throw error
    } finally {
      transaction.rollback()
    }
  }

  async #nextOccasion(): Promise<void> {
    const { clock, lookMs } = this.#parts
    if (this.#stopping.signal.aborted) return
    const woken = this.#woken.promise
    if (lookMs === undefined) return await woken
    const sleeping = new AbortController()
    const slept = clock.sleep(lookMs, sleeping.signal).catch(() => undefined)
    await Promise.race([woken, slept])
    sleeping.abort()
  }
}

function nextToBackfill(catalog: Catalog): TableObserver | undefined {
  for (const table of catalog.tables()) {
    const observer = table.observers.find(({ isBackfilled }) => !isBackfilled)
    if (observer !== undefined) return { table, observer }
  }
  return undefined
}

/** Also after a lost answer: the position tells whether the batch has been committed. */
function isWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof StorageError)) return false
  return error.retryable || error.code === 'commit_outcome_unknown'
}

/** So few that a commit of theirs holds up the writers in the queue for a moment only. */
const BATCH_ROWS_MAX = 250
const CONFLICT_RETRY = { firstMs: 2, totalMs: 1_000 }
const RETRY_MS = 1_000
