// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { systemClock } from '../clock.ts'
import { emptyLog, openWriterConnection, unusableFile } from './sqlite-connection.ts'
import { type Reclaimed, reclaimPages } from './sqlite-free-pages.ts'
import { SqliteGroupApplier } from './sqlite-group-applier.ts'
import { decodeGroup } from './sqlite-group-encoding.ts'
import { decodeParts } from './sqlite-large-batch.ts'
import { SqliteRedoLog } from './sqlite-redo-log.ts'
import { serveThread, type ThreadService } from './sqlite-thread-server.ts'
import { SqliteTransactions } from './sqlite-transactions.ts'
import { type LogSize, SqliteWriteAheadLog } from './sqlite-write-ahead-log.ts'
import type {
  BatchResult,
  CarriedOutGroup,
  Flushed,
  RedoRecord,
  WriteBatch,
} from './sqlite-write-batch.ts'

/** Main module of the thread that writes. */

export type WriterRequest =
  | { readonly kind: 'group'; readonly packed: Uint8Array }
  /** One batch, encoded in parts. */
  | { readonly kind: 'large'; readonly parts: readonly Uint8Array[] }
  | { readonly kind: 'redo'; readonly record: RedoRecord }
  | { readonly kind: 'flush'; readonly generation: number; readonly cells: number }
  | { readonly kind: 'reclaim' }
  | { readonly kind: 'close'; readonly emptiesLog: boolean }

/** How durable the connection says it is: `wal`, and 2 for FULL. */
export type WriterOpened = { readonly journalMode: string; readonly synchronous: number }

/** How long the log has become, where that was looked at. */
export type GroupAnswer = CarriedOutGroup & { readonly log?: LogSize }

export type FlushAnswer = Flushed & { readonly log: LogSize }

class WriterService implements ThreadService<WriterRequest> {
  readonly #database: Database
  readonly #transactions: SqliteTransactions
  readonly #applier: SqliteGroupApplier
  readonly #redoLog: SqliteRedoLog
  readonly #log: SqliteWriteAheadLog
  /** How large the log has been found, where it was looked at since the last answer. */
  #logFound: LogSize | undefined

  constructor(database: Database) {
    this.#database = database
    const transactions = new SqliteTransactions(database)
    this.#transactions = transactions
    this.#applier = new SqliteGroupApplier(database, transactions)
    this.#redoLog = new SqliteRedoLog(database, transactions)
    this.#log = new SqliteWriteAheadLog(database)
    this.#redoLog.recover()
  }

  get opened(): WriterOpened {
    const setting = (name: string) => this.#database.pragma(name, { simple: true })
    return {
      journalMode: String(setting('journal_mode')),
      synchronous: Number(setting('synchronous')),
    }
  }

  answer(request: WriterRequest): GroupAnswer | FlushAnswer | Reclaimed | null {
    switch (request.kind) {
      case 'group':
        return this.#apply(decodeGroup(request.packed))
      case 'large':
        return this.#apply([decodeParts(request.parts)])
      case 'redo':
        // A record is a few pages long, and its cells will be flushed.
        return timed(() => [this.#redoLog.append(request.record)])
      case 'flush':
        return { ...this.#redoLog.flush(request.generation, request.cells), log: this.#lookAtLog() }
      case 'reclaim':
        return reclaimPages(this.#database, this.#transactions)
      case 'close':
        if (request.emptiesLog) emptyLog(this.#database)
        this.#database.close()
        return null
    }
  }

  #apply(batches: readonly WriteBatch[]): GroupAnswer {
    return { ...timed(() => this.#applier.applyGroup(batches)), log: this.#lookAtLog() }
  }

  #lookAtLog(): LogSize {
    this.#logFound = this.#log.size()
    return this.#logFound
  }

  afterAnswer(): void {
    this.#redoLog.arrange()
    if (this.#logFound !== undefined) this.#log.beginAnewWhenLarge(this.#logFound)
    this.#logFound = undefined
  }

  isOpen(): boolean {
    return this.#database.open
  }
}

function timed(write: () => readonly BatchResult[]): CarriedOutGroup {
  const beganMs = systemClock.monotonicMs()
  const results = write()
  return { results, ms: systemClock.monotonicMs() - beganMs }
}

serveThread((path) => {
  const database = openWriterConnection(path)
  try {
    return new WriterService(database)
  } catch (error) {
    database.close()
    throw unusableFile(path, error)
  }
})
