// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { inspectRows } from '../../transactions/row-inspection.ts'
import { catalogTableKey } from '../bytes/catalog-codec.ts'
import type { TableDefinition } from '../table-definition.ts'

/** The commit that created the table; undefined when that is older than what the store keeps. */
export async function createdAt(
  cellStore: CellStore,
  table: TableDefinition,
): Promise<Timestamp | undefined> {
  let oldest: Timestamp | undefined
  for await (const { cells } of inspectRows(cellStore, [catalogTableKey(table.id)])) {
    for (const { meaning, timestamp } of cells) {
      if (meaning.kind === 'write') oldest = Math.min(oldest ?? timestamp, timestamp)
    }
  }
  return oldest
}
