// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { repeat } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import type { Gateways } from '../../transactions/protocol/gateways.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import { CollectionLease } from './collection-lease.ts'
import type { FindExpendable, GarbageCollector, GarbageReport } from './garbage-collector.ts'
import { ReachedTimestamps } from './reached-timestamps.ts'
import { chooseSafePoint, type Retention } from './safe-point.ts'
import type { StoreRetention } from './store-retention.ts'

export type GarbageCollectionDependencies = {
  readonly gateways: Pick<Gateways, 'forgetEnded' | 'oldestSnapshot'>
  readonly context: ProtocolContext
  readonly collector: GarbageCollector
  readonly retention: Pick<StoreRetention, 'read'>
  /** Whether other processes may have the store open. */
  readonly isShared: boolean
  /** The startTs of the oldest transaction that is open here; undefined when none is. */
  readonly oldestSnapshot: () => Timestamp | undefined
  /** What the safe point must not pass, however long it is held back; see `LatchTable`. */
  readonly expendableAt: FindExpendable
}

type Moment = {
  readonly retention: Retention
  /** The oldest snapshot of other processes. */
  readonly elsewhere: Timestamp | undefined
  readonly newest: Timestamp
  /** The safe point of now. */
  readonly current: Timestamp
}

/**
 * Collects garbage from time to time, and whenever it is asked to; one collection runs at a time. Of several processes
 * over a store one collects in each interval.
 */
export class GarbageCollection {
  readonly #deps: GarbageCollectionDependencies
  readonly #reached = new ReachedTimestamps()
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #collecting: Promise<GarbageReport> | undefined
  #lastReport: GarbageReport | undefined
  #holders = 0

  constructor(deps: GarbageCollectionDependencies) {
    this.#deps = deps
  }

  get lastReport(): GarbageReport | undefined {
    return this.#lastReport
  }

  /** Resolves when no collection is running, and none will before the answer is called. */
  async hold(): Promise<() => void> {
    this.#holders += 1
    await this.#collecting?.catch(() => undefined)
    return () => {
      this.#holders -= 1
    }
  }

  /** Joins the running collection, if there is one. Rejects with CellStoreError, and with StorageError `moving`. */
  async collect(): Promise<GarbageReport> {
    if (this.#holders > 0) {
      throw new StorageError('moving', 'The store is being moved: no garbage is collected.')
    }
    this.#collecting ??= this.#collectOnce().finally(() => {
      this.#collecting = undefined
    })
    return await this.#collecting
  }

  start(intervalMs: number): void {
    const { context, isShared, collector, expendableAt } = this.#deps
    const { clock, log } = context
    const collect = async () => {
      if (this.#holders === 0) await this.collect()
    }
    const lease = isShared ? new CollectionLease(context) : undefined
    const work = async () => {
      if (lease === undefined) return await collect()
      const isOwn = await lease.run(intervalMs, () => this.#collectIfDue())
      if (!isOwn) await collector.help(expendableAt, this.#stopping.signal)
    }
    this.#running = repeat(clock, {
      everyMs: intervalMs,
      signal: this.#stopping.signal,
      work,
      // What was not done is done by the next collection, which begins again from the start.
      failed: (error) => log.warn({ error: String(error) }, 'a garbage collection did not finish'),
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#collecting?.catch(() => undefined)
  }

  /** Of a store that processes share: a collection that would find nothing is left out (G3). */
  async #collectIfDue(): Promise<void> {
    const { context, collector, gateways } = this.#deps
    const startMs = context.clock.monotonicMs()
    const moment = await this.#moment()
    if (!(await collector.isUpToDate(this.#safePointAt(moment), moment.newest))) {
      await this.collect()
      return
    }
    await gateways.forgetEnded()
    const elapsedMs = Math.round(context.clock.monotonicMs() - startMs)
    const nothing = { locksResolved: 0, rowsExamined: 0, rowsCollected: 0, bytesReclaimed: 0 }
    this.#lastReport = { safePoint: moment.current, ...nothing, elapsedMs }
  }

  /** What of the store decides the safe point. */
  async #moment(): Promise<Moment> {
    const { gateways, context } = this.#deps
    // At each collection: another process may have changed it (G1).
    const retention = await this.#deps.retention.read()
    const elsewhere = await gateways.oldestSnapshot()
    const { timestamp: newest, safePoint: current } = await context.oracle.nextToRead()
    return { retention, elsewhere, newest, current }
  }

  /** The one to which a collection that begins in this turn raises it. */
  #safePointAt({ retention, elsewhere, newest, current }: Moment): Timestamp {
    const { context, oldestSnapshot } = this.#deps
    const monotonicMs = context.clock.monotonicMs()
    const agoMsMax = retention.retentionMs + retention.heldMsMax
    this.#reached.reached({ monotonicMs, timestamp: newest }, agoMsMax)
    const time = { monotonicMs, micros: context.oracle.wallClock.micros() }
    const ago = (agoMs: number) => Math.min(newest, this.#reached.ago(agoMs, time))
    const held = [oldestSnapshot(), elsewhere].filter((oldest) => oldest !== undefined)
    const moment = { ago, oldestSnapshot: Math.min(newest, ...held) }
    return Math.max(current, chooseSafePoint(moment, retention))
  }

  async #collectOnce(): Promise<GarbageReport> {
    const { context, collector, gateways, expendableAt } = this.#deps
    const moment = await this.#moment()
    // It is raised in this turn: a commit that begins to lock rows later meets the new fence.
    const safePoint = this.#safePointAt(moment)
    const report = await collector.collect(safePoint, expendableAt, this.#stopping.signal)
    await gateways.forgetEnded()
    this.#lastReport = report
    const rowsPerSecond = Math.round(report.rowsExamined / Math.max(report.elapsedMs / 1000, 0.001))
    context.log.info({ ...report, rowsPerSecond }, 'collected garbage')
    return report
  }
}
