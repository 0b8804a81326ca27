// SPDX-License-Identifier: Apache-2.0

import { hasPrefix, systemRowKey } from '../../cells/row-key.ts'
import { InvariantViolation } from '../../invariant.ts'
import { decodeBackfillPosition, observerOfBackfill } from '../../observers/backfill-position.ts'
import { decodeDeadLetter, observerOfDeadLetter } from '../../observers/dead-letter.ts'
import { decodeAck, observerOfAck } from '../../observers/notifications/acknowledgment.ts'
import { decodeHandedOut, observerOfHandedOut } from '../../observers/notifications/handed-out.ts'
import {
  CATALOG_NEXT_ID_KEY,
  CATALOG_TABLE_PREFIX,
  CATALOG_VERSION_KEY,
  decodeCatalogName,
  decodeCatalogVersion,
  decodeNextId,
} from '../../tables/bytes/catalog-codec.ts'
import { decodeEntry } from '../../tables/bytes/index-entry.ts'
import { decodeEntryKey, indexIdOf } from '../../tables/bytes/index-key.ts'
import { decodePrimaryKey, tableIdOf } from '../../tables/bytes/key-encoding.ts'
import {
  decodeRow,
  familyColumn,
  familyIds,
  familyOf,
  ROW_COLUMN,
} from '../../tables/bytes/row-codec.ts'
import { decodeTable } from '../../tables/bytes/table-codec.ts'
import type { TableIndex } from '../../tables/catalog/catalog.ts'
import { decodeIdentity, IDENTITY_PREFIX } from '../../tables/catalog/identity-row.ts'
import { decodePosition, INDEX_BUILD_PREFIX } from '../../tables/catalog/index-progress.ts'
import { decodeScheduleProgress, SCHEDULE_PREFIX } from '../../tables/catalog/schedule-progress.ts'
import type { TableDefinition } from '../../tables/table-definition.ts'
import { decodeLogEntry } from '../../transactions/feed/log-entry.ts'
import { isSharedLogRow } from '../../transactions/feed/shared-log-row.ts'
import type { CheckedCatalog } from './catalog-check.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { damageOf } from './damage.ts'
import type { StoredValue } from './long-values.ts'
import { problemAt } from './row-image.ts'

/** What the values of a row have to be: those of a table, of the catalog, or anything. */
export type RowMeaning =
  | { readonly kind: 'table'; readonly tableId: number; readonly table?: TableDefinition }
  | { readonly kind: 'index'; readonly indexId: number; readonly found?: TableIndex }
  | { readonly kind: 'system'; readonly decode?: (value: Uint8Array) => unknown }
  | { readonly kind: 'none' }

const SYSTEM_SPACE = 0x00

/** Pure. A `table` or `index` without a definition is one that has been dropped. */
export function meaningOfRow({ catalog }: CheckedCatalog, key: Uint8Array): RowMeaning {
  if (key[0] === SYSTEM_SPACE) {
    const decode = decoderOf(key)
    return decode === undefined ? { kind: 'system' } : { kind: 'system', decode }
  }
  const tableId = tableIdOf(key)
  const indexId = indexIdOf(key)
  if (tableId !== undefined) {
    const table = catalog.tables().find(({ id }) => id === tableId)
    return { kind: 'table', tableId, ...(table && { table }) }
  }
  if (indexId === undefined) return { kind: 'none' }
  const found = catalog.entryIndexes().find(({ index }) => index.id === indexId)
  return { kind: 'index', indexId, ...(found && { found }) }
}

/** The id that the row belongs to, of a table or an index. */
export function idOfMeaning(meaning: RowMeaning): number | undefined {
  if (meaning.kind === 'table') return meaning.tableId
  return meaning.kind === 'index' ? meaning.indexId : undefined
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
  const id = meaning.kind === 'table' ? meaning.tableId : meaning.indexId
  const decode = keyDecoderOf(meaning, row)
  if (decode === undefined) {
    if (id < nextId && id > 0) return []
    return [{ rule: 'T1', row, message: `There has never been ${meaning.kind} ${id}.` }]
  }
  const damage = damageOf(decode)
  if (damage === undefined) return []
  const message = `The row key cannot be read: ${damage.message}`
  return [{ rule: damage.rule, row, message }]
}

