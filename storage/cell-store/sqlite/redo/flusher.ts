// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '../../../clock.ts'
import { invariant } from '../../../invariant.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { receivedError } from '../error.ts'
import type { BatchFailure, GroupCommitter } from '../groups/write-batch.ts'
import type { Generation, PendingCells } from './pending-cells.ts'
import { FLUSHED_CELLS, FLUSHED_CELLS_MAX } from './redo-record.ts'

/** For each cell that comes so many are moved, so that a generation is moved before the next is full. */
const FLUSHED_FOR_EACH = 1.25
/** When nothing has been written for so long, all is moved: who starts or reads then finds tables only. */
const IDLE_MS = 250
/** What could not be moved is tried again after so long, or after so many more cells. */
const AGAIN_MS = 5_000
const AGAIN_CELLS = 8_192

/**
 * Moves the pending cells into the tables, some at a time between the groups, and all of them when nobody
 * writes or somebody needs it.
 */
export class SqliteFlusher {
  readonly #committer: Pick<GroupCommitter, 'flush'>
  readonly #pending: PendingCells
  readonly #beforeDrop: () => void
  readonly #onFailure: (cause: unknown) => void
  readonly #log: StorageLog
  readonly #clock: Clock
  readonly #closing = new AbortController()
  #due = 0
  #underWay: Promise<BatchFailure | null> | undefined
  #isWatching = false
  #hasWritten = false

  constructor(parts: {
    readonly committer: Pick<GroupCommitter, 'flush'>
    readonly pending: PendingCells
    /** Called in the turn in which cells are dropped that are in the tables: the next read needs a new snapshot. */
    readonly beforeDrop: () => void
    /** Told of a disk that failed. */
    readonly onFailure: (cause: unknown) => void
    readonly log: StorageLog
    readonly clock?: Clock
  }) {
    this.#committer = parts.committer
    this.#pending = parts.pending
    this.#beforeDrop = parts.beforeDrop
    this.#onFailure = parts.onFailure
    this.#log = parts.log
    this.#clock = parts.clock ?? systemClock
  }

  /** So many cells have become pending. */
  cellsCame(count: number): void {
    this.#hasWritten = true
    if (!this.#isWatching) void this.#watch()
    if (this.#pending.isWorthSealing) {
      this.#pending.seal()
      this.#due = 0
    }
    this.#due += Math.ceil(count * FLUSHED_FOR_EACH)
    void this.#flushWhatIsDue()
  }

  /**
   * Moves everything, and resolves to null when nothing is pending any more, or to what stood in the way and left
   * all as it was. No cells may come meanwhile. Rejects when the disk failed.
   */
  async flushAll(): Promise<BatchFailure | null> {
    for (;;) {
      while (this.#underWay !== undefined) await this.#underWay
      if (this.#pending.isEmpty) return null
      if (this.#pending.sealed === undefined) this.#pending.seal()
      const failure = await this.#flushSome(FLUSHED_CELLS_MAX)
      if (failure !== null) return failure
    }
  }

  /** Nothing is moved any more of itself. */
  stop(): void {
    this.#closing.abort()
  }

  /** Until nothing is pending, looks now and then whether somebody still writes. */
  async #watch(): Promise<void> {
    this.#isWatching = true
    let waitMs = IDLE_MS
    while (!this.#pending.isEmpty) {
      this.#hasWritten = false
      try {
        await this.#clock.sleep(waitMs, this.#closing.signal)
      } catch {
        return
      }
      waitMs = (await this.#flushWhileIdle()) ? IDLE_MS : AGAIN_MS
    }
    this.#isWatching = false
  }

  /** False when something could not be moved. */
  async #flushWhileIdle(): Promise<boolean> {
    while (!this.#hasWritten && !this.#pending.isEmpty && !this.#closing.signal.aborted) {
      if (this.#underWay !== undefined) await this.#underWay.catch(() => {})
      else {
        if (this.#pending.sealed === undefined) this.#pending.seal()
        if (!this.#canFlush()) return true
        if (!(await this.#flushInBackground(FLUSHED_CELLS))) return false
      }
    }
    return true
  }

  async #flushWhatIsDue(): Promise<void> {
    const { sealedCells } = this.#pending
    const enough = Math.min(FLUSHED_CELLS, sealedCells)
    while (this.#due >= enough && this.#underWay === undefined && this.#canFlush()) {
      const cells = Math.min(this.#due, FLUSHED_CELLS_MAX)
      this.#due -= cells
      if (!(await this.#flushInBackground(cells))) return
    }
  }

  /** Records that are still under way may not be seen yet, not even in part. */
  #canFlush(): boolean {
    return this.#pending.sealed?.underWay === 0
  }

  /** False for what could not be moved: it stays where it is. */
  async #flushInBackground(cells: number): Promise<boolean> {
    try {
      const failure = await this.#flushSome(cells)
      if (failure === null) return true
      const error = receivedError(failure.cause).message
      this.#log.warn({ error }, 'the redo log was not moved into the tables; tried again later')
      this.#due = -AGAIN_CELLS
    } catch (cause) {
      this.#onFailure(cause)
    }
    return false
  }

  #flushSome(cells: number): Promise<BatchFailure | null> {
    this.#underWay = this.#flushNext(cells).finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  async #flushNext(cells: number): Promise<BatchFailure | null> {
    const { number, underWay } = this.#pending.sealed as Generation
    invariant(underWay === 0, 'R2', { generation: number, underWay })
    const { failure, isDone } = await this.#committer.flush(number, cells)
    if (failure?.kind === 'unknown') throw receivedError(failure.cause)
    if (isDone) {
      this.#beforeDrop()
      this.#pending.dropSealed()
    }
    return failure
  }
}
