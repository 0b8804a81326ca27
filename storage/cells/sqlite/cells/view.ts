// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { EMBEDDED_LIMITS } from '../../call-check.ts'
import type { Row } from '../../cell.ts'
import { CellStoreError, type CellStoreLimits } from '../../cell-store.ts'
import type { CellView, Chunk, ChunkRequest } from '../../embedded-cell-store.ts'
import type { RowFilter } from '../../row-filter.ts'
import { DAMAGED, isDamage, isDiskError } from '../error.ts'
import { inlineValueBytesMax } from '../schema.ts'
import { BEGIN_READ, COMMIT, ROLLBACK } from '../statements.ts'
import { SqliteRangeReader } from './range-reader.ts'
import { SqliteRowReader } from './row-reader.ts'

/** What the view uses of its store. */
export type ViewedStore = {
  /** Throws when the store was closed. */
  assertOpen(): void
  /** Reports a failed disk; returns the error of all later calls. */
  fail(cause: unknown): CellStoreError
}

/**
 * Reads over a separate connection; those of one turn are one read transaction, and so one WAL snapshot. The first read
 * opens it. It ends when the result of a group of mutations arrives, before their promises are settled, so that a
 * writer reads what it wrote; and with the turn at the latest, so that it holds back no checkpoint. No statement stays
 * open between two reads: while one is open, SQLite keeps the old snapshot, even after COMMIT.
 */
export class SqliteView implements CellView {
  readonly limits: CellStoreLimits
  readonly #reader: Database
  readonly #store: ViewedStore
  readonly #rowReader: SqliteRowReader
  readonly #rangeReader: SqliteRangeReader
  readonly #begin: Statement<unknown[]>
  readonly #commit: Statement<unknown[]>
  readonly #endTurn = () => {
    this.#endScheduled = false
    this.end()
  }
  #endScheduled = false
  #begun = false
  #damage: CellStoreError | undefined

  constructor(reader: Database, store: ViewedStore) {
    this.#reader = reader
    this.#store = store
    this.#rowReader = new SqliteRowReader(reader)
    this.#rangeReader = new SqliteRangeReader(reader, this.#rowReader)
    this.#begin = reader.prepare(BEGIN_READ)
    this.#commit = reader.prepare(COMMIT)
    this.limits = { ...EMBEDDED_LIMITS, inlineValueBytesMax: inlineValueBytesMax(reader) }
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null> {
    this.#store.assertOpen()
    let reading = keys[0]
    try {
      this.#open()
      return keys.map((key) => {
        reading = key
        const cells = this.#rowReader.readRow(key, filter)
        return cells.length === 0 ? null : { key, cells }
      })
    } catch (error) {
      throw this.#failed(error, reading)
    }
  }

  readChunk(request: ChunkRequest): Chunk {
    this.#store.assertOpen()
    try {
      this.#open()
      return this.#rangeReader.readChunk(request)
    } catch (error) {
      throw this.#failed(error, request.start)
    }
  }

  /** The last read that met a page which cannot be read. */
  get damage(): CellStoreError | undefined {
    return this.#damage
  }

  /** The next read opens a new snapshot. */
  end(): void {
    if (!this.#begun) return
    this.#begun = false
    try {
      this.#commit.run()
    } catch (error) {
      this.#failed(error)
    }
  }

  close(): void {
    this.end()
    this.#reader.close()
  }

  #open(): void {
    if (this.#begun) return
    this.#begin.run()
    this.#begun = true
    if (this.#endScheduled) return
    this.#endScheduled = true
    setImmediate(this.#endTurn)
  }

  #failed(cause: unknown, row?: Uint8Array): CellStoreError {
    this.#begun = false
    const isDamaged = isDamage(cause)
    if (!isDamaged && isDiskError(cause)) return this.#store.fail(cause)
    if (this.#reader.inTransaction) this.#reader.exec(ROLLBACK)
    if (isDamaged) {
      this.#damage = new CellStoreError('damaged', DAMAGED, { cause, ...(row && { row }) })
      return this.#damage
    }
    return new CellStoreError('notApplied', 'The read failed.', { cause })
  }
}
