// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../clock.ts'
import { invariant } from '../../../invariant.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { isDamage, receivedError } from '../error.ts'
import type { BatchFailure } from '../groups/write-batch.ts'
import type { Memtable } from './memtable.ts'
import type { Memtables } from './memtables.ts'
import { FLUSHED_CELLS_MAX, type RedoThread } from './redo-log.ts'

/** This many cells are flushed at a time: about as long as the main thread needs to make the next group. */
const FLUSHED_CELLS = 96
/** This many cells are flushed for each new one, so that a memtable is flushed before the next is full. */
const FLUSHED_FOR_EACH = 1.25
/** When nothing has been written for this long, all is flushed: starts and reads then find tables only. */
const IDLE_MS = 250
/** A failed flush is tried again after this long, or after this many more cells. */
const AGAIN_MS = 5_000
const AGAIN_CELLS = 8_192

type FlusherDependencies = {
  readonly thread: Pick<RedoThread, 'flush'>
  readonly memtables: Memtables
  /** Called in the turn in which a memtable is dropped that is in the tables: the next read needs a new snapshot. */
  readonly beforeDrop: () => void
  /** Called when a flush met a damaged page: what it would have moved stays in the redo log, and is read. */
  readonly onDamage?: (cause: unknown) => void
  /** Called when the disk failed. */
  readonly onFailure: (cause: unknown) => void
  readonly log: StorageLog
  readonly clock: Clock
}

/** Flushes memtables into the tables: a part at a time between groups, and all when idle or when a batch needs it. */
export class Flusher {
  readonly #deps: FlusherDependencies
  readonly #memtables: Memtables
  readonly #stopping = new AbortController()
  /** How many cells should be flushed now; less than 0 after a failure. */
  #dueCells = 0
  #flushing: Promise<BatchFailure | null> | undefined
  /** The immutable memtable that the thread has. */
  #sent: Memtable | undefined
  #isWatching = false
  #hasWritten = false

  constructor(deps: FlusherDependencies) {
    this.#deps = deps
    this.#memtables = deps.memtables
  }

  /** Called after this many cells were added. */
  cellsAdded(count: number): void {
    this.#hasWritten = true
    if (!this.#isWatching) void this.#watch()
    if (this.#memtables.isFull) {
      this.#memtables.makeImmutable()
      this.#dueCells = 0
    }
    // Writes have resumed.
    if (this.#dueCells === Infinity) this.#dueCells = 0
    this.#dueCells += Math.ceil(count * FLUSHED_FOR_EACH)
    void this.#flushDue()
  }

  /**
   * Flushes everything. Resolves to null when the memtables are empty, or to the failure that left all as it was. No
   * cells may be added meanwhile. Rejects when the disk failed.
   */
  async flushAll(): Promise<BatchFailure | null> {
    for (;;) {
      while (this.#flushing !== undefined) await this.#flushing
      if (this.#memtables.isEmpty) return null
      if (this.#memtables.immutable === undefined) this.#memtables.makeImmutable()
      const failure = await this.#flushPart(FLUSHED_CELLS_MAX)
      if (failure !== null) return failure
    }
  }

  /** Stops flushing in the background. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Checks now and then whether writes go on, until the memtables are empty. */
  async #watch(): Promise<void> {
    this.#isWatching = true
    while (!this.#memtables.isEmpty) {
      this.#hasWritten = false
      try {
        await this.#deps.clock.sleep(this.#dueCells < 0 ? AGAIN_MS : IDLE_MS, this.#stopping.signal)
      } catch {
        return
      }
      if (this.#hasWritten || this.#memtables.isEmpty) continue
      if (this.#memtables.immutable === undefined) this.#memtables.makeImmutable()
      this.#dueCells = Infinity
      await this.#flushDue()
    }
    this.#isWatching = false
  }

  async #flushDue(): Promise<void> {
    const enough = Math.min(FLUSHED_CELLS, this.#memtables.cellsMax)
    while (this.#dueCells >= enough && this.#flushing === undefined && this.#canFlush) {
      const isIdle = this.#dueCells === Infinity
      const cells = isIdle ? FLUSHED_CELLS : Math.min(this.#dueCells, FLUSHED_CELLS_MAX)
      this.#dueCells -= cells
      try {
        const failure = await this.#flushPart(cells)
        if (failure === null) continue
        const error = receivedError(failure.cause)
        if (isDamage(error)) this.#deps.onDamage?.(error)
        this.#deps.log.warn(
          { error: error.message },
          'the redo log was not flushed into the tables; tried again later',
        )
        this.#dueCells = -AGAIN_CELLS
      } catch (cause) {
        this.#deps.onFailure(cause)
        return
      }
    }
  }

  /** Records in flight may not be seen yet, not even in part (R2). */
  get #canFlush(): boolean {
    return this.#memtables.immutable?.recordsInFlight === 0 && !this.#stopping.signal.aborted
  }

  #flushPart(cells: number): Promise<BatchFailure | null> {
    this.#flushing = this.#flushImmutable(cells).finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  async #flushImmutable(cells: number): Promise<BatchFailure | null> {
    const memtable = this.#memtables.immutable as Memtable
    const { recordsInFlight } = memtable
    invariant(recordsInFlight === 0, 'R2', { recordsInFlight })
    const sent = this.#sent === memtable ? undefined : memtable.sent()
    this.#sent = memtable
    const { failure, isDone } = await this.#deps.thread.flush({ memtable: sent, cells })
    if (failure?.kind === 'unknown') throw receivedError(failure.cause)
    if (isDone) {
      this.#deps.beforeDrop()
      this.#memtables.dropImmutable()
    }
    return failure
  }
}
