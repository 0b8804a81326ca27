// SPDX-License-Identifier: Apache-2.0
import type { Catalog, CatalogReads } from './catalog.ts'
import { CATALOG_NEXT_ID_KEY, decodeNextId } from './catalog-codec.ts'
import { tableIdOf } from './key-encoding.ts'
import { ROW_COLUMN } from './row-codec.ts'

/**
 * Tells rows of tables that had been dropped at the transaction's snapshot: their id was given out
 * before it, and the catalog no longer has it. Ids are never given out again.
 */
export async function findAbandonedRows(
  transaction: CatalogReads,
  catalog: Catalog,
): Promise<(rowKey: Uint8Array) => boolean> {
  const row = await transaction.getRow(CATALOG_NEXT_ID_KEY, [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  const nextId = cell === undefined ? 1 : decodeNextId(cell.value)
  const living = new Set(catalog.tables().map(({ id }) => id))
  return (rowKey) => {
    const tableId = tableIdOf(rowKey)
    return tableId !== undefined && tableId < nextId && !living.has(tableId)
  }
}
