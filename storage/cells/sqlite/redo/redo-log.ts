// SPDX-License-Identifier: Apache-2.0
import { invariant } from '../../../invariant.ts'
import type { StreamPosition } from '../../store-replication.ts'
import { isDamage, isFull } from '../error.ts'
import type { BatchFailure, CarriedOutGroup } from '../groups/write-batch.ts'
import { PAGE_BYTES } from '../schema.ts'
import { Memtable, type SentMemtable } from './memtable.ts'
import type { RecordedCell, RedoRecord } from './record.ts'

/** How many cells are flushed at once after large groups, and when all batches wait for the flush. */
export const FLUSHED_CELLS_MAX = 1024

/** How many records are deleted at once: a few milliseconds, in which no group is committed. */
const DELETED_RECORDS = 512

/** A cell of a kilobyte may take a page of the file, and its record is there as well. */
const ROOM_FOR_EACH_BYTE = 5
/** What is flushed together is in SQLite's log first: a leaf and a page of its own for each cell. */
const ROOM_FOR_LOG = FLUSHED_CELLS_MAX * 2 * PAGE_BYTES

/** About how many cells to flush, and the immutable memtable, which is sent with the first part only. */
export type FlushPart = { readonly memtable: SentMemtable | undefined; readonly cells: number }

/** Why nothing was flushed, and whether nothing is left of the memtable, in it or in the redo log. */
export type Flushed = { readonly failure: BatchFailure | null; readonly isDone: boolean }

/** What the main thread asks of the thread that writes. */
export interface RedoThread {
  /** Whether the disk has room for cells that are in the redo log first and later in the tables as well. */
  readonly hasRoomForRedoLog: boolean

  /** Makes a record durable. Rejects when its outcome is unknown. */
  appendRedo(record: RedoRecord): Promise<CarriedOutGroup>

  /** Flushes a part of an immutable memtable, of which all records have been answered. */
  flush(part: FlushPart): Promise<Flushed>
}

/** The file that has the records and the tables. */
export interface RedoFile {
  /** Runs in one transaction; only one that is synced is durable when this returns null. */
  write(
    work: () => void,
    options: { readonly isSynced: boolean; readonly position?: StreamPosition },
  ): BatchFailure | null
  insertRecord(record: RedoRecord): void
  /** Deletes the oldest of the records up to `lastId`, at most `countMax`. Returns how many were deleted. */
  deleteRecords(lastId: number, countMax: number): number
  /** Puts a cell where it belongs in the tables, or deletes what is at its address. */
  putCell(row: Uint8Array, cell: RecordedCell): void
  /** Of all records together. */
  recordBytes(): number
  /** In the order of their ids. */
  records(): Iterable<RedoRecord>
}

/** A cell in the order of the keys and of the cells of each row: all before it are in the tables. */
type Position = { readonly key: string; readonly cell: number }

/** `next` is undefined when all cells are in the tables. */
type Flushing = { readonly memtable: Memtable; next: Position | undefined }

/**
 * The table of redo records: each is a group of batches, as one row. That is what is synced before a group is
 * answered, because 24 rows of a table are 24 pages, and this is three. The cells are flushed into the tables later
 * (Bigtable's commit log and memtable; Chang et al., OSDI 2006, section 5.3).
 */
export class RedoLog {
  readonly #file: RedoFile
  #flushing: Flushing | undefined
  #lastId = 0

  constructor(file: RedoFile) {
    this.#file = file
  }

  /** Durable when this returns null (R1), as the group at this position where groups are numbered. Ids ascend. */
  append(record: RedoRecord, position?: StreamPosition): BatchFailure | null {
    invariant(record.id > this.#lastId, 'R3', { record: record.id, last: this.#lastId })
    const insert = () => this.#file.insertRecord(record)
    const numbered = position === undefined ? {} : { position }
    const failure = this.#file.write(insert, { isSynced: true, ...numbered })
    if (failure === null) this.#lastId = record.id
    return failure
  }

  /**
   * Flushes a part in the order of the keys: neighbours share pages. A row with many cells is flushed in several
   * parts, because groups wait for each. Without a sync: what a crash takes back is in the redo log, whose records
   * are deleted by the last of these transactions (R3). After a failure nothing has been flushed.
   */
  flush({ memtable: sent, cells }: FlushPart): Flushed {
    if (sent !== undefined) {
      invariant(this.#flushing === undefined, 'R3', { sent: sent.lastId })
      this.#begin(Memtable.received(sent))
    }
    const flushing = this.#flushing
    invariant(flushing !== undefined, 'R3', { flushing: 'nothing' })
    let { next } = flushing
    let isDone = false
    const failure = this.#file.write(
      () => {
        if (next !== undefined) next = this.#putCells(flushing.memtable, next, cells)
        if (next !== undefined) return
        // Some at a time, because a writer that is alone has a record for each of its commits.
        const deleted = this.#file.deleteRecords(flushing.memtable.lastId, DELETED_RECORDS)
        isDone = deleted < DELETED_RECORDS
      },
      { isSynced: false },
    )
    if (failure !== null) return { failure, isDone: false }
    flushing.next = next
    if (isDone) this.#flushing = undefined
    return { failure: null, isDone }
  }

  /**
   * Flushes all that an earlier process has left, before the first read. `afterEach` is called after each part, and
   * returns for one that failed whether to try again. Throws what SQLite throws.
   */
  recover(afterEach: (failure: BatchFailure | null) => boolean): void {
    const bytes = this.#file.recordBytes()
    if (bytes === 0) return
    const memtable = Memtable.of(bytes)
    for (const record of this.#file.records()) memtable.add(record)
    this.#begin(memtable)
    for (let isDone = false; !isDone; ) {
      const flushed = this.flush({ memtable: undefined, cells: FLUSHED_CELLS_MAX })
      const { failure } = flushed
      if (!afterEach(failure) && failure !== null) throw notRecovered(failure, bytes)
      isDone = flushed.isDone
    }
  }

  #begin(memtable: Memtable): void {
    this.#flushing = { memtable, next: { key: '', cell: 0 } }
  }

  /** Returns the position of the first cell that is left; undefined when none is. */
  #putCells(memtable: Memtable, from: Position, cellsWanted: number): Position | undefined {
    let left = cellsWanted
    for (const { key, oldest } of memtable.rowsFrom(from.key)) {
      if (left <= 0) return { key, cell: 0 }
      const rowKey = Buffer.from(key, 'latin1')
      const row = memtable.rowAt(oldest)
      const first = key === from.key ? from.cell : 0
      const cells = row.slice(first, left)
      for (const cell of cells) this.#file.putCell(rowKey, cell)
      left -= cells.length
      const next = first + cells.length
      if (next < row.size) return { key, cell: next }
    }
    return undefined
  }
}

function notRecovered({ cause }: BatchFailure, bytes: number): Error {
  if (isDamage(cause)) {
    return new Error(`${cause.message}: its redo log meets a damaged page. What it holds stays there; \
run percolite check, and restore a backup`)
  }
  if (!isFull(cause)) return new Error(cause.message)
  const room = `${Math.ceil((ROOM_FOR_EACH_BYTE * bytes + ROOM_FOR_LOG) / 2 ** 20)} MiB`
  return new Error(`${cause.message}: flushing its redo log takes up to ${room} of room`)
}
