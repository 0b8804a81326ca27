// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { RowMutations } from '../../cells/cell-store.ts'
import { rowPages } from '../../cells/row-pages.ts'
import { StorageError } from '../../errors.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import { type Expendable, garbageFilter, garbageOf, safePointOfRow } from './row-garbage.ts'

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

/** What else a collection does, for parts that keep something of the rows. */
export type CollectorHooks = {
  readonly trimLog: TrimLog
  readonly collected: (row: Uint8Array) => void
}

/** Which rows may go as a whole, by what the catalog says at the safe point. */
export type FindExpendable = (safePoint: Timestamp) => Promise<Expendable>

/**
 * Settles every lock of a transaction that began before the safe point, and the later ones whose owners are dead;
 * resolves to how many.
 */
export type SweepLocks = (safePoint: Timestamp, signal?: AbortSignal) => Promise<number>

/**
 * Deletes what no snapshot at or above the safe point can see. The order is what makes it safe:
 *
 * 1. raise the safe point: from here on no older transaction commits (F1) or shows what it has read (F2);
 * 2. wait until every request that was sent before has taken effect or never will (A3);
 * 3. resolve every lock below it, so that no secondary needs a primary's record any more;
 * 4. delete, row by row, and from the log of commits.
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

  /**
   * `requestLifeMs` bounds how long after it was sent a request may still take effect (A3). The log need not be trimmed
   * where its entries are rows like all others. `collected` is called for each row when its garbage has been deleted,
   * which may have been all of it.
   */
  constructor(
    context: ProtocolContext,
    sweepLocks: SweepLocks,
    requestLifeMs: number,
    { trimLog = async () => {}, collected = () => {} }: Partial<CollectorHooks> = {},
  ) {
    this.#context = context
    this.#sweepLocks = sweepLocks
    this.#requestLifeMs = requestLifeMs
    this.#trimLog = trimLog
    this.#collected = collected
  }

  /**
   * Rejects with CellStoreError when the store fails, and with the signal's reason. `findExpendable` may read
   * the store at the safe point that it is given.
   */
  async collect(
    wanted: Timestamp,
    findExpendable: FindExpendable,
    signal?: AbortSignal,
  ): Promise<GarbageReport> {
    const { clock } = this.#context
    const start = clock.monotonicMs()
    const { safePoint, expendable } = await this.#raise(wanted, findExpendable, signal)
    if (this.#requestLifeMs > 0) await clock.sleep(this.#requestLifeMs, signal)
    const locksResolved = await this.#sweepLocks(safePoint, signal)
    await this.#trimLog(safePoint, signal)
    const rows = await this.#deleteGarbage(safePoint, expendable, signal)
    const bytesReclaimed = await this.#reclaimSpace(signal)
    return {
      safePoint,
      locksResolved,
      ...rows,
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

  async #deleteGarbage(safePoint: Timestamp, expendable: Expendable, signal?: AbortSignal) {
    let rowsExamined = 0
    let rowsCollected = 0
    const { cellStore } = this.#context
    const filter = garbageFilter(safePoint)
    // Page by page, so that writers and readers get a turn in between.
    for await (const page of rowPages(cellStore, { filter, pageRows: PAGE_ROWS, signal })) {
      rowsExamined += page.length
      const entries: RowMutations[] = []
      for (const row of page) {
        const mutations = await this.#garbageOf(row, { safePoint, expendable })
        if (mutations.length > 0) entries.push({ row: row.key, mutations, step: 'collect' })
      }
      rowsCollected += entries.length
      const errors = await cellStore.mutateRows(entries)
      for (const { row } of entries) this.#collected(row)
      const failed = errors.find((error) => error !== null)
      if (failed != null) throw failed
    }
    return { rowsExamined, rowsCollected }
  }

  /** Rows that still have to be observed are few, so each is read on its own. */
  async #garbageOf(row: Row, bounds: { safePoint: Timestamp; expendable: Expendable }) {
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
