// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { StorageError } from '../errors.ts'
import {
  checkFilter,
  checkIncrements,
  checkMutations,
  checkRowKey,
  checkScan,
  EMBEDDED_LIMITS,
} from './call-check.ts'
import type { Row } from './cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CellStoreLimits,
  type CheckAndMutate,
  type Increment,
  type RowMutations,
  type RowScan,
} from './cell-store.ts'
import { eventLoopTurn } from './event-loop-turn.ts'
import type { RowFilter } from './row-filter.ts'
import { openReaderConnection, openWriterConnection, reclaimPages } from './sqlite-connection.ts'
import { SqliteDataDirectory } from './sqlite-data-directory.ts'
import { type Chunk, SqliteRangeReader } from './sqlite-range-reader.ts'
import { SqliteRowReader } from './sqlite-row-reader.ts'
import { isDiskError, SqliteRowSteps } from './sqlite-row-steps.ts'
import { SqliteWriter } from './sqlite-writer.ts'

/** The first chunk of a scan is small, because many scans end early; then they double. */
const CHUNK_ROWS_FIRST = 64
const CHUNK_ROWS_MAX = 512
const CHUNK_BYTES_MAX = 1024 * 1024

export type SqliteCellStoreOptions = {
  /** Created when missing. It belongs to the store until `close`. */
  readonly dataDirectory: string
  /**
   * Told once when the disk failed or a COMMIT did: what was being written is in doubt and the store
   * refuses every further call. The process should end; the next start recovers.
   */
  readonly onFatal?: (error: CellStoreError) => void
}

/** Throws StorageError `data_directory_locked` or `data_directory_unusable`. */
export async function openSqliteCellStore(options: SqliteCellStoreOptions): Promise<CellStore> {
  const directory = new SqliteDataDirectory(options.dataDirectory)
  let writer: Database | undefined
  let reader: Database | undefined
  try {
    writer = openWriterConnection(directory.storeFile)
    reader = openReaderConnection(directory.storeFile)
    return new SqliteCellStore({
      directory,
      writer,
      reader,
      onFatal: options.onFatal ?? (() => {}),
    })
  } catch (error) {
    reader?.close()
    writer?.close()
    directory.release()
    throw error instanceof StorageError ? error : unusable(directory.storeFile, error)
  }
}

/**
 * The cell store on one machine's disk. Mutations go through the writer's queue and connection; reads
 * run on a connection of their own, in this turn, and see all that was acknowledged before them.
 */
class SqliteCellStore implements CellStore {
  readonly atomicScope = 'row'
  readonly limits: CellStoreLimits = EMBEDDED_LIMITS
  readonly #directory: SqliteDataDirectory
  readonly #writerConnection: Database
  readonly #readerConnection: Database
  readonly #writer: SqliteWriter
  readonly #rowReader: SqliteRowReader
  readonly #rangeReader: SqliteRangeReader
  readonly #begin: Statement<unknown[]>
  readonly #end: Statement<unknown[]>
  #failed = false
  #closed = false