function keyDecoderOf(
  meaning: RowMeaning & { readonly kind: 'table' | 'index' },
  row: Uint8Array,
): (() => unknown) | undefined {
  if (meaning.kind === 'index') {
    const { found } = meaning
    return found && (() => decodeEntryKey(found.table, found.index, row))
  }
  const { table } = meaning
  return table && (() => decodePrimaryKey(table, row))
}

/** T2 and T3: the value can be read by the definition of its table, or as a row of the catalog. */
export function checkValue(
  meaning: RowMeaning,
  row: Uint8Array,
  { column, value, at, isNewest }: StoredValue,
): ConsistencyProblem[] {
  const found = (rule: string, message: string) => [problemAt(row, at, rule, message)]
  if (meaning.kind === 'system') {
    const { decode } = meaning
    const damage = decode && damageOf(() => decode(value))
    if (damage === undefined) return []
    return found(damage.rule, `The row of the catalog cannot be read: ${damage.message}`)
  }
  const decode = valueDecoderOf(meaning, row, { column, value, isNewest })
  if (decode === 'noSuchColumn')
    return found('T2', `No row of its ${meaning.kind} has this column.`)
  const damage = decode && damageOf(decode)
  // One of T1 is said once, of the row.
  if (damage === undefined || damage.rule === 'T1') return []
  return found(damage.rule, `The value cannot be read: ${damage.message}`)
}

function valueDecoderOf(
  meaning: RowMeaning,
  row: Uint8Array,
  { column, value, isNewest }: Omit<StoredValue, 'at'>,
): (() => unknown) | 'noSuchColumn' | undefined {
  if (meaning.kind === 'table' && observerOfAck(column) !== undefined) {
    return () => decodeAck(value)
  }
  if (meaning.kind === 'table' && observerOfHandedOut(column) !== undefined) {
    return () => decodeHandedOut(value)
  }
  if (meaning.kind === 'table' && meaning.table !== undefined) {
    const { table } = meaning
    const family = familyIds(table).find((id) => familyColumn(id) === column)
    if (family === undefined) return 'noSuchColumn'
    return () => {
      const values = decodeRow(table, row, value, family)
      if (isNewest) requireNotNull(table, family, values)
    }
  }
  if (meaning.kind !== 'index' || meaning.found === undefined) return undefined
  if (column !== ROW_COLUMN) return 'noSuchColumn'
  const { table, index } = meaning.found
  return () => decodeEntry(table, index, { key: row, value, commitTs: null })
}

/** Older versions may have been written before SET NOT NULL. */
function requireNotNull(table: TableDefinition, family: number, values: readonly unknown[]): void {
  for (const [position, column] of table.columns.entries()) {
    if (column.notNull && familyOf(column) === family && values[position] === null) {
      throw new InvariantViolation('T2', { problem: `column "${column.name}" is NULL` })
    }
  }
}

function decoderOf(key: Uint8Array): ((value: Uint8Array) => unknown) | undefined {
  if (Buffer.compare(key, CATALOG_NEXT_ID_KEY) === 0) return decodeNextId
  if (Buffer.compare(key, CATALOG_VERSION_KEY) === 0) return decodeCatalogVersion
  if (hasPrefix(key, CATALOG_TABLE_PREFIX)) return decodeTable
  if (hasPrefix(key, INDEX_BUILD_PREFIX)) return decodePosition
  if (hasPrefix(key, IDENTITY_PREFIX)) return decodeIdentity
  if (hasPrefix(key, SCHEDULE_PREFIX)) return decodeScheduleProgress
  if (observerOfDeadLetter(key) !== undefined) return decodeDeadLetter
  if (observerOfBackfill(key) !== undefined) return decodeBackfillPosition
  if (isSharedLogRow(key)) return decodeLogEntry
  return hasPrefix(key, NAME_PREFIX) ? decodeCatalogName : undefined
}

const NAME_PREFIX = systemRowKey('catalog/name/')
