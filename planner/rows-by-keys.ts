// SPDX-License-Identifier: Apache-2.0
import {
  getRows,
  type SqlValue,
  type StoredRow,
  type TableDefinition,
  type Transaction,
} from '../storage/storage.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'

/** A key that was asked for, and its row where there is one. */
export type AskedRow = { readonly key: readonly SqlValue[]; readonly stored: StoredRow | null }

/**
 * Reads rows by their keys, a multi-get at a time. The first asks for `multiGetKeysFirst`; when the
 * rows turn out small, the next ones ask for `multiGetKeysMax`, and for fewer when they are large, so
 * that what is held at once stays bounded. None asks for more than `rowsWanted`.
 */
export async function* rowsByKeys(
  transaction: Transaction,
  table: TableDefinition,
  keys: ReadonlyArray<readonly SqlValue[]>,
  rowsWanted: number = keys.length,
): AsyncGenerator<readonly AskedRow[], void, undefined> {
  const { multiGetKeysFirst, multiGetBytesMax } = PLANNER_LIMITS
  const keysMax = Math.min(PLANNER_LIMITS.multiGetKeysMax, rowsWanted)
  let largest = multiGetBytesMax / multiGetKeysFirst
  let first = 0
  while (first < keys.length) {
    const count = Math.max(1, Math.min(keysMax, Math.floor(multiGetBytesMax / largest)))
    const asked = keys.slice(first, first + count)
    const rows = await getRows(transaction, table, asked)
    yield asked.map((key, index) => ({ key, stored: rows[index] ?? null }))
    if (first === 0) largest = 1
    for (const row of rows) largest = Math.max(largest, row === null ? 0 : sizeOf(row))
    first += asked.length
  }
}

function sizeOf({ key, row }: StoredRow): number {
  let bytes = key.length
  for (const value of row) {
    const isLong = typeof value === 'string' || value instanceof Uint8Array
    bytes += isLong ? value.length : 8
  }
  return bytes
}
