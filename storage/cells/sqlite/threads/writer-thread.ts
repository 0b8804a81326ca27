// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { systemClock } from '../../../clock.ts'
import { emptyLog, openWriterConnection, unusableFile } from '../file/connection.ts'
import { SqliteGroupApplier } from '../groups/group-applier.ts'
import { decodeGroup } from '../groups/group-encoding.ts'
import { decodeParts } from '../groups/large-batch.ts'
import { SqliteTransactions } from '../groups/transactions.ts'
import type {
  BatchFailure,
  BatchResult,
  CarriedOutGroup,
  WriteBatch,
} from '../groups/write-batch.ts'
import {
  type Flushed,
  type FlushPart,
  openRedoLog,
  type RedoLog,
  type RedoRecord,
} from '../redo/redo-thread.ts'
import { SHRINK_MEMORY } from '../statements.ts'
import { type Reclaimed, reclaimPages } from '../wal/free-pages.ts'
import { type LogSize, type MadeRoom, SqliteWriteAheadLog } from '../wal/write-ahead-log.ts'
import { serveThread, type ThreadService } from './thread-server.ts'

/** Main module of the writer thread. */

export type WriterRequest =
  | { readonly kind: 'group'; readonly packed: Uint8Array }
  /** One batch, encoded in parts. */
  | { readonly kind: 'large'; readonly parts: readonly Uint8Array[] }
  | { readonly kind: 'redo'; readonly record: RedoRecord }
  | { readonly kind: 'flush'; readonly part: FlushPart }
  | { readonly kind: 'reclaim' }
  /** A write found the disk full. */
  | { readonly kind: 'makeRoom' }
  | { readonly kind: 'close'; readonly emptiesLog: boolean }

/** The durability settings that the connection reports: `wal`, and 2 for FULL. */
export type WriterOpened = { readonly journalMode: string; readonly synchronous: number }

/** How long the log has become, and whether something was not applied because the disk has no room. */
export type WriteAnswer = { readonly log: LogSize; readonly foundNoRoom: boolean }

export type GroupAnswer = CarriedOutGroup & WriteAnswer

export type FlushAnswer = Flushed & WriteAnswer

class WriterService implements ThreadService<WriterRequest> {
  readonly #database: Database
  readonly #transactions: SqliteTransactions
  readonly #applier: SqliteGroupApplier
  readonly #redoLog: RedoLog
  readonly #log: SqliteWriteAheadLog
  /** How large the log was found for the last answer, where it was looked at. */
  #logFound: LogSize | undefined
  #wasLarge = false

  constructor(database: Database) {
    this.#database = database
    const transactions = new SqliteTransactions(database)
    this.#transactions = transactions
    this.#applier = new SqliteGroupApplier(database, transactions)
    this.#redoLog = openRedoLog(database, transactions)
    this.#log = new SqliteWriteAheadLog(database, transactions)
    this.#redoLog.recover((failure) => this.#recovered(failure))
  }

  get opened(): WriterOpened {
    const setting = (name: string) => this.#database.pragma(name, { simple: true })
    return {
      journalMode: String(setting('journal_mode')),
      synchronous: Number(setting('synchronous')),
    }
  }

  answer(request: WriterRequest): GroupAnswer | FlushAnswer | Reclaimed | MadeRoom | null {
    switch (request.kind) {
      case 'group':
        return this.#apply(decodeGroup(request.packed))
      case 'large':
        this.#wasLarge = true
        return this.#apply([decodeParts(request.parts)])
      case 'redo':
        return this.#withLogSize(timed(() => [this.#redoLog.append(request.record)]))
      case 'flush':
        return this.#withLogSize(this.#redoLog.flush(request.part))
      case 'reclaim':
        return this.#withLogSize(reclaimPages(this.#database, this.#transactions))
      case 'makeRoom':
        return this.#log.makeRoom()
      case 'close':
        if (request.emptiesLog) emptyLog(this.#database)
        this.#database.close()
        return null
    }
  }

  /** Restarts a long log, or frees space for it, because the main thread does neither yet. */
  #recovered(failure: BatchFailure | null): boolean {
    if (failure === null) {
      this.#log.restartWhenLarge(this.#log.size())
      return true
    }
    return this.#transactions.takeFoundNoRoom() && this.#log.makeRoom()?.outcome === 'restarted'
  }

  #apply(batches: readonly WriteBatch[]): GroupAnswer {
    return this.#withLogSize(timed(() => this.#applier.applyGroup(batches)))
  }

  #withLogSize<Answer extends object>(answer: Answer): Answer & WriteAnswer {
    this.#logFound = this.#log.size()
    return {
      ...answer,
      log: this.#logFound,
      foundNoRoom: this.#transactions.takeFoundNoRoom(),
    }
  }

  afterAnswer(): void {
    if (this.#logFound !== undefined) this.#log.restartWhenLarge(this.#logFound)
    this.#logFound = undefined
    // A load of many rows fills the page cache with pages that it does not need again.
    if (this.#wasLarge) this.#database.exec(SHRINK_MEMORY)
    this.#wasLarge = false
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
