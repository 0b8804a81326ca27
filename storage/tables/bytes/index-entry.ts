// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { bufferOf, compareRowKeys, hasPrefix } from '../../cells/row-key.ts'
import { limitExceeded } from '../../errors.ts'
import { DamagedRecord } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { jsonMembers } from '../../values/json/json-members.ts'
import { UNPAID } from '../../values/json/json-path.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { wordsOf } from '../../values/words.ts'
import {
  columnOf,
  columnPosition,
  type IndexDefinition,
  isWhole,
  partValue,
  type SqlRow,
  type TableDefinition,
} from '../table-definition.ts'
import { decodeEntryKey, encodeEntryKey } from './index-key.ts'
import { componentBytes, componentsOf, readComponents, writeComponents } from './key-values.ts'
import { emptyRow, keyOfRow } from './row-codec.ts'
import { RowValueReader } from './row-value-reader.ts'
import { fieldBytes, fieldOf, readFields, writeFields } from './stored-fields.ts'

/**
 * An entry of an index is one cell: its key says the values of the index's columns, its value what
 * else is known of the row. That is a byte for the version of the format, then the primary key as it
 * stands in a row key, where the entry's key has it not, then the STORING columns as in a row.
 *
 *     UNIQUE INDEX byEmail ON user (email) STORING (name), index 9, the row (id 7, 'b@x', 'Bob'):
 *       key    02 00 00 00 09  10 62 40 78 00 00
 *       value  01  10 80 00 00 00 00 00 00 07  38 03 42 6F 62
 *
 *     the same with the email NULL, which is not unique:
 *       key    02 00 00 00 09  05  10 80 00 00 00 00 00 00 07
 *       value  01  38 03 42 6F 62
 */
const FORMAT = 1

/** What a transaction reads in an index. */
export type IndexEntry = {
  /** The entry's own row key, after which a page of a scan can continue. */
  readonly key: Uint8Array
  /** In key order; `getRows` takes it. */
  readonly primaryKey: readonly SqlValue[]
  /** The columns that `entryColumns` names, in their places of the table's row; the others are NULL. */
  readonly row: SqlRow
  /** Null when it is the transaction's own, not yet committed writing. */
  readonly commitTs: Timestamp | null
}

/** An entry as it is written. */
export type EncodedEntry = {
  readonly key: Uint8Array
  readonly value: Uint8Array
  /** The beginning of the value of every entry of this row with this key; see `belongsTo`. */
  readonly owner: Uint8Array
  /** Whether no other row may have an entry with this key. */
  readonly isUnique: boolean
}

/** Positions of the columns that an entry holds, ascending: an index covers a read of these alone. */
export function entryColumns(table: TableDefinition, index: IndexDefinition): readonly number[] {
  // Of a column with a path or EACH, an entry has what is there and no more.
  const ids = [...index.parts.filter(isWhole), ...table.primaryKey].map(({ columnId }) => columnId)
  const positions = [...ids, ...index.storing].map((id) => columnPosition(table, id))
  return [...new Set(positions)].sort((a, b) => a - b)
}

/**
 * The entries of a row, in the order of their keys: one, or one for each member of EACH, or word of WORDS. `values` are
 * those of the index's parts, where they are known; `areLocked` says that each entry of a commit is locked. Errors:
 * those of `encodeEntryKey`, and `limit_exceeded` above `indexMembersMax`, and those of words.
 */
export function encodeEntries(
  table: TableDefinition,
  index: IndexDefinition,
  row: SqlRow,
  {
    values = index.parts.map((part) => partValue(table, row, part)),
    areLocked = false,
  }: { readonly values?: readonly SqlValue[]; readonly areLocked?: boolean } = {},
): readonly EncodedEntry[] {
  let each = index.parts.length - 1
  while (each >= 0 && !index.parts[each]?.each) each -= 1
  if (index.isDue && values[0] === null) return []
  if (each < 0) return [encodeEntry(table, index, row, values)]
  const whole = values[each] as string | null
  if (whole === null) return []
  const isOfWords = index.parts[each]?.each === 'words'
  if (isOfWords) requireAtMost('indexTextCharactersMax', whole.length, table, index)
  const members = [...new Set(isOfWords ? wordsOf(whole, UNPAID) : jsonMembers(whole, UNPAID))]
  const ofWords = areLocked ? 'indexWordsLockedMax' : 'indexWordsMax'
  requireAtMost(isOfWords ? ofWords : 'indexMembersMax', members.length, table, index)
  const [first] = members
  if (first === undefined) return []
  // All have the same value, which may be long, and is held once.
  const entry = encodeEntry(table, index, row, values.with(each, first))
  const primaryKey = keyOfRow(table, row)
  const entries = members.map((member) => {
    const { key } = encodeEntryKey(table, index, { values: values.with(each, member), primaryKey })
    return { ...entry, key }
  })
  return entries.sort((a, b) => compareRowKeys(a.key, b.key))
}

