// SPDX-License-Identifier: Apache-2.0

import { hasPrefix, systemRowKey } from '../cell-store/row-key.ts'
import { InvariantViolation } from '../invariant.ts'
import {
  CATALOG_NEXT_ID_KEY,
  CATALOG_TABLE_PREFIX,
  CATALOG_VERSION_KEY,
  decodeCatalogName,
  decodeCatalogVersion,
  decodeNextId,
  decodeTable,
} from '../tables/catalog-codec.ts'
import { decodePrimaryKey } from '../tables/key-encoding.ts'
import { decodeRow, ROW_COLUMN } from '../tables/row-codec.ts'
import type { TableDefinition } from '../tables/table-definition.ts'
import type { CheckedCatalog } from './catalog-check.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import type { StoredValue } from './long-values.ts'
import { problemAt } from './row-image.ts'

/** What the values of a row have to be: those of a table, of the catalog, or anything. */
export type RowMeaning =
  | { readonly kind: 'table'; readonly tableId: number; readonly table?: TableDefinition }
  | { readonly kind: 'system'; readonly decode?: (value: Uint8Array) => unknown }
  | { readonly kind: 'none' }

const TABLE_SPACE = 0x01
const SYSTEM_SPACE = 0x00

/** Pure. A `table` without a definition is one that has been dropped. */
export function meaningOfRow({ catalog }: CheckedCatalog, key: Uint8Array): RowMeaning {
  if (key[0] === SYSTEM_SPACE) {
    const decode = decoderOf(key)
    return decode === undefined ? { kind: 'system' } : { kind: 'system', decode }
  }
  if (key[0] !== TABLE_SPACE || key.length < 5) return { kind: 'none' }
  const tableId = Buffer.from(key).readUInt32BE(1)
  const table = catalog.tables().find(({ id }) => id === tableId)
  return table === undefined ? { kind: 'table', tableId } : { kind: 'table', tableId, table }
}

/** T1: the row key is one of its space, of a table that was once given out, and of its key. */
export function checkRowKey(
  { nextId }: CheckedCatalog,
  meaning: RowMeaning,
  row: Uint8Array,
): ConsistencyProblem[] {
  if (meaning.kind === 'none') {
    return [{ rule: 'T1', row, message: 'The row key belongs to no space of the store.' }]
  }
  if (meaning.kind === 'system') return []
  const { table, tableId } = meaning
  if (table === undefined) {
    if (tableId < nextId && tableId > 0) return []
    return [{ rule: 'T1', row, message: `There has never been a table ${tableId}.` }]
  }
  return violationsOf(() => decodePrimaryKey(table, row)).map(({ rule, message }) => {
    return { rule, row, message: `The row key cannot be read: ${message}` }
  })
}

/** T2 and T3: the value can be read by the definition of its table, or as a row of the catalog. */
export function checkValue(
  meaning: RowMeaning,
  row: Uint8Array,
  { column, value, at }: StoredValue,
): ConsistencyProblem[] {
  const found = (rule: string, message: string) => [problemAt(row, at, rule, message)]
  if (meaning.kind === 'system') {
    const { decode } = meaning
    if (decode === undefined) return []
    return violationsOf(() => decode(value)).map(({ rule, message }) =>
      problemAt(row, at, rule, `The row of the catalog cannot be read: ${message}`),
    )
  }
  if (meaning.kind === 'none' || meaning.table === undefined) return []
  const { table } = meaning
  if (column !== ROW_COLUMN) return found('T2', 'The rows of a table have no such column.')
  return violationsOf(() => requireNotNull(table, decodeRow(table, row, value)))
    .filter(({ rule }) => rule !== 'T1') // Said once, of the row.
    .map(({ rule, message }) => problemAt(row, at, rule, `The value cannot be read: ${message}`))
}

function requireNotNull(table: TableDefinition, values: readonly unknown[]): void {
  for (const [position, { name, notNull }] of table.columns.entries()) {
    if (notNull && values[position] === null) {
      throw new InvariantViolation('T2', { problem: `column "${name}" is NULL` })
    }
  }
}

function decoderOf(key: Uint8Array): ((value: Uint8Array) => unknown) | undefined {
  if (Buffer.compare(key, CATALOG_NEXT_ID_KEY) === 0) return decodeNextId
  if (Buffer.compare(key, CATALOG_VERSION_KEY) === 0) return decodeCatalogVersion
  if (hasPrefix(key, CATALOG_TABLE_PREFIX)) return decodeTable
  return hasPrefix(key, NAME_PREFIX) ? decodeCatalogName : undefined
}

const NAME_PREFIX = systemRowKey('catalog/name/')

function violationsOf(read: () => unknown): InvariantViolation[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof InvariantViolation) return [error]
    throw error
  }
}
