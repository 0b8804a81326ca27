// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import {
  entryColumns,
  type Notification,
  openStorage,
  requireIndex,
  requireTable,
  type SqlRow,
  type Storage,
  StorageError,
  scanIndexEntries,
  scanRows,
} from '../../../../storage/storage.ts'
import { folderBytes } from '../../../servers/folder-bytes.ts'
import {
  type BeginOptions,
  type BulkLoader,
  type Engine,
  type Observation,
  type ObserverFailed,
  type ObserverRun,
  type Session,
  type Transaction,
  TransactionAborted,
} from '../../engine.ts'
import { loadStorage } from '../../loading/percolite-loader.ts'
import type { ColumnOf, IndexOf, TableName } from '../../schema/schema.ts'
import { BufferedTransaction, type Notified, type Write } from '../buffered-transaction.ts'
import { createWeakObserver, EmbeddedObservation } from './embedded-observation.ts'
import { embeddedAnswers } from './embedded-reads.ts'
import { notifyEmbedded, writeEmbedded } from './embedded-writes.ts'
import { observerOf } from './percolite-statements.ts'
import { namedRow, placesOf } from './percolite-values.ts'

const WALK_ROWS = 1_000

/**
 * The storage layer of the product within this process, without a server and without statements: as
 * in the paper, where the client is a library and plans its queries by hand.
 */
export class EmbeddedEngine implements Engine {
  readonly name = 'percolite-embedded'
  readonly description =
    "percolite's storage layer in the driver's own process, snapshot isolation, on disk before a commit is acknowledged; its CPU includes the driver's"
  readonly processIds = [process.pid]
  readonly #folder: string
  readonly #storage: Storage

  private constructor(folder: string, storage: Storage) {
    this.#folder = folder
    this.#storage = storage
  }

  static async open(folder: string): Promise<EmbeddedEngine> {
    const dataDirectory = join(folder, 'data')
    return new EmbeddedEngine(folder, await openStorage({ engine: 'sqlite', dataDirectory }))
  }

  async load(fill: (loader: BulkLoader) => Promise<void>): Promise<void> {
    await loadStorage(this.#storage, fill)
  }

  async connect(): Promise<Session> {
    return { begin: (options) => this.#begin(options), close: async () => {} }
  }

  async *walk<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    columns: readonly C[],
    { index }: { readonly index?: IndexOf<T> } = {},
  ) {
    const transaction = await this.#storage.begin({ readOnly: true })
    try {
      const catalog = await this.#storage.catalog(transaction)
      const definition = requireTable(catalog, table)
      const places = placesOf(definition, columns)
      const batchOf = (rows: readonly SqlRow[]) => {
        return rows.map((row) => namedRow(columns, places, row)) as never
      }
      if (index !== undefined) {
        const found = requireIndex(catalog, index)
        const held = entryColumns(definition, found.index)
        if (!places.every((position) => held.includes(position))) throw notHeld(index)
        for await (const entries of scanIndexEntries(transaction, definition, found.index, {})) {
          yield batchOf(entries.map((entry) => entry.row))
        }
        return
      }
      let rows: SqlRow[] = []
      for await (const { row } of scanRows(transaction, definition, { columns: places })) {
        if (rows.push(row) < WALK_ROWS) continue
        yield batchOf(rows)
        rows = []
      }
      yield batchOf(rows)
    } finally {
      transaction.rollback()
    }
  }

  async observe(table: TableName, run: ObserverRun, failed: ObserverFailed): Promise<Observation> {
    await createWeakObserver(this.#storage, table)
    return new EmbeddedObservation(this.#storage, observerOf(table), {
      run,
      failed,
      sessionOf: (notification) => ({
        begin: (options) => this.#begin(options, notification),
        close: async () => {},
      }),
    })
  }

  async diskBytes(): Promise<number> {
    return await folderBytes(this.#folder)
  }

  async close(): Promise<void> {
    await this.#storage.close()
  }

  async #begin(
    { readOnly = false }: BeginOptions,
    notification?: Notification,
  ): Promise<Transaction> {
    const transaction = await this.#storage.begin({ readOnly })
    await notification?.acknowledge(transaction)
    const catalog = await this.#storage.catalog(transaction)
    return new BufferedTransaction({
      read: async (reads) => {
        return await aborting(() => embeddedAnswers(transaction, catalog, reads))
      },
      async commit(writes: readonly Write[], notified: readonly Notified[]) {
        await aborting(async () => {
          await writeEmbedded(transaction, catalog, writes)
          notifyEmbedded(transaction, catalog, notified)
          await transaction.commit()
        })
      },
      rollback: async () => transaction.rollback(),
    })

    async function aborting<Result>(work: () => Promise<Result>): Promise<Result> {
      try {
        return await work()
      } catch (error) {
        transaction.rollback()
        throw abortOf(error)
      }
    }
  }
}

function abortOf(cause: unknown): unknown {
  if (!(cause instanceof StorageError)) return cause
  switch (cause.code) {
    case 'write_conflict':
      return new TransactionAborted('writeConflict', { cause })
    case 'locked':
      return new TransactionAborted('locked', { cause })
    case 'commit_outcome_unknown':
      return new TransactionAborted('other', { outcome: 'unknown', cause })
    default:
      return cause
  }
}

function notHeld(index: string): Error {
  return new Error(`a walk of ${index} can only answer what its entries hold`)
}
