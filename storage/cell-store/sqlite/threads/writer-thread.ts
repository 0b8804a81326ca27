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
import { type Reclaimed, reclaimPages } from '../wal/free-pages.ts'
import {
  type LogSize,
  type MadeRoom,
  PAGE_BYTES,
  SqliteWriteAheadLog,
} from '../wal/write-ahead-log.ts'
import { serveThread, type ThreadService } from './thread-server.ts'

/** Main module of the thread that writes. */

export type WriterRequest =
  | { readonly kind: 'group'; readonly packed: Uint8Array }
  /** One batch, encoded in parts. */
  | { readonly kind: 'large'; readonly parts: readonly Uint8Array[] }
  | { readonly kind: 'redo'; readonly record: RedoRecord }
  | { readonly kind: 'flush'; readonly part: FlushPart }
  | { readonly kind: 'reclaim' }
  /** A write found no room. */
  | { readonly kind: 'makeRoom' }
  | { readonly kind: 'close'; readonly emptiesLog: boolean }

/** How durable the connection says it is: `wal`, and 2 for FULL. */
export type WriterOpened = { readonly journalMode: string; readonly synchronous: number }

/** The length of the log, if it was checked, and whether something was not applied because there was no room. */
export type WriteAnswer = { readonly log?: LogSize; readonly foundNoRoom?: true }

export type GroupAnswer = CarriedOutGroup & WriteAnswer

export type FlushAnswer = Flushed & WriteAnswer

/** What a record takes of the log beside its own pages: the end of the table, and what points at it. */
const PAGES_BESIDE_RECORD = 2

class WriterService implements ThreadService<WriterRequest> {
  readonly #database: Database
  readonly #transactions: SqliteTransactions
  readonly #applier: SqliteGroupApplier
  readonly #redoLog: RedoLog
  readonly #log: SqliteWriteAheadLog
  /** How large the log has been found, where it was looked at since the last answer. */
  #logFound: LogSize | undefined
  /** By how many pages records have let it grow since it was looked at. */
  #pagesUnseen = Number.POSITIVE_INFINITY

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
        return this.#apply([decodeParts(request.parts)])
      case 'redo':
        return this.#append(request.record)
      case 'flush':
        return this.#seen(this.#redoLog.flush(request.part))
      case 'reclaim':
        return this.#noted(reclaimPages(this.#database, this.#transactions))
      case 'makeRoom':
        return this.#log.makeRoom()
      case 'close':
        if (request.emptiesLog) emptyLog(this.#database)
        this.#database.close()
        return null
    }
  }

  /** There is nobody yet who would keep the log short, or give it the room that it lacks. */
  #recovered(failure: BatchFailure | null): boolean {
    if (failure === null) {
      this.#log.beginAnewWhenLarge(this.#log.size())
      return true
    }
    return this.#transactions.takeFoundNoRoom() && this.#log.makeRoom()?.outcome === 'begunAnew'
  }

  #apply(batches: readonly WriteBatch[]): GroupAnswer {
    return this.#seen(timed(() => this.#applier.applyGroup(batches)))
  }

  /** A record is a few pages long, and its cells will be flushed: the log is looked at behind many. */
  #append(record: RedoRecord): GroupAnswer {
    this.#pagesUnseen += Math.ceil(record.packed.length / PAGE_BYTES) + PAGES_BESIDE_RECORD
    const answer = timed(() => [this.#redoLog.append(record)])
    return this.#pagesUnseen < this.#log.lookPages ? this.#noted(answer) : this.#seen(answer)
  }

  #seen<Answer extends object>(answer: Answer): Answer & WriteAnswer {
    this.#logFound = this.#log.size()
    this.#pagesUnseen = 0
    return this.#noted({ ...answer, log: this.#logFound })
  }

  #noted<Answer extends object>(answer: Answer): Answer & WriteAnswer {
    return this.#transactions.takeFoundNoRoom() ? { ...answer, foundNoRoom: true } : answer
  }

  afterAnswer(): void {
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
