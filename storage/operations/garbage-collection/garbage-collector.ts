// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import { type RowMutations, requireAnswers } from '../../cells/cell-store.ts'
import { keyAfter } from '../../cells/row-key.ts'
import { rowPages } from '../../cells/row-pages.ts'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { NEVER_ABORTED } from '../../transactions/oracle/asked-again.ts'
import type { SweptRange } from '../../transactions/percolator/lock-sweeper.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import type { CollectionMark } from './collection-mark.ts'
import { NO_COUNTS, type Phase, type RangeCounts } from './range-row.ts'
import { type Expendable, garbageFilter, garbageOf, safePointOfRow } from './row-garbage.ts'
import type { Range, RangeWork, SharedRanges } from './shared-ranges.ts'

/** The result of one collection. */
export type GarbageReport = {
  readonly safePoint: Timestamp
  /** Locks that were left below the safe point, or by dead owners above it. */
  readonly locksResolved: number
  readonly rowsExamined: number
  readonly rowsCollected: number
  /** Bytes returned to the file system; 0 if the engine compacts on its own. */
  readonly bytesReclaimed: number
  readonly elapsedMs: number
}

/** Deletes the notes of commits at or below the safe point. */
export type TrimLog = (safePoint: Timestamp, signal?: AbortSignal) => Promise<void>

/** What else a collection does, for parts that keep something of the rows, and for others over one store. */
export type CollectorHooks = {
  readonly trimLog: TrimLog
  readonly collected: (row: Uint8Array) => void
  /** Where processes share the store. */
  readonly shared: SharedWork
}

export type SharedWork = { readonly ranges: SharedRanges; readonly mark: CollectionMark }

type Bounds = { readonly safePoint: Timestamp; readonly expendable: Expendable }

/** Which rows may go as a whole, by what the catalog says at the safe point. */
export type FindExpendable = (safePoint: Timestamp) => Promise<Expendable>

/**
 * Settles every lock of a transaction that began before the safe point, and the later ones whose owners are dead;
 * resolves to how many. Of the whole store, or of a range of it.
 */
export type SweepLocks = (
  safePoint: Timestamp,
  signal?: AbortSignal,
  within?: SweptRange,
) => Promise<number>

/**
 * Deletes what no snapshot at or above the safe point can see. The order is what makes it safe:
 *
 * 1. raise the safe point: from here on no older transaction commits (F1) or shows what it has read (F2);
 * 2. wait until every request that was sent before has taken effect or never will (A3);
 * 3. resolve every lock below it, so that no secondary needs a primary's record any more;
 * 4. delete, row by row, and from the log of commits.
 *
 * Where processes share the store, those that live divide the ranges of 3, and when all are done those of 4 (G2).
 *
 * Each step can be repeated, so an interrupted collection is simply restarted; two at once do no harm, and the one that
 * raised the safe point less continues with that of the other.
 */
export class GarbageCollector {
  readonly #context: ProtocolContext
  readonly #sweepLocks: SweepLocks
  readonly #requestLifeMs: number
  readonly #trimLog: TrimLog
  readonly #collected: (row: Uint8Array) => void
  readonly #shared: SharedWork | undefined

  /**
   * `requestLifeMs` bounds how long after it was sent a request may still take effect (A3). The log need not be trimmed
   * where its entries are rows like all others. `collected` is called for each row when its garbage has been deleted,
   * which may have been all of it.
   */
  constructor(
    context: ProtocolContext,
    sweepLocks: SweepLocks,
    requestLifeMs: number,
    { trimLog = async () => {}, collected = () => {}, shared }: Partial<CollectorHooks> = {},
  ) {
    this.#context = context
    this.#sweepLocks = sweepLocks
    this.#requestLifeMs = requestLifeMs
    this.#trimLog = trimLog
    this.#collected = collected
    this.#shared = shared
  }

  /**
   * Rejects with CellStoreError when the store fails, and with the signal's reason. `findExpendable` may read
   * the store at the safe point that it is given.
   */
  async collect(
    wanted: Timestamp,
    findExpendable: FindExpendable,
    signal: AbortSignal = NEVER_ABORTED,
  ): Promise<GarbageReport> {
    const { clock, oracle } = this.#context
    const start = clock.monotonicMs()
    const { safePoint, expendable } = await this.#raise(wanted, findExpendable, signal)
    if (this.#requestLifeMs > 0) await clock.sleep(this.#requestLifeMs, signal)
    const bounds = { safePoint, expendable }
    const mark = this.#shared?.mark
    await mark?.begin()
    await this.#shared?.ranges.clear()
    const { collected: locksResolved } = await this.#inRanges('locks', bounds, signal)
    await this.#trimLog(safePoint, signal)
    const { examined, collected, held } = await this.#inRanges('rows', bounds, signal)
    await this.#shared?.ranges.clear()
    // What is held back is looked for again.
    if (held === 0) await mark?.ended(safePoint, oracle.approximateNow())
    const bytesReclaimed = await this.#reclaimSpace(signal)
    return {
      safePoint,
      locksResolved,
      ...{ rowsExamined: examined, rowsCollected: collected },
      bytesReclaimed,
      elapsedMs: Math.round(clock.monotonicMs() - start),
    }
  }

  /**
   * Raises the safe point, in this turn, and reads at it which rows may go. Another gateway may raise it further
   * before that has been read; then its safe point is ours too. It is not raised beyond that, or two collectors would
   * overtake each other for ever.
   */
  async #raise(
    wanted: Timestamp,
    findExpendable: FindExpendable,
    signal?: AbortSignal,
  ): Promise<{ readonly safePoint: Timestamp; readonly expendable: Expendable }> {
    for (let safePoint = wanted; ; ) {
      signal?.throwIfAborted()
      const raising = this.#context.oracle.raiseSafePoint(safePoint, signal)
      // Read at once: the fence of many processes is waited for, and meanwhile it would be overtaken.
      const [raised, found] = await Promise.allSettled([raising, findExpendable(safePoint)])
      if (raised.status === 'rejected') throw raised.reason
      if (found.status === 'fulfilled') return { safePoint, expendable: found.value }
      const newer = newerSafePoint(found.reason)
      if (newer === undefined) throw found.reason
      safePoint = newer
    }
  }

