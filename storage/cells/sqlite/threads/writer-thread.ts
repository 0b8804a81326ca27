// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { systemClock } from '../../../clock.ts'
import type { StreamPosition } from '../../store-replication.ts'
import { emptyLog, openWriterConnection, unusableFile } from '../file/connection.ts'
import { type NumberedGroup, SqliteGroupApplier } from '../groups/group-applier.ts'
import { decodeGroup } from '../groups/group-encoding.ts'
import { GroupNumbers, type Stream, streamsOf } from '../groups/group-numbers.ts'
import { decodeLarge } from '../groups/large-batch.ts'
import { type Done, SqliteTransactions } from '../groups/transactions.ts'
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
import { batchesOf, decodeFrame } from '../replication/group-record.ts'
import { SHRINK_MEMORY } from '../statements.ts'
import { type Reclaimed, reclaimPages } from '../wal/free-pages.ts'
import { isReplicated } from '../wal/litestream.ts'
import { type LogSize, type MadeRoom, SqliteWriteAheadLog } from '../wal/write-ahead-log.ts'
import { serveThread, type ThreadService } from './thread-server.ts'

/** Main module of the writer thread. */

/** The number of a group, where groups are numbered. */
type Numbered = { readonly position: StreamPosition | undefined }

export type WriterRequest =
  | ({ readonly kind: 'group'; readonly packed: Uint8Array } & Numbered)
  /** One batch, encoded in parts. */
  | ({ readonly kind: 'large'; readonly parts: readonly Uint8Array[] } & Numbered)
  | ({ readonly kind: 'redo'; readonly record: RedoRecord } & Numbered)
  /** Groups are numbered from here on. */
  | { readonly kind: 'number'; readonly position: StreamPosition }
  /** Groups of another store. */
  | { readonly kind: 'replay'; readonly frame: Uint8Array }
  | { readonly kind: 'flush'; readonly part: FlushPart }
  | { readonly kind: 'reclaim' }
  /** A write found the disk full. */
  | { readonly kind: 'makeRoom' }
  | { readonly kind: 'close'; readonly emptiesLog: boolean }

/** The durability settings that the connection reports: `wal`, and 2 for FULL. */
export type WriterOpened = {
  readonly journalMode: string
  readonly synchronous: number
  readonly streams: readonly Stream[]
}

/** How long the log has become, and whether something was not applied because the disk has no room. */
export type WriteAnswer = { readonly log: LogSize; readonly foundNoRoom: boolean }

/** With the position of the last group. */
export type GroupAnswer = CarriedOutGroup & WriteAnswer & Numbered

export type FlushAnswer = Flushed & WriteAnswer

class WriterService implements ThreadService<WriterRequest> {
  readonly #database: Database
  readonly #transactions: SqliteTransactions
  readonly #numbers: GroupNumbers
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
    const numbers = new GroupNumbers(database, transactions)
    this.#numbers = numbers
    this.#applier = new SqliteGroupApplier(database, transactions, numbers)
    this.#redoLog = openRedoLog(database, transactions, numbers)
    this.#log = new SqliteWriteAheadLog(database, transactions)
    this.#redoLog.recover((failure) => this.#recovered(failure))
  }

  get opened(): WriterOpened {
    const setting = (name: string) => this.#database.pragma(name, { simple: true })
    return {
      journalMode: String(setting('journal_mode')),
      synchronous: Number(setting('synchronous')),
      streams: streamsOf(this.#database),
    }
  }

  answer(request: WriterRequest): GroupAnswer | FlushAnswer | Reclaimed | MadeRoom | null {
    switch (request.kind) {
      case 'group':
        return this.#apply(decodeGroup(request.packed), request.position)
      case 'large':
        this.#wasLarge = true
        return this.#apply([decodeLarge(request.parts)], request.position)
      case 'redo':
        return this.#carriedOut(() => [this.#redoLog.append(request.record, request.position)])
      case 'number':
        return this.#carriedOut(() => [failureOf(this.#numbers.begin(request.position))])
      case 'replay':
        return this.#carriedOut(() => [this.#applier.replay(groupsOf(request.frame))])
      case 'flush':
        return this.#withLogSize(this.#redoLog.flush(request.part))
      case 'reclaim':
        return this.#withLogSize(reclaimPages(this.#database, this.#transactions))
      case 'makeRoom':
        return this.#log.makeRoom()
      case 'close':
        // Litestream reads the log, so emptying it would only wait.
        if (request.emptiesLog && !isReplicated(this.#database.name)) emptyLog(this.#database)
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

  #apply(batches: readonly WriteBatch[], position: StreamPosition | undefined): GroupAnswer {
    return this.#carriedOut(() => this.#applier.applyGroup(batches, position))
  }

  #carriedOut(write: () => readonly BatchResult[]): GroupAnswer {
    const carriedOut = timed(write)
    return this.#withLogSize({ ...carriedOut, position: this.#numbers.position })
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

function groupsOf(frame: Uint8Array): NumberedGroup[] {
  return decodeFrame(Buffer.from(frame)).map((record) => {
    const { stream, number } = record
    return { position: { stream, number }, batches: batchesOf(record) }
  })
}

function failureOf(done: Done<null>): BatchFailure | null {
  return done.done ? null : done.failure
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
