// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { invariant } from '../../../invariant.ts'
import { prepareWrites, type WritesByFamily } from '../cells/family-writes.ts'
import { isFull } from '../error.ts'
import type { SqliteTransactions } from '../groups/transactions.ts'
import type { BatchFailure, Flushed, RedoRecord } from '../groups/write-batch.ts'
import { PAGE_BYTES } from '../wal/write-ahead-log.ts'
import { SqlitePackedMemtable } from './packed-memtable.ts'
import type { PackedRow } from './packed-row.ts'
import {
  ERASED_COUNTS_FOR,
  FLUSHED_CELLS_MAX,
  GENERATION_BYTES_MAX,
  type RecordedCell,
} from './redo-record.ts'

/** How many records are deleted at once: a few milliseconds, in which no group is committed. */
const FORGOTTEN_RECORDS = 512

/** A cell of a kilobyte may take a page of the file, and its record is there as well. */
const ROOM_FOR_EACH_BYTE = 5
/** What is moved together stands in SQLite's log first: a leaf and a page of its own for each cell. */
const ROOM_FOR_LOG = FLUSHED_CELLS_MAX * 2 * PAGE_BYTES

/** Of the records that an earlier process has left. */
const LEFT_OVER = 0

/** A cell in the order of the keys and of the cells of each row: all before it are in the tables. */
type Position = { readonly row: string; readonly cell: number }

type Generation = {
  readonly cells: SqlitePackedMemtable
  /** Its last record. */
  through: number
  /** The first cell that is not in the tables; undefined when all are. */
  next: Position | undefined
}

/**
 * The table of redo records: each is a group of batches, as one row. That is what is synced before a group is
 * answered, because 24 rows of a table are 24 pages, and this is three. The cells are moved into the tables later
 * (Bigtable's commit log and memtable; Chang et al., OSDI 2006, section 5.3).
 */
export class SqliteRedoLog {
  readonly #database: Database
  readonly #transactions: SqliteTransactions
  readonly #writes: WritesByFamily
  readonly #append: Statement<unknown[]>
  readonly #forget: Statement<unknown[]>
  readonly #generations = new Map<number, Generation>()
  /** Whether a COMMIT syncs. */
  #isSynced = true
  /** Records that are written and in no memtable yet. */
  #kept: RedoRecord[] = []
  /** The last record that was appended. */
  #lastId = 0
  /** The last record that has been deleted. */
  #forgotten = 0

  constructor(database: Database, transactions: SqliteTransactions) {
    this.#database = database
    this.#transactions = transactions
    this.#writes = prepareWrites(database)
    this.#append = database.prepare('INSERT INTO redo (id, packed) VALUES (?, ?)')
    this.#forget = database.prepare('DELETE FROM redo WHERE id <= +?')
  }

  /** Durable when this returns null (R1). Ids ascend, and so do generations. */
  append(record: RedoRecord): BatchFailure | null {
    invariant(this.#isSynced, 'R1', { record: record.id })
    invariant(record.id > this.#lastId, 'R3', { record: record.id, last: this.#lastId })
    const result = this.#transactions.inOne({
      run: () => this.#append.run(record.id, record.packed),
      undo: () => {},
    })
    if (!result.done) return result.failure
    this.#lastId = record.id
    this.#kept.push(record)
    return null
  }

  /** Adds appended records to the memtable; runs after the answer was sent. */
  absorbAppended(): void {
    for (const { generation: number, id, packed } of this.#kept) {
      const generation = this.#generations.get(number) ?? this.#begin(number, GENERATION_BYTES_MAX)
      generation.cells.add(packed)
      generation.through = id
    }
    this.#kept = []
  }

  /**
   * Moves about so many cells of a generation that grows no more into the tables, in the order of their keys:
   * neighbours share pages. A row with many of them is moved in several parts, because groups wait for each part.
   * Without a sync: what a crash takes back stands in the redo log, whose records are deleted by the last of these
   * transactions (R3). After a failure nothing has been moved.
   */
  flush(number: number, cells: number): Flushed {
    this.absorbAppended()
    const generation = this.#generations.get(number)
    invariant(generation !== undefined, 'R3', { generation: number })
    return this.#unsynced(() => this.#flushSome(number, generation, cells))
  }

