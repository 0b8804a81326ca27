// SPDX-License-Identifier: Apache-2.0

import { invariant } from '../../invariant.ts'
import { andThen, type MaybePromise } from '../../maybe-promise.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { encodePrimaryKey } from '../bytes/key-encoding.ts'
import {
  encodeRowValue,
  familyColumn,
  familyIds,
  familyOf,
  isKeyColumn,
  keyOfRow,
  ROW_COLUMN,
} from '../bytes/row-codec.ts'
import { isDue } from '../due-index.ts'
import { keyPositions, type TableDefinition } from '../table-definition.ts'
import {
  type EntryEdit,
  entryEdits,
  indexColumns,
  indexesWritten,
  type RowChange,
  settleUniqueness,
  type UniquenessReads,
} from './index-maintenance.ts'
import { notifyOfChange } from './row-notifications.ts'
import type { TakenEntries } from './taken-entries.ts'
import { type UniqueConflict, uniqueViolation } from './unique-conflict.ts'

export type RowWrites = Pick<
  Transaction,
  'put' | 'delete' | 'guard' | 'notify' | 'dependOnSchema' | 'requireRoom' | 'locksRows'
> &
  UniquenessReads

type ChangeOptions = {
  readonly onConflict?: 'fail' | 'skip'
  readonly taken?: TakenEntries
}

/**
 * Makes these changes, those of the index entries that belong to them, and the notifications of the
 * observers that they concern. This is the only way to write rows, so that none is forgotten. Tables
 * without unique indexes cost no read; the others one round trip for all changes.
 *
 * Resolves to null for each change, or with `onConflict: 'skip'` the conflict for which it was left out. With `taken`,
 * values that another row had before the statement are a conflict only when that row still has them at its end. Errors,
 * with nothing written: `disk_full`, `unique_violation`, and those of `fullKey`, `encodeRowValue` and `encodeEntries`.
 */
export function changeRows(
  transaction: RowWrites,
  table: TableDefinition,
  changes: readonly RowChange[],
  { onConflict = 'fail', taken }: ChangeOptions = {},
): MaybePromise<Array<UniqueConflict | null>> {
  let isLarger = false
  for (const { after } of changes) if (after !== null) isLarger = true
  if (isLarger) transaction.requireRoom()
  const rowWrites: CellWrite[][] = []
  for (const change of changes) rowWrites.push(writesOfRow(table, change))
  if (table.indexes.length === 0 && !table.observers.some(isDue)) {
    transaction.dependOnSchema(table.id)
    for (let at = 0; at < changes.length; at += 1) {
      writeRow(transaction, table, changes[at] as RowChange, rowWrites[at] as CellWrite[])
    }
    return new Array(changes.length).fill(null)
  }
  const edits = changes.map((change) => entryEdits(table, change, transaction.locksRows))
  taken?.begin(changes.map(({ after }) => after))
  return andThen(settleUniqueness(transaction, edits, taken), (settled) =>
    writeChanges(transaction, table, { changes, rowWrites, settled, onConflict }),
  )
}

function writeChanges(
  transaction: RowWrites,
  table: TableDefinition,
  made: {
    readonly changes: readonly RowChange[]
    readonly rowWrites: ReadonlyArray<readonly CellWrite[]>
    readonly settled: ReadonlyArray<readonly EntryEdit[] | UniqueConflict>
    readonly onConflict: 'fail' | 'skip'
  },
): Array<UniqueConflict | null> {
  const { changes, rowWrites, settled, onConflict } = made
  const conflicts = settled.map((edits) => ('entry' in edits ? edits : null))
  const change = onConflict === 'fail' ? conflicts.findIndex((found) => found !== null) : -1
  const conflict = conflicts[change]
  if (conflict != null) throw uniqueViolation(table, conflict, change)
  transaction.dependOnSchema(table.id)
  settled.forEach((edits, at) => {
    if ('entry' in edits) return
    writeRow(transaction, table, changes[at] as RowChange, rowWrites[at] as readonly CellWrite[])
    for (const edit of edits) writeEntry(transaction, edit)
  })
  return conflicts
}