  constructor(parts: {
    readonly directory: SqliteDataDirectory
    readonly writer: Database
    readonly reader: Database
    readonly onFatal: (error: CellStoreError) => void
  }) {
    this.#directory = parts.directory
    this.#writerConnection = parts.writer
    this.#readerConnection = parts.reader
    this.#writer = new SqliteWriter(new SqliteRowSteps(parts.writer), (error) => {
      this.#failed = true
      parts.onFatal(error)
    })
    this.#rowReader = new SqliteRowReader(parts.reader)
    this.#rangeReader = new SqliteRangeReader(parts.reader, this.#rowReader)
    this.#begin = parts.reader.prepare('BEGIN')
    this.#end = parts.reader.prepare('COMMIT')
  }

  async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    this.#writer.assertOpen()
    checkRowKey(row)
    checkFilter(step.when)
    checkMutations(step.ifMatched)
    checkMutations(step.otherwise)
    return this.#writer.submit({ kind: 'checkAndMutate', row, ...step })
  }

  async mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>> {
    this.#writer.assertOpen()
    return Promise.all(entries.map((entry) => this.#mutateRow(entry)))
  }

  async readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    this.#writer.assertOpen()
    checkFilter(filter)
    for (const key of keys) checkRowKey(key)
    return this.#inOneSnapshot(() =>
      keys.map((key) => {
        const cells = this.#rowReader.readRow(key, filter)
        return cells.length === 0 ? null : { key, cells }
      }),
    )
  }

  async *scanRows(scan: RowScan): AsyncIterable<Row> {
    checkScan(scan)
    const { reverse = false, filter, signal } = scan
    let left = scan.limit ?? Infinity
    let rest: Chunk['rest'] = { start: scan.start, end: scan.end }
    for (let rowsMax = CHUNK_ROWS_FIRST; rest !== undefined && left > 0; ) {
      signal?.throwIfAborted()
      this.#writer.assertOpen()
      const { start, end } = rest
      const chunk: Chunk = this.#inOneSnapshot(() =>
        this.#rangeReader.readChunk({
          ...{ start, end, reverse, filter },
          rowsMax: Math.min(rowsMax, left),
          bytesMax: CHUNK_BYTES_MAX,
        }),
      )
      for (const row of chunk.rows) {
        signal?.throwIfAborted()
        left -= 1
        yield row
      }
      rest = chunk.rest
      rowsMax = Math.min(rowsMax * 2, CHUNK_ROWS_MAX)
      if (rest !== undefined && left > 0) await eventLoopTurn()
    }
  }

  async readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    this.#writer.assertOpen()
    checkRowKey(row)
    checkIncrements(increments)
    return this.#writer.submit({ kind: 'increment', row, increments })
  }

  /** A part at a time, because the pages at the end of the file are moved to its free places. */
  async reclaimSpace(): Promise<number> {
    this.#writer.assertOpen()
    await eventLoopTurn()
    this.#writer.assertOpen()
    return reclaimPages(this.#writerConnection)
  }

  async splitPoints(): Promise<Uint8Array[]> {
    this.#writer.assertOpen()
    return []
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#writer.close()
    try {
      this.#readerConnection.close()
      if (!this.#failed) this.#emptyLog()
    } finally {
      this.#writerConnection.close()
      this.#directory.release()
    }
  }

  /** Leaves one complete file: the log's content is moved into it and the log is emptied. */
  #emptyLog(): void {
    try {
      this.#writerConnection.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // On a full disk the log stays as it is; it is on disk, and the next start reads it.
    }
  }

  async #mutateRow({ row, mutations }: RowMutations): Promise<CellStoreError | null> {
    try {
      checkRowKey(row)
      checkMutations(mutations)
      const step = { when: [], ifMatched: [], otherwise: mutations }
      await this.#writer.submit({ kind: 'checkAndMutate', row, ...step })
      return null
    } catch (error) {
      if (error instanceof CellStoreError) return error
      throw error
    }
  }

  /** Runs `read` in one read transaction, which ends with it: nothing may be awaited inside. */
  #inOneSnapshot<T>(read: () => T): T {
    try {
      this.#begin.run()
      const answer = read()
      this.#end.run()
      return answer
    } catch (error) {
      if (isDiskError(error)) throw this.#writer.fail(error)
      if (this.#readerConnection.inTransaction) this.#readerConnection.exec('ROLLBACK')
      throw new CellStoreError('notApplied', 'The read failed.', { cause: error })
    }
  }
}

/** A file that opens, but is not laid out as ours; SQLite says so when the statements are prepared. */
function unusable(storeFile: string, cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `${storeFile} cannot be used: ${reason}.`
  return new StorageError('data_directory_unusable', message, {}, { cause })
}
