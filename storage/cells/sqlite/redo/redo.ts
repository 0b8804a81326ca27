// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '../../../clock.ts'
import { invariant } from '../../../invariant.ts'
import type { StorageLog } from '../../../storage-log.ts'
import type { MemtableUse } from '../../cell-store.ts'
import type { CellView } from '../../embedded-cell-store.ts'
import { keyString } from '../../row-key.ts'
import {
  type BatchFailure,
  type CarriedOutGroup,
  type GroupCommitter,
  isFailure,
  type LargeBatch,
  type WriteBatch,
} from '../groups/write-batch.ts'
import { Flusher } from './flusher.ts'
import { Memtables } from './memtables.ts'
import { MergedView } from './merged-view.ts'
import { isPlain, type PlainBatch, type QueuedBatch } from './plain-batch.ts'
import { encodeRecord, RECORD_BYTES_MAX } from './record.ts'
import type { RedoThread } from './redo-log.ts'
import { type RedoLogUse, RedoUse } from './redo-use.ts'

export { RECORD_GROUP_BYTES_MAX } from './plain-batch.ts'
export type { RedoLogUse } from './redo-use.ts'

/**
 * Where a batch is made durable. A plain one may go to the redo log. Any other goes to the tables; where that would
 * change a row of a memtable, everything is flushed first (R4), and which rows that are is known when no record is
 * in flight.
 */
export type Route = 'redo log' | 'tables' | 'tables after a flush' | 'after the records in flight'

/** The redo log and its memtables, as the main thread has them (README.md). */
export class Redo {
  readonly #thread: GroupCommitter & RedoThread
  readonly #use: RedoUse
  readonly #memtables: Memtables
  readonly #flusher: Flusher
  readonly #clock: Clock
  /** Each for the next record: shared by both threads, so that none is copied or left to the garbage collector. */
  readonly #unused: SharedArrayBuffer[] = []
  #lastId = 0

  constructor(parts: {
    readonly thread: GroupCommitter & RedoThread
    readonly use: RedoLogUse
    /** How many cells are flushed together; the usual number unless given. */
    readonly memtableCells?: number | undefined
    /** Called in the turn in which cells leave the memtables that are in the tables now (R2). */
    readonly beforeDrop: () => void
    /** As of `Flusher`. */
    readonly onDamage?: (cause: unknown) => void
    /** Called when the disk failed and no group was in progress. */
    readonly onFailure: (cause: unknown) => void
    readonly log: StorageLog
    readonly clock?: Clock
  }) {
    this.#thread = parts.thread
    this.#clock = parts.clock ?? systemClock
    this.#use = new RedoUse(parts.use)
    this.#memtables = new Memtables(parts.memtableCells)
    this.#flusher = new Flusher({ ...parts, memtables: this.#memtables, clock: this.#clock })
  }

  /** The route of a batch whose turn it is. */
  route(queued: QueuedBatch): Route {
    const { isOn } = this.#use
    const hasRoom = this.#thread.hasRoomForRedoLog && this.#memtables.hasRoom
    if (isOn && hasRoom && isPlain(queued)) return 'redo log'
    if (this.#memtables.recordsInFlight > 0) return 'after the records in flight'
    if (this.#memtables.isEmpty) return 'tables'
    return isOn && !this.#isTouched(queued.batch) ? 'tables' : 'tables after a flush'
  }

  /** Commits batches of one route, `redo log` or `tables`, as one group. Rejects as `GroupCommitter.commitGroup`. */
  async commit(group: readonly QueuedBatch[], route: Route): Promise<CarriedOutGroup> {
    for (const queued of group) this.#use.saw(queued)
    const batches = group.map(({ batch }) => batch)
    if (route === 'redo log') return await this.#commitRecord(batches as PlainBatch[])
    for (const batch of batches) {
      invariant(!this.#isTouched(batch), 'R4', { batch: batch.kind })
      if (batch.kind !== 'large') continue
      return await this.#thread.commitLarge(batch)
    }
    const bytes = group.reduce((sum, one) => sum + one.bytes, 0)
    return await this.#thread.commitGroup(batches as WriteBatch[], bytes)
  }

  /** As `Flusher.flushAll`. */
  flushAll(): Promise<BatchFailure | null> {
    this.#use.flushedForOne()
    return this.#flusher.flushAll()
  }

  /** The tables, and over them what was answered and is not in them yet. */
  view(tables: CellView): CellView {
    return new MergedView(tables, this.#memtables)
  }

  get memtables(): MemtableUse {
    return this.#memtables.useAt(this.#clock.monotonicMs())
  }

  /** Stops flushing in the background. */
  stop(): void {
    this.#flusher.stop()
  }

  async #commitRecord(batches: readonly PlainBatch[]): Promise<CarriedOutGroup> {
    const { mutable } = this.#memtables
    this.#lastId += 1
    const memory = this.#unused.pop() ?? new SharedArrayBuffer(RECORD_BYTES_MAX)
    const record = { id: this.#lastId, packed: encodeRecord(batches, memory) }
    mutable.recordsInFlight += 1
    // If this rejects it is unknown whether the record is there, so it stays in flight: the store has failed, and what
    // was not answered is not flushed (R2).
    const carriedOut = await this.#thread.appendRedo(record) // R1
    mutable.recordsInFlight -= 1
    const [result = null] = carriedOut.results
    if (!isFailure(result)) {
      const cellsBefore = mutable.cells
      mutable.add(record, this.#clock.monotonicMs()) // R2: before any batch is answered.
      this.#flusher.cellsAdded(mutable.cells - cellsBefore)
    }
    this.#unused.push(memory)
    return { results: batches.map(() => result), ms: carriedOut.ms }
  }

  /** Whether the memtables have cells of rows that it names. */
  #isTouched(batch: WriteBatch | LargeBatch): boolean {
    if (this.#memtables.isEmpty) return false
    // The rows of a large batch are not made yet.
    if (batch.kind === 'large') return true
    const rows = batch.kind === 'increment' ? [batch] : batch.steps
    return rows.some(({ row }) => this.#memtables.has(keyString(row)))
  }
}