function writeRow(
  transaction: RowWrites,
  table: TableDefinition,
  change: RowChange,
  writes: readonly CellWrite[],
): void {
  for (const { key, column, value } of writes) {
    if (value === null) transaction.delete(key, column)
    else transaction.put(key, column, value)
  }
  if (table.observers.length > 0) notifyOfChange(transaction, table, change)
}

/**
 * Makes the commit conflict with every write and guard of that row since the snapshot, whether the
 * row exists or not: what GET … FOR UPDATE asks for.
 */
export function guardRow(
  transaction: Pick<Transaction, 'guard' | 'dependOnSchema'>,
  table: TableDefinition,
  keyValues: readonly SqlValue[],
): void {
  const key = fullKey(table, keyValues)
  transaction.dependOnSchema(table.id)
  for (const family of familyIds(table)) transaction.guard(key, familyColumn(family))
}

/**
 * The positions that a SET of these columns has to read: all columns of the families that it writes,
 * and of the indexes that it touches, in whatever family they are.
 */
export function columnsForSet(
  table: TableDefinition,
  assigned: readonly number[],
): readonly number[] {
  const families = familiesWritten(table, assigned)
  const ofFamilies = table.columns.flatMap((column, position) =>
    families.includes(familyOf(column)) ? [position] : [],
  )
  return distinct(
    ofFamilies,
    ...indexesWritten(table, assigned).map((index) => indexColumns(table, index)),
  )
}

/** The positions that a DELETE has to read: the primary key, and what tells the row's index entries. */
export function columnsForDelete(table: TableDefinition): readonly number[] {
  const indexed = indexesWritten(table).map((index) => indexColumns(table, index))
  return distinct(keyPositions(table), ...indexed)
}

/** The row key of these values of the whole primary key. Errors: those of `encodePrimaryKey`. */
function fullKey(table: TableDefinition, keyValues: readonly SqlValue[]): Uint8Array {
  invariant(keyValues.length === table.primaryKey.length, 'T1', { table: table.name })
  return encodePrimaryKey(table, keyValues)
}

type CellWrite = {
  readonly key: Uint8Array
  readonly column: string
  readonly value: Uint8Array | null
}

/** INSERT writes every family, SET those of the columns it names, DELETE ends every one. */
function writesOfRow(table: TableDefinition, change: RowChange): CellWrite[] {
  const { before, after, columns } = change
  const key = change.key ?? fullKey(table, keyOfRow(table, after ?? before))
  if (after === null) {
    return familyIds(table).map((family) => ({ key, column: familyColumn(family), value: null }))
  }
  const families = columns === undefined ? familyIds(table) : familiesWritten(table, columns)
  const writes: CellWrite[] = []
  for (const family of families) {
    writes.push({ key, column: familyColumn(family), value: encodeRowValue(table, after, family) })
  }
  return writes
}

/** A SET that names columns of the primary key only still writes the row. */
function familiesWritten(table: TableDefinition, assigned: readonly number[]): readonly number[] {
  const families = new Set<number>()
  for (const position of assigned) {
    const column = table.columns[position]
    if (column !== undefined && !isKeyColumn(table, column.id)) families.add(familyOf(column))
  }
  return families.size === 0 ? [0] : [...families].sort((a, b) => a - b)
}

function writeEntry(transaction: RowWrites, { deleted, put, inPlace, guarded }: EntryEdit): void {
  if (guarded !== undefined) transaction.guard(guarded, ROW_COLUMN)
  if (deleted !== undefined && !inPlace) transaction.delete(deleted.key, ROW_COLUMN)
  if (put !== undefined) transaction.put(put.key, ROW_COLUMN, put.value)
}

function distinct(...lists: ReadonlyArray<readonly number[]>): readonly number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b)
}
