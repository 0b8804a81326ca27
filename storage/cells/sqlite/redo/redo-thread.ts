// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { invariant } from '../../../invariant.ts'
import type { StreamPosition } from '../../store-replication.ts'
import type { GroupNumbers } from '../groups/group-numbers.ts'
import type { SqliteTransactions } from '../groups/transactions.ts'
import type { BatchFailure } from '../groups/write-batch.ts'
import type { RecordedCell, RedoRecord } from './record.ts'
import { type RedoFile, RedoLog } from './redo-log.ts'

export { type RedoRecord, stepsOfRecord } from './record.ts'
export type { Flushed, FlushPart, RedoLog, RedoThread } from './redo-log.ts'

/** The redo log, by the connection of the thread that writes. */
export function openRedoLog(
  database: Database,
  transactions: SqliteTransactions,
  numbers: GroupNumbers,
): RedoLog {
  return new RedoLog(new SqliteRedoFile(database, transactions, numbers))
}

/** The table `redo` and those of the cells, by the connection of the thread that writes. */
class SqliteRedoFile implements RedoFile {
  readonly #database: Database
  readonly #transactions: SqliteTransactions
  readonly #numbers: GroupNumbers
  readonly #insert: Statement<unknown[]>
  readonly #delete: Statement<unknown[]>
  /** Whether a COMMIT syncs. */
  #isSynced = true

  constructor(database: Database, transactions: SqliteTransactions, numbers: GroupNumbers) {
    this.#database = database
    this.#transactions = transactions
    this.#numbers = numbers
    this.#insert = database.prepare('INSERT INTO redo (id, packed) VALUES (?, ?)')
    this.#delete = database.prepare(
      'DELETE FROM redo WHERE id IN (SELECT id FROM redo WHERE id <= ? ORDER BY id LIMIT ?)',
    )
  }

  write(
    work: () => void,
    { isSynced, position }: { readonly isSynced: boolean; readonly position?: StreamPosition },
  ): BatchFailure | null {
    if (!isSynced) this.#setSynced(false)
    invariant(this.#isSynced === isSynced, 'R1', { isSynced })
    try {
      const result = this.#numbers.inOne(position, work)
      return result.done ? null : result.failure
    } finally {
      // Frames of SQLite's log count only after those before them, so the next sync is one of all of them. A COMMIT
      // that failed and left its transaction open was the last one here.
      if (!isSynced && !this.#database.inTransaction) this.#setSynced(true)
    }
  }

  insertRecord({ id, packed }: RedoRecord): void {
    this.#insert.run(id, packed)
  }

  deleteRecords(lastId: number, countMax: number): number {
    return this.#delete.run(lastId, countMax).changes
  }

  putCell(row: Uint8Array, cell: RecordedCell): void {
    const { value, timestamp: from } = cell
    const { writes } = this.#transactions
    if (value !== undefined) writes.set(row, { ...cell, value })
    else writes.deleteFromColumn(row, { ...cell, timestamps: { from, until: from + 1 } })
  }

  recordBytes(): number {
    const sum = this.#database.prepare('SELECT coalesce(sum(length(packed)), 0) FROM redo').pluck()
    return sum.get() as number
  }

  records(): Iterable<RedoRecord> {
    const inOrder = 'SELECT id, packed FROM redo ORDER BY id'
    return this.#database.prepare<unknown[], RedoRecord>(inOrder).iterate()
  }

  #setSynced(isSynced: boolean): void {
    // It takes effect when it is prepared, so it is set again each time, and `pragma` would make a statement of it.
    this.#database.exec(isSynced ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL')
    this.#isSynced = isSynced
  }
}
