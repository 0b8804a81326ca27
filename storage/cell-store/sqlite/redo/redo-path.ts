// SPDX-License-Identifier: Apache-2.0
import { invariant } from '../../../invariant.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { rowKeyText } from '../../row-key.ts'
import {
  type BatchFailure,
  type CarriedOutGroup,
  type GroupCommitter,
  isFailure,
  type LargeBatch,
  type StepsBatch,
  type WriteBatch,
} from '../groups/write-batch.ts'
import { SqliteFlusher } from './flusher.ts'
import { PendingCells } from './pending-cells.ts'
import { type RedoLogUse, SqliteRedoPolicy } from './redo-policy.ts'
import { encodeRecord } from './redo-record.ts'

/**
 * Where a batch is made durable. A plain one may go to the redo log. Any other goes to the tables; where that would
 * change a row of which the redo log has something, all of it is moved there first (R4).
 */
export type Way = 'redo log' | 'tables' | 'tables, when all is moved'

type Routed = { readonly batch: WriteBatch | LargeBatch; readonly isPlain: boolean }

/** The way of plain batches: to the redo log and into memory first, and later into the tables. */
export class SqliteRedoPath {
  readonly pending: PendingCells
  readonly #committer: GroupCommitter
  readonly #policy: SqliteRedoPolicy
  readonly #flusher: SqliteFlusher
  #lastId = 0

  constructor(parts: {
    readonly committer: GroupCommitter
    readonly use: RedoLogUse
    /** So many cells are moved together; the usual number unless given. */
    readonly sealedCells?: number | undefined
    /** Called in the turn in which cells are dropped that are in the tables now. */
    readonly beforeDrop: () => void
    /** Told of a disk that failed beside the groups. */
    readonly onFailure: (cause: unknown) => void
    readonly log: StorageLog
  }) {
    this.pending = new PendingCells(parts.sealedCells)
    this.#committer = parts.committer
    this.#policy = new SqliteRedoPolicy(parts.use)
    this.#flusher = new SqliteFlusher({ ...parts, pending: this.pending })
  }

  /** Of each batch once, when it is queued. */
  saw(batch: Routed): void {
    this.#policy.saw(batch)
  }

  /** Of a batch whose turn it is. All groups of the redo log have to be answered where it is not that log again. */
  wayOf(queued: Routed): Way {
    if (this.takes(queued)) return 'redo log'
    if (this.pending.isEmpty) return 'tables'
    const isApart = this.#policy.usesRedoLog && !this.#isTouched(queued.batch)
    return isApart ? 'tables' : 'tables, when all is moved'
  }

  /** Whether the way of such a batch is the redo log, which is known without a look at what is pending. */
  takes({ isPlain }: Routed): boolean {
    if (!isPlain || !this.#policy.usesRedoLog || !this.#committer.hasRoomForRedoLog) return false
    return this.pending.hasRoom && !this.pending.isBehind
  }

  /** Plain batches, as one record. Rejects as `GroupCommitter.commitGroup`. */
  async commitGroup(
    batches: readonly StepsBatch[],
    encodedBytesMax: number,
  ): Promise<CarriedOutGroup> {
    const { packed, cells } = encodeRecord(batches, encodedBytesMax)
    const generation = this.pending.growing
    // It is handed over, and what is pending is known when it is written.
    const copy = new Uint8Array(packed)
    this.#lastId += 1
    generation.underWay += 1
    const record = { id: this.#lastId, generation: generation.number, packed }
    // Where that rejects nobody knows whether the record is there, so it stays under way: the store has failed, and
    // what belongs to nobody's answer is not moved any more (R2).
    const carriedOut = await this.#committer.appendRedo(record)
    generation.underWay -= 1
    const [result = null] = carriedOut.results
    // Before anybody is answered (R2).
    if (!isFailure(result)) {
      generation.cells.add(copy)
      generation.cellCount += cells
      this.#flusher.cellsCame(cells)
    }
    return { ...carriedOut, results: batches.map(() => result) }
  }

  /** As `SqliteFlusher.flushAll`. */
  moveAll(): Promise<BatchFailure | null> {
    this.#policy.wasInTheWay()
    return this.#flusher.flushAll()
  }

  /** Of batches that go to the tables. Violations of R4. */
  assertApart(batches: readonly (WriteBatch | LargeBatch)[]): void {
    if (this.pending.isEmpty) return
    for (const batch of batches) invariant(!this.#isTouched(batch), 'R4', { batch: batch.kind })
  }

  /** Nothing is moved any more of itself. */
  stop(): void {
    this.#flusher.stop()
  }

  #isTouched(batch: WriteBatch | LargeBatch): boolean {
    // The rows of a large batch are not made yet.
    if (batch.kind === 'large') return true
    if (batch.kind === 'increment') return this.pending.has(rowKeyText(batch.row))
    return batch.steps.some(({ row }) => this.pending.has(rowKeyText(row)))
  }
}
