// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cells/cell.ts'
import { encodePrimaryKeyBound } from './tables/bytes/key-encoding.ts'
import { decodeFamily, emptyRow, ROW_COLUMN } from './tables/bytes/row-codec.ts'
import type { Catalog } from './tables/catalog/catalog.ts'
import type { NewestCatalog } from './tables/catalog/newest-catalog.ts'
import {
  type StoredRow,
  type StoredRows,
  scanRowBatches,
  type TableScan,
} from './tables/rows/table-rows.ts'
import type { TableDefinition } from './tables/table-definition.ts'
import type { LatchTable } from './transactions/one-process/latches/latch-table.ts'
import type { EmbeddedOracle } from './transactions/oracle/embedded-oracle.ts'
import type {
  SnapshotRange,
  TransactionProtocol,
} from './transactions/protocol/transaction-protocol.ts'
import type { VersionedValue } from './transactions/records/version.ts'
import { decodeContent, RECORD_CONTENT_AT } from './transactions/records/write-record.ts'
import type { SqlValue } from './values/sql-type.ts'

/** A snapshot that ends with the turn of the event loop in which it was taken. */
export type TurnSnapshot = { readonly readTs: Timestamp; readonly catalog: Catalog }

const FAMILY = 0
const COLUMN = ROW_COLUMN.charCodeAt(0)
const COLUMNS = [ROW_COLUMN]
/** Of the rows that are answered so: longer ones are held in the budget of a request until their client takes them. */
const VALUE_BYTES_MAX = 4_096

/**
 * Reads that begin and end in one turn, of the process that owns its store alone (Percolator 2.2, Figure 6, `Get`).
 * They are no transactions: nothing else runs in between, so no collection can pass the snapshot (F2) and no latch can
 * be taken or released (J3), and nobody has to know of them. Whatever has to be waited for is undefined, and is read by
 * a transaction.
 */
export class TurnReads {
  readonly #oracle: Pick<EmbeddedOracle, 'takeToRead'>
  readonly #latches: LatchTable
  readonly #newestCatalog: NewestCatalog
  readonly #snapshotAt: TransactionProtocol['snapshotAt']
  /** Those of which a row was too long: what memory has not is not looked up here, and again by a transaction. */
  readonly #ofLongRows = new WeakSet<TableDefinition>()

  constructor(
    oracle: Pick<EmbeddedOracle, 'takeToRead'>,
    latches: LatchTable,
    view: {
      readonly catalog: NewestCatalog
      readonly snapshotAt: TransactionProtocol['snapshotAt']
    },
  ) {
    this.#oracle = oracle
    this.#latches = latches
    this.#newestCatalog = view.catalog
    this.#snapshotAt = view.snapshotAt
  }

  /** Throws StorageError `closed`. */
  snapshot(): TurnSnapshot | undefined {
    const stamp = this.#oracle.takeToRead()
    if (stamp === undefined || stamp.timestamp < stamp.safePoint) return undefined
    const catalog = this.#newestCatalog.at(stamp.timestamp)
    return catalog && { readTs: stamp.timestamp, catalog }
  }

  /**
   * The row with this primary key, or null, with the columns in these positions: from memory, or looked up in the view.
   * Undefined where a commit has to be waited for, or the row is long. Throws as `encodePrimaryKeyBound`, and
   * violations of T1 and T2.
   */
  row(
    table: TableDefinition,
    key: readonly SqlValue[],
    columns: readonly number[],
    { readTs }: TurnSnapshot,
  ): StoredRow | null | undefined {
    if (table.families.length > 0) return undefined
    const rowKey = encodePrimaryKeyBound(table, key)
    if (this.#latches.hiding(rowKey, readTs) !== undefined) return undefined
    const found = this.#latches.newest.view(rowKey, COLUMN, readTs)
    let stored: VersionedValue | null | undefined
    if (found === undefined) stored = this.#lookedUp(table, rowKey, readTs)
    else {
      const content = decodeContent(found.record, RECORD_CONTENT_AT)
      if (content.kind === 'delete') stored = null
      else if (content.kind === 'inline') stored = { ...found, value: content.value }
    }
    if (!stored) return stored
    const row = emptyRow(table, key)
    decodeFamily(table, FAMILY, stored.value, row, columns)
    return { key: rowKey, row, commitTs: stored.commitTs }
  }

  /**
   * The first rows of a range, at most `limit`, and whether these are all of them: one turn may not read so many.
   * Undefined where a commit has to be waited for before the first. Throws violations of F2 and T1.
   */
  rows(
    table: TableDefinition,
    scan: TableScan & { readonly limit: number },
    { readTs }: TurnSnapshot,
  ): { readonly batches: readonly StoredRows[]; readonly isWhole: boolean } | undefined {
    const snapshot = this.#snapshotAt(readTs)
    const source = { scanBatches: (range: SnapshotRange) => snapshot.scan(range) }
    const batches: StoredRows[] = []
    let left = scan.limit
    for (const batch of scanRowBatches(source, table, scan)) {
      if (batch instanceof Promise) {
        batch.catch(ignored)
        return batches.length === 0 ? undefined : { batches, isWhole: false }
      }
      batches.push(batch)
      left -= batch.length
      if (left === 0) break
    }
    return { batches, isWhole: true }
  }

  /** What a snapshot finds in the view; no latch hides it. */
  #lookedUp(
    table: TableDefinition,
    key: Uint8Array,
    readTs: Timestamp,
  ): VersionedValue | null | undefined {
    if (this.#ofLongRows.has(table)) return undefined
    const found = this.#snapshotAt(readTs).getRow(key, COLUMNS)
    if (found === null) return null
    const stored = found instanceof Promise ? undefined : found.columns.get(ROW_COLUMN)
    if (stored === undefined || stored.value.length <= VALUE_BYTES_MAX) return stored
    this.#ofLongRows.add(table)
    return undefined
  }
}

/** Whoever reads it by a transaction is told. */
function ignored(): void {}
