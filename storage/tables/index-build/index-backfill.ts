// SPDX-License-Identifier: Apache-2.0

import { compareRowKeys, keyAfter, keyString } from '../../cells/row-key.ts'
import { StorageError } from '../../errors.ts'
import { InvariantViolation } from '../../invariant.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { nextTurn } from '../../turns/turns.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { belongsTo, type EncodedEntry, encodeEntries } from '../bytes/index-entry.ts'
import { decodePrimaryKey } from '../bytes/key-encoding.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import type { TableIndex } from '../catalog/catalog.ts'
import type { CatalogWrites } from '../catalog/catalog-writes.ts'
import { endBuilding } from '../catalog/index-changes.ts'
import { type BuildPosition, readPosition, writePosition } from '../catalog/index-progress.ts'
import { indexColumns } from '../rows/index-maintenance.ts'
import { type StoredRow, scanRows } from '../rows/table-rows.ts'
import { columnPosition, isWhole, partName, partValue } from '../table-definition.ts'

/**
 * One transaction of the building of an index. Since the index was created every writer keeps its entries, so what is
 * missing are entries of rows that have not changed since:
 *
 *     at the snapshot   row (1, 'bob')    row (2, 'joe')    entry 'joe' 2        position: before row 1
 *     written           entry 'bob' 1                                            position: row 2
 *
 * Rows change meanwhile. A writer that makes an entry wrong writes that very entry (deletes it, or
 * guards it), and so does the build, so one of the two fails: at each commit the entries that were put
 * are right. Rows themselves are neither written nor guarded, and a writer whose row keeps its entry
 * never notices the build. `docs/why/definitions.md` has the whole argument.
 */
export type BuildStep =
  | { readonly kind: 'moved'; readonly position: BuildPosition }
  | { readonly kind: 'ended'; readonly state: 'ready' | 'failed' }

export type BuildBounds = {
  /** Rows, and about as many entries: those of one row belong together. */
  readonly rowsMax: number
  /** Of values read, at least one row whatever its size. */
  readonly bytesMax: number
  readonly signal?: AbortSignal
}

export type BuildTransaction = CatalogWrites &
  Pick<Transaction, 'getRows' | 'scanBatches' | 'dependOnSchema' | 'locksRows'>

/**
 * Reads the next rows and writes what they need into the transaction, which the caller commits. The
 * index is `building` at the transaction's snapshot. Errors: those of reading; with the reason of the
 * signal when that is aborted.
 */
export async function buildBatch(
  transaction: BuildTransaction,
  building: TableIndex,
  bounds: BuildBounds,
): Promise<BuildStep> {
  const { table, index } = building
  transaction.requireRoom()
  const position = await readPosition(transaction, index)
  const batch = await readBatch(transaction, building, { ...bounds, position })
  if ('failure' in batch) return await failed(transaction, building, batch)
  const { rows } = batch
  if (rows.length === 0) {
    await endBuilding(transaction, building, { state: 'ready' })
    return { kind: 'ended', state: 'ready' }
  }
  const missing = await missingEntries(transaction, building, rows, bounds.rowsMax)
  if ('failure' in missing) return await failed(transaction, building, missing)
  // An index that is dropped meanwhile must not get entries: its table's fence stops this commit.
  transaction.dependOnSchema(table.id)
  for (const { key, value } of missing.entries) transaction.put(key, ROW_COLUMN, value)
  const last = rows[missing.ofRows - 1] as StoredRow
  const moved = { rows: (position?.rows ?? 0) + missing.ofRows, last: last.key }
  writePosition(transaction, index, moved)
  return { kind: 'moved', position: moved }
}

async function failed(
  transaction: BuildTransaction,
  building: TableIndex,
  { failure }: { readonly failure: string },
): Promise<BuildStep> {
  await endBuilding(transaction, building, { state: 'failed', failure })
  return { kind: 'ended', state: 'failed' }
}

/**
 * A row that cannot be read will not be readable later either, so the build ends there, as one that
 * can be seen, instead of trying for ever.
 */
