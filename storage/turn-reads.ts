// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cell-store/cell.ts'
import type { EmbeddedOracle } from './oracle/embedded-oracle.ts'
import { encodePrimaryKeyBound } from './tables/bytes/key-encoding.ts'
import { decodeFamily, emptyRow, ROW_COLUMN } from './tables/bytes/row-codec.ts'
import type { Catalog } from './tables/catalog/catalog.ts'
import type { NewestCatalog } from './tables/catalog/newest-catalog.ts'
import type { StoredRow } from './tables/rows/table-rows.ts'
import type { SqlValue } from './tables/sql-type.ts'
import type { TableDefinition } from './tables/table-definition.ts'
import type { LatchTable } from './transaction/one-process/latches/latch-table.ts'
import { decodeContent, RECORD_CONTENT_AT } from './transaction/records/write-record.ts'

/** A snapshot that ends with the turn of the event loop in which it was taken. */
export type TurnSnapshot = { readonly readTs: Timestamp; readonly catalog: Catalog }

const FAMILY = 0
const COLUMN = ROW_COLUMN.charCodeAt(0)

/**
 * Reads that begin and end in one turn, of the process that owns its store alone (Percolator 2.2, Figure 6, `Get`).
 * They are no transactions: nothing else runs in between, so no collection can pass the snapshot (F2) and no latch can
 * be taken or released (J3), and nobody has to know of them. They answer what memory tells; whatever has to be looked
 * up or waited for is undefined, and is read by a transaction.
 */
export class TurnReads {
  readonly #oracle: Pick<EmbeddedOracle, 'takeToRead'>
  readonly #latches: LatchTable
  readonly #newestCatalog: NewestCatalog

  constructor(
    oracle: Pick<EmbeddedOracle, 'takeToRead'>,
    latches: LatchTable,
    newestCatalog: NewestCatalog,
  ) {
    this.#oracle = oracle
    this.#latches = latches
    this.#newestCatalog = newestCatalog
  }

  /** Throws StorageError `closed`. */
  snapshot(): TurnSnapshot | undefined {
    const stamp = this.#oracle.takeToRead()
    if (stamp === undefined || stamp.timestamp < stamp.safePoint) return undefined
    const catalog = this.#newestCatalog.at(stamp.timestamp)
    return catalog && { readTs: stamp.timestamp, catalog }
  }

  /**
   * The row with this primary key, with the columns in these positions. Undefined where it is not there, or not in
   * memory. Throws as `encodePrimaryKeyBound`, and violations of T2.
   */
  row(
    table: TableDefinition,
    key: readonly SqlValue[],
    columns: readonly number[],
    { readTs }: TurnSnapshot,
  ): StoredRow | undefined {
    if (table.families.length > 0) return undefined
    const rowKey = encodePrimaryKeyBound(table, key)
    if (this.#latches.hiding(rowKey, readTs) !== undefined) return undefined
    const found = this.#latches.newest.view(rowKey, COLUMN, readTs)
    if (found === undefined) return undefined
    const content = decodeContent(found.record, RECORD_CONTENT_AT)
    if (content.kind !== 'inline') return undefined
    const row = emptyRow(table, key)
    decodeFamily(table, FAMILY, content.value, row, columns)
    return { key: rowKey, row, commitTs: found.commitTs }
  }
}