  /** Whether a collection at this safe point would find nothing; only known where processes share the store. */
  async isUpToDate(safePoint: Timestamp, now: Timestamp): Promise<boolean> {
    return (await this.#shared?.mark.isUpToDate(safePoint, now)) ?? false
  }

  /**
   * Works on ranges of collections that other gateways have begun, until these have ended. Rejects as `collect` does.
   */
  async help(findExpendable: FindExpendable, signal: AbortSignal): Promise<void> {
    const { oracle } = this.#context
    await this.#shared?.ranges.help(async ({ safePoint }) => {
      try {
        const expendable = await findExpendable(safePoint)
        const { safePoint: fence } = await oracle.nextToRead()
        invariant(fence >= safePoint, 'G2', { fence, safePoint })
        return (phase) => this.#workOf(phase, { safePoint, expendable })
      } catch (error) {
        if (newerSafePoint(error) === undefined) throw error
        return undefined
      }
    }, signal)
  }

  /** The whole store at once, or by its ranges, each by whoever claims it. Resolves when all is done. */
  async #inRanges(phase: Phase, bounds: Bounds, signal: AbortSignal): Promise<RangeCounts> {
    const { cellStore, liveness } = this.#context
    const work = this.#workOf(phase, bounds)
    const points = this.#shared === undefined ? [] : await cellStore.splitPoints()
    if (this.#shared === undefined || points.length === 0) {
      return await work({ start: new Uint8Array() }, signal, () => {})
    }
    const collection = { owner: liveness.incarnation, safePoint: bounds.safePoint }
    return await this.#shared.ranges.run(collection, phase, { points, work, signal })
  }

  #workOf(phase: Phase, bounds: Bounds): RangeWork {
    if (phase === 'rows') {
      return (range, signal, reached) => this.#deleteGarbage(range, bounds, signal, reached)
    }
    return async (range, signal, reached) => {
      const within = { ...range, reached: (next: Uint8Array) => reached(next, NO_COUNTS) }
      return { ...NO_COUNTS, collected: await this.#sweepLocks(bounds.safePoint, signal, within) }
    }
  }

  async #deleteGarbage(
    range: Range,
    bounds: Bounds,
    signal: AbortSignal,
    reached: Parameters<RangeWork>[2],
  ): Promise<RangeCounts> {
    let [examined, collected, held] = [0, 0, 0]
    const { cellStore } = this.#context
    const filter = garbageFilter(bounds.safePoint)
    // Page by page, so that writers and readers get a turn in between.
    for await (const page of rowPages(cellStore, {
      ...range,
      filter,
      pageRows: PAGE_ROWS,
      signal,
    })) {
      examined += page.length
      const entries: RowMutations[] = []
      for (const row of page) {
        if (safePointOfRow(row, bounds) !== bounds.safePoint) held += 1
        const mutations = await this.#garbageOf(row, bounds)
        if (mutations.length > 0) entries.push({ row: row.key, mutations, step: 'collect' })
      }
      collected += entries.length
      const answers = await cellStore.mutateRows(entries)
      for (const { row } of entries) this.#collected(row)
      requireAnswers(answers)
      const last = page.at(-1)
      if (last !== undefined) reached(keyAfter(last.key), { examined, collected, held })
    }
    return { examined, collected, held }
  }

  /** Rows that still have to be observed are few, so each is read on its own. */
  async #garbageOf(row: Row, bounds: Bounds) {
    const { expendable } = bounds
    const safePoint = safePointOfRow(row, bounds)
    if (safePoint === bounds.safePoint) return garbageOf(row, bounds)
    const [again] = await this.#context.cellStore.readRows([row.key], garbageFilter(safePoint))
    // What is notified of an even older change meanwhile is left to the next collection.
    if (again == null || safePointOfRow(again, bounds) !== safePoint) return []
    return garbageOf(again, { safePoint, expendable })
  }

  async #reclaimSpace(signal?: AbortSignal): Promise<number> {
    const { cellStore } = this.#context
    let total = 0
    for (;;) {
      signal?.throwIfAborted()
      const bytes = (await cellStore.reclaimSpace?.()) ?? 0
      if (bytes === 0) return total
      total += bytes
    }
  }
}

/** The safe point of another collector that has overtaken a snapshot; undefined for every other error. */
function newerSafePoint(error: unknown): Timestamp | undefined {
  if (!(error instanceof StorageError) || error.code !== 'snapshot_too_old') return undefined
  return Number(error.fields.oldest)
}

const PAGE_ROWS = 250
