// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { Clock, Randomness, Storage } from '../../../storage/storage.ts'
import { type Catalog, readScheduleProgress } from '../../../storage/tables/tables.ts'
import { SERVER_ITSELF } from '../../guard/budgets/client-key.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { EndedTransactions } from '../../requests/transactions/ended-transactions.ts'
import { catalogAt, inSnapshot, inTransaction } from '../../snapshot.ts'
import { lostRaceOf } from './observer-event.ts'
import { RunTransaction, type RunTransactionDependencies } from './run-transaction.ts'
import { runSchedule, type ScheduleRun } from './schedule-run.ts'

export type ScheduleDependencies = RunTransactionDependencies & {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: Logger
  readonly requests: RunningRequests
  readonly ended: EndedTransactions
}

/** What this process has done for a schedule since it started. */
export type ScheduleFigures = {
  /** Rows that were inserted. */
  rows: number
  failures: number
  /** Of the last attempt, where that failed by itself. */
  lastError: string | undefined
}

/** A schedule that was created or resumed is waited for after so long. */
const LOOK_MS = 1_000
/** How often a gateway looks for schedules of others, which it needs only when those have ended. */
const SHARED_LOOK_MS = { some: 10_000, none: 60_000 } as const
/** Gateways come one after the other, so that most find the work done. */
const TURN_MS = 200
/** After an error, and where another came first or the store takes no writes now; twice as long each time. */
const RETRY_MS = { failed: { first: 1_000, max: 60_000 }, lost: { first: 50, max: 5_000 } } as const
const MICROS = 1_000

/** Inserts the rows of schedules at their times. Each process that serves a store has one. */
export class ScheduleTimer {
  readonly #deps: ScheduleDependencies
  readonly #stopping = new AbortController()
  /** When a schedule is looked at next, in microseconds by the wall clock; by its id. */
  readonly #dueAt = new Map<number, number>()
  readonly #figures = new Map<number, ScheduleFigures>()
  readonly #retryMs = new Map<number, number>()
  #seen: Catalog | undefined
  #lookMs = 0
  #working: Promise<void> = Promise.resolve()

  constructor(deps: ScheduleDependencies) {
    this.#deps = deps
  }

  start(): void {
    this.#working = this.#work()
  }

  /** Begins nothing new, and resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
  }

  figuresOf(scheduleId: number): Readonly<ScheduleFigures> {
    return this.#figures.get(scheduleId) ?? { rows: 0, failures: 0, lastError: undefined }
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping
    const { clock, log } = this.#deps
    while (!signal.aborted) {
      let waitMs: number = LOOK_MS
      try {
        waitMs = await this.#pass(signal)
      } catch (error) {
        log.warn({ err: error }, 'looking at the schedules was interrupted')
      }
      await clock.sleep(waitMs, signal).catch(() => undefined)
    }
  }

  /** Resolves to the milliseconds after which to look again. */
  async #pass(signal: AbortSignal): Promise<number> {
    const { storage, clock } = this.#deps
    if (storage.movedTo !== undefined) return LOOK_MS
    const catalog = await this.#catalog()
    if (catalog !== this.#seen) await this.#readAll(catalog)
    for (const [id, dueAt] of this.#dueAt) {
      if (signal.aborted) return 0
      if (dueAt <= clock.wallMicros()) await this.#run(id)
    }
    const earliest = Math.min(...this.#dueAt.values())
    const untilMs = Math.ceil((earliest - clock.wallMicros()) / MICROS)
    return Math.max(1, Math.min(LOOK_MS, untilMs))
  }

  /** The newest that is at hand: a store with one owner has no other. */
  async #catalog(): Promise<Catalog> {
    const { storage, clock } = this.#deps
    const { knownCatalog: known } = storage
    const mayBeOld = storage.isShared && clock.monotonicMs() >= this.#lookMs
    if (known !== undefined && !mayBeOld) return known
    const catalog = await catalogAt(storage)
    const everyMs = SHARED_LOOK_MS[catalog.schedules().length === 0 ? 'none' : 'some']
    this.#lookMs = clock.monotonicMs() + everyMs
    return catalog
  }