async function readBatch(
  transaction: BuildTransaction,
  building: TableIndex,
  { position, rowsMax, bytesMax, signal }: BuildBounds & { position: BuildPosition | undefined },
): Promise<{ readonly rows: readonly StoredRow[] } | { readonly failure: string }> {
  const { table, index } = building
  const rows: StoredRow[] = []
  let bytes = 0
  const scan = {
    ...(position === undefined ? {} : { start: keyAfter(position.last) }),
    limit: rowsMax,
    columns: indexColumns(table, index),
    ...(signal === undefined ? {} : { signal }),
  }
  try {
    for await (const stored of scanRows(transaction, table, scan)) {
      rows.push(stored)
      bytes += bytesOf(stored)
      if (bytes >= bytesMax) break
    }
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error
    const last = rows.at(-1)?.key ?? position?.last
    const label = last === undefined ? 'The first row' : `The row after ${keyText(building, last)}`
    return { failure: `${label} is damaged, and "percolite check" says how: ${error.message}` }
  }
  return { rows }
}

type Missing =
  | { readonly entries: readonly EncodedEntry[]; readonly ofRows: number }
  | { readonly failure: string }

/** The entries that are not there yet of the first rows, as many as make `entriesMax`, or why there can be none. */
async function missingEntries(
  transaction: BuildTransaction,
  building: TableIndex,
  rows: readonly StoredRow[],
  entriesMax: number,
): Promise<Missing> {
  const { table, index } = building
  const { locksRows: areLocked } = transaction
  const encoded = await entriesOf(building, rows, { entriesMax, areLocked })
  if ('failure' in encoded) return encoded
  const wanted = encoded.entries
  const present = await transaction.getRows(
    wanted.map(({ key }) => key),
    [ROW_COLUMN],
  )
  const own = new Map<string, EncodedEntry>()
  const entries: EncodedEntry[] = []
  for (const [at, entry] of wanted.entries()) {
    const there = present[at]?.columns.get(ROW_COLUMN)?.value
    const taken = there ?? own.get(keyString(entry.key))?.value
    if (taken !== undefined && !belongsTo(entry, taken)) {
      const columns = index.parts.map((part) => partName(table, part))
      const names = columns.map((name) => `"${name}"`).join(', ')
      // A unique index has one entry for each row.
      const failure = `More than one row has the values of ${names} that ${rowText(building, rows[at] as StoredRow)} has.`
      return { failure }
    }
    own.set(keyString(entry.key), entry)
    if (there === undefined || compareRowKeys(there, entry.value) !== 0) entries.push(entry)
  }
  return { entries, ofRows: encoded.ofRows }
}

/** Characters of JSON that one turn is looked through for members and paths; a value is, whole, for each of them. */
const TURN_CHARACTERS = 256 * 1024

/** The words of a text take as long to find as the members of one of so many characters for each of its own. */
const CHARACTERS_OF_WORDS = 10

/** A row of before may be one that the index could not have had, by the size of its key. */
async function entriesOf(
  { table, index }: TableIndex,
  rows: readonly StoredRow[],
  { entriesMax, areLocked }: { readonly entriesMax: number; readonly areLocked: boolean },
): Promise<Missing> {
  const entries: EncodedEntry[] = []
  let looked = 0
  let ofRows = 0
  for (const stored of rows) {
    if (entries.length >= entriesMax) break
    const values: SqlValue[] = []
    for (const part of index.parts) {
      const whole = stored.row[columnPosition(table, part.columnId)]
      if (!isWhole(part) && typeof whole === 'string') {
        looked += (part.each === 'words' ? CHARACTERS_OF_WORDS : 1) * whole.length
      }
      values.push(partValue(table, stored.row, part))
      if (looked < TURN_CHARACTERS) continue
      looked = 0
      await nextTurn()
    }
    try {
      entries.push(...encodeEntries(table, index, stored.row, { values, areLocked }))
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'limit_exceeded') throw error
      return { failure: `${error.message} It is of ${rowText({ table, index }, stored)}.` }
    }
    ofRows += 1
  }
  return { entries, ofRows }
}

function rowText(building: TableIndex, { key }: StoredRow): string {
  return `the row ${keyText(building, key)}`
}

function keyText({ table }: TableIndex, rowKey: Uint8Array): string {
  return `(${decodePrimaryKey(table, rowKey).map(textOf).join(', ')})`
}

function textOf(value: SqlValue): string {
  if (typeof value === 'string') return JSON.stringify(begin(value, value.length))
  if (!(value instanceof Uint8Array)) return String(value)
  const hex = Buffer.from(value.subarray(0, SHOWN_MAX)).toString('hex')
  return `x'${begin(hex, value.length * 2)}'`
}

/** Characters, or bytes, of one value of a key that a failure shows: it names a row, and may be read by people. */
const SHOWN_MAX = 60

function begin(text: string, length: number): string {
  return length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`
}

function bytesOf({ key, row }: StoredRow): number {
  let bytes = key.length
  for (const value of row) {
    if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length
  }
  return bytes
}