function requireAtMost(
  limit: keyof typeof COUNTED,
  actual: number,
  table: TableDefinition,
  index: IndexDefinition,
): void {
  if (actual <= STORAGE_LIMITS[limit]) return
  const message = `A row has at most ${STORAGE_LIMITS[limit]} ${COUNTED[limit]} in the index "${index.name}"; this one of "${table.name}" has ${actual}.`
  throw limitExceeded(limit, actual, message, { table: table.name, index: index.name })
}

const COUNTED = {
  indexMembersMax: 'members',
  indexWordsMax: 'words',
  indexWordsLockedMax: 'words',
  indexTextCharactersMax: 'characters of text',
} as const

function encodeEntry(
  table: TableDefinition,
  index: IndexDefinition,
  row: SqlRow,
  values: readonly SqlValue[],
): EncodedEntry {
  const primaryKey = keyOfRow(table, row)
  const { key, isUnique } = encodeEntryKey(table, index, { values, primaryKey })
  const components = isUnique ? componentsOf(table, table.primaryKey, primaryKey) : []
  const fields = index.storing.map((id) =>
    fieldOf(columnOf(table, id).column, columnValue(table, row, id)),
  )
  const ownerBytes = 1 + componentBytes(components)
  const size = fields.reduce((sum, field) => sum + fieldBytes(field), ownerBytes)
  const value = Buffer.allocUnsafe(size)
  const offset = writeComponents(value, value.writeUInt8(FORMAT, 0), components)
  writeFields(value, offset, fields)
  return { key, value, owner: value.subarray(0, ownerBytes), isUnique }
}

/**
 * Whether a value that stands under the key of `entry` is of the same row. No encoded primary key is
 * the beginning of another, so the first bytes tell.
 */
export function belongsTo(entry: EncodedEntry, value: Uint8Array): boolean {
  return hasPrefix(value, entry.owner)
}

/** Violations: T1 (key), T2 (value). */
export function decodeEntry(
  table: TableDefinition,
  index: IndexDefinition,
  { key, value, commitTs }: EntryCell,
): IndexEntry {
  const fromKey = decodeEntryKey(table, index, key)
  const { primaryKey, rest } = readOwner(table, fromKey.primaryKey, value)
  const row = emptyRow(table, primaryKey)
  index.parts.forEach(({ columnId, path, each }, position) => {
    if (path !== undefined || each !== undefined) return
    row[columnPosition(table, columnId)] = fromKey.values[position] as SqlValue
  })
  readFields(table, rest, row, storedColumns(table, index))
  return { key, primaryKey, row, commitTs }
}

type StoredColumns = WeakMap<IndexDefinition, readonly boolean[]>

/** Definitions are kept with the catalog and do not change, so each is looked through once. */
const STORED = new WeakMap<TableDefinition, StoredColumns>()

/** Whether the entries hold the column at each position. */
function storedColumns(table: TableDefinition, index: IndexDefinition): readonly boolean[] {
  const known = STORED.get(table)?.get(index)
  if (known !== undefined) return known
  const stored = table.columns.map(({ id }) => index.storing.includes(id))
  const ofTable: StoredColumns = STORED.get(table) ?? new WeakMap()
  STORED.set(table, ofTable.set(index, stored))
  return stored
}

export type EntryCell = {
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly commitTs: Timestamp | null
}

/** The primary key, from the entry's key or the beginning of its value, and what follows in the value. */
function readOwner(
  table: TableDefinition,
  inKey: readonly SqlValue[] | undefined,
  value: Uint8Array,
): { readonly primaryKey: readonly SqlValue[]; readonly rest: RowValueReader } {
  const bytes = bufferOf(value)
  if (bytes[0] !== FORMAT) throw damagedValue(table, bytes, `there is no format ${bytes[0]}`)
  if (inKey !== undefined)
    return { primaryKey: inKey, rest: new RowValueReader(bytes.subarray(1), table.name) }
  const { values, end } = readComponents(table, table.primaryKey, bytes, 1)
  if (values.includes(null)) throw damagedValue(table, bytes, 'a primary key has no NULL')
  return { primaryKey: values, rest: new RowValueReader(bytes.subarray(end), table.name) }
}

function damagedValue(table: TableDefinition, bytes: Buffer, problem: string): DamagedRecord {
  return new DamagedRecord('T2', {
    problem,
    table: table.name,
    begin: bytes.toString('hex', 0, 64),
  })
}

function columnValue(table: TableDefinition, row: SqlRow, columnId: number): SqlValue {
  return row[columnPosition(table, columnId)] as SqlValue
}