  /** What each waits for, after a change of definitions: it may be another time since. */
  async #readAll(catalog: Catalog): Promise<void> {
    const found = catalog.schedules().filter(({ schedule }) => schedule.state === 'active')
    this.#dueAt.clear()
    if (found.length > 0) {
      await inSnapshot(this.#deps.storage, undefined, async ({ transaction }) => {
        for (const { schedule } of found) {
          const progress = await readScheduleProgress(transaction, schedule)
          this.#waitFor(schedule.id, progress?.next)
        }
      })
    }
    for (const id of this.#figures.keys()) {
      if (catalog.schedules().every(({ schedule }) => schedule.id !== id)) this.#forget(id)
    }
    this.#seen = catalog
  }

  #waitFor(id: number, next: number | undefined): void {
    const { storage, randomness } = this.#deps
    const turnMs = storage.isShared ? TURN_MS * randomness.fraction() : 0
    if (next === undefined) this.#dueAt.delete(id)
    else this.#dueAt.set(id, next + turnMs * MICROS)
  }

  #forget(id: number): void {
    this.#figures.delete(id)
    this.#retryMs.delete(id)
  }

  async #run(id: number): Promise<void> {
    const running = this.#deps.requests.beginFor(
      { client: SERVER_ITSELF },
      { operation: 'schedule' },
    )
    running.admitted()
    try {
      const run = await this.#deps.ended.counted(
        () => this.#runInside(id, running),
        ({ commitTs }) => commitTs,
      )
      this.#waitFor(id, run.next)
      this.#retryMs.delete(id)
      this.#counted(id, { rows: run.times.length, lastError: undefined })
    } catch (error) {
      this.#failed(id, error)
    } finally {
      running.closeUnsent()
      running.end()
    }
  }

  async #runInside(
    id: number,
    running: RunningRequest,
  ): Promise<ScheduleRun & { readonly commitTs: number | null }> {
    const { storage, clock, log } = this.#deps
    return await inTransaction(storage, {}, async (transaction) => {
      const catalog = await storage.catalog(transaction)
      const found = catalog.schedules().find(({ schedule }) => schedule.id === id)
      if (found === undefined || found.schedule.state === 'paused') {
        return { times: [], isLate: false, next: undefined, commitTs: null }
      }
      const tx = new RunTransaction(this.#deps, { transaction, catalog, running })
      const run = await runSchedule(found, { transaction, tx, now: clock.wallMicros() })
      await tx.end()
      if (run.times.length === 0) return { ...run, commitTs: null }
      const { commitTs } = await transaction.commit()
      if (run.isLate) {
        const times = run.times.map((time) => new Date(time / MICROS).toISOString())
        const facts = { schedule: found.schedule.name, rows: times.length, first: times[0] }
        log.warn(facts, 'times of a schedule had been missed; the newest have rows now')
      }
      return { ...run, commitTs }
    })
  }

  #failed(id: number, error: unknown): void {
    const { clock, randomness, log } = this.#deps
    const lostRace = lostRaceOf(error)
    const schedule = this.#seen?.schedules().find((found) => found.schedule.id === id)
    const facts = { schedule: schedule?.schedule.name, err: error }
    const { first, max } = RETRY_MS[lostRace === undefined ? 'failed' : 'lost']
    const waitMs = Math.min(this.#retryMs.get(id) ?? first, max) * (0.5 + randomness.fraction())
    this.#retryMs.set(id, 2 * waitMs)
    if (lostRace === undefined) {
      const lastError = error instanceof Error ? error.message : String(error)
      this.#counted(id, { failures: 1, lastError })
      log.warn(facts, 'the row of a schedule could not be inserted, which is tried again')
    } else log.debug(facts, 'a schedule met a conflict, and is looked at again')
    this.#dueAt.set(id, clock.wallMicros() + waitMs * MICROS)
  }

  #counted(id: number, { rows = 0, failures = 0, lastError }: Partial<ScheduleFigures>): void {
    const before = this.figuresOf(id)
    this.#figures.set(id, {
      rows: before.rows + rows,
      failures: before.failures + failures,
      lastError,
    })
  }
}