  /**
   * Moves all that an earlier process has left, before anybody reads. `afterEach` is told of each part, and says of one
   * that could not be moved whether to try again. Throws what SQLite throws.
   */
  recover(afterEach: (failure: BatchFailure | null) => boolean): void {
    type Found = [records: number, bytes: number, first: number, last: number]
    const found = this.#database
      .prepare<unknown[], Found>('SELECT count(*), sum(length(packed)), min(id), max(id) FROM redo')
      .raw()
      .get()
    const [records, bytes, first, last] = found as Found
    if (records === 0) return
    this.#forgotten = first - 1
    const generation = this.#begin(LEFT_OVER, bytes)
    const packed = this.#database.prepare<unknown[], Buffer>('SELECT packed FROM redo ORDER BY id')
    for (const record of packed.pluck().iterate()) generation.cells.add(record)
    generation.through = last
    for (let isDone = false; !isDone; ) {
      const flushed = this.flush(LEFT_OVER, FLUSHED_CELLS_MAX)
      const { failure } = flushed
      if (!afterEach(failure) && failure !== null) throw notRecovered(failure, bytes)
      isDone = flushed.isDone
    }
    // Ids begin anew.
    this.#forgotten = 0
  }

  /** Frames of SQLite's log count only behind those before them, so the next sync is one of all of them. */
  #unsynced<T>(work: () => T): T {
    this.#setSynced(false)
    try {
      return work()
    } finally {
      // A COMMIT that failed and left its transaction open was the last one here.
      if (!this.#database.inTransaction) this.#setSynced(true)
    }
  }

  #setSynced(isSynced: boolean): void {
    // It takes effect when it is prepared, so it is said anew each time, and `pragma` would make a statement of it.
    this.#database.exec(isSynced ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL')
    this.#isSynced = isSynced
  }

  #begin(number: number, bytesMax: number): Generation {
    const cells = new SqlitePackedMemtable(bytesMax)
    const begun = { cells, through: 0, next: { row: '', cell: 0 } }
    this.#generations.set(number, begun)
    return begun
  }

  #flushSome(number: number, generation: Generation, cellsWanted: number): Flushed {
    const { cells, through } = generation
    let next: Position | undefined
    let forgotten = this.#forgotten
    const families = Object.values(this.#writes)
    const result = this.#transactions.inOne({
      run: () => {
        if (generation.next !== undefined) next = this.#move(cells, generation.next, cellsWanted)
        for (const { inserts } of families) inserts.settle()
        if (next !== undefined) return
        // Some at a time, because a writer that is alone has a record for each of its commits.
        forgotten = Math.min(forgotten + FORGOTTEN_RECORDS, through)
        this.#forget.run(forgotten)
      },
      undo: () => {
        for (const { inserts } of families) inserts.forget()
      },
    })
    if (!result.done) return { failure: result.failure, isDone: false }
    generation.next = next
    this.#forgotten = forgotten
    const isDone = next === undefined && forgotten === through
    if (isDone) this.#generations.delete(number)
    return { failure: null, isDone }
  }

  /** About so many cells from there on. Answers where the others begin. */
  #move(memtable: SqlitePackedMemtable, from: Position, cellsWanted: number): Position | undefined {
    let left = cellsWanted
    for (const text of memtable.keysFrom(from.row)) {
      if (left <= 0) return { row: text, cell: 0 }
      const row = memtable.rowOf(text) as PackedRow
      const moved = text === from.row ? from.cell : 0
      const cells = row.slice(moved, Math.ceil(left))
      left -= this.#insert(text, cells)
      const next = moved + cells.length
      if (next < row.size) return { row: text, cell: next }
    }
    return undefined
  }

  #insert(text: string, cells: readonly RecordedCell[]): number {
    const key = Buffer.from(text, 'latin1')
    let count = 0
    for (const { family, qualifier, timestamp, value } of cells) {
      const { inserts, deleteFromColumn } = this.#writes[family]
      count += value === undefined ? ERASED_COUNTS_FOR : 1
      // Each place is there once, so it does not matter that what is set may wait.
      if (value !== undefined) inserts.set(key, qualifier, timestamp, value)
      else deleteFromColumn.run(key, qualifier, timestamp, timestamp + 1)
    }
    return count
  }
}

function notRecovered({ cause }: BatchFailure, bytes: number): Error {
  if (!isFull(cause)) return new Error(cause.message)
  const room = `${Math.ceil((ROOM_FOR_EACH_BYTE * bytes + ROOM_FOR_LOG) / 2 ** 20)} MiB`
  return new Error(
    `${cause.message}: moving its redo log into the tables takes up to ${room} of room`,
  )
}
