// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { systemClock } from '../clock.ts'
import { emptyLog, openWriterConnection, reclaimPages, unusableFile } from './sqlite-connection.ts'
import { SqliteGroupApplier } from './sqlite-group-applier.ts'
import { decodeGroup } from './sqlite-group-encoding.ts'
import { decodeParts } from './sqlite-large-batch.ts'
import { serveThread, type ThreadService } from './sqlite-thread-server.ts'
import { SqliteTransactions } from './sqlite-transactions.ts'
import { type LogSize, SqliteWriteAheadLog } from './sqlite-write-ahead-log.ts'
import type { CarriedOutGroup, WriteBatch } from './sqlite-write-batch.ts'

/** Main module of the thread that writes. */

export type WriterRequest =
  | { readonly kind: 'group'; readonly packed: Uint8Array }
  /** One batch, encoded in parts. */
  | { readonly kind: 'large'; readonly parts: readonly Uint8Array[] }
  | { readonly kind: 'reclaim' }
  | { readonly kind: 'close'; readonly emptiesLog: boolean }

/** How durable the connection says it is: `wal`, and 2 for FULL. */
export type WriterOpened = { readonly journalMode: string; readonly synchronous: number }

export type GroupAnswer = CarriedOutGroup & { readonly log: LogSize }

class WriterService implements ThreadService<WriterRequest> {
  readonly #database: Database
  readonly #applier: SqliteGroupApplier
  readonly #log: SqliteWriteAheadLog
  /** How large the log has been found, where it was looked at since the last answer. */
  #logFound: LogSize | undefined

  constructor(database: Database) {
    this.#database = database
    this.#applier = new SqliteGroupApplier(database, new SqliteTransactions(database))
    this.#log = new SqliteWriteAheadLog(database)
  }

  get opened(): WriterOpened {
    const setting = (name: string) => this.#database.pragma(name, { simple: true })
    return {
      journalMode: String(setting('journal_mode')),
      synchronous: Number(setting('synchronous')),
    }
  }

  answer(request: WriterRequest): GroupAnswer | number | null {
    switch (request.kind) {
      case 'group':
        return this.#apply(decodeGroup(request.packed))
      case 'large':
        return this.#apply([decodeParts(request.parts)])
      case 'reclaim':
        return reclaimPages(this.#database)
      case 'close':
        if (request.emptiesLog) emptyLog(this.#database)
        this.#database.close()
        return null
    }
  }

  #apply(batches: readonly WriteBatch[]): GroupAnswer {
    const beganMs = systemClock.monotonicMs()
    const results = this.#applier.applyGroup(batches)
    const ms = systemClock.monotonicMs() - beganMs
    const log = this.#log.size()
    this.#logFound = log
    return { results, ms, log }
  }

  afterAnswer(): void {
    if (this.#logFound !== undefined) this.#log.beginAnewWhenLarge(this.#logFound)
    this.#logFound = undefined
  }

  isOpen(): boolean {
    return this.#database.open
  }
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
