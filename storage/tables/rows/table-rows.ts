// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import { endOfPrefix } from '../../cells/row-key.ts'
import { intact, invariant } from '../../invariant.ts'
import { andThen, batchesOf, type MaybePromise } from '../../maybe-promise.ts'
import { rowsOfBatches } from '../../transactions/protocol/row-batches.ts'
import type { SnapshotRow } from '../../transactions/records/version.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { Decimal, type DecimalSize, sizedDecimal } from '../../values/decimal.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { decodePrimaryKey, encodePrimaryKeyBound, tableSpace } from '../bytes/key-encoding.ts'
import {
  decodeFamily,
  emptyRow,
  familyColumn,
  familyIds,
  familyOf,
  isKeyColumn,
  ROW_COLUMN,
} from '../bytes/row-codec.ts'
import type { RowObjects } from '../bytes/row-objects.ts'
import { keyColumns, type SqlRow, type TableDefinition } from '../table-definition.ts'

/**
 * The rows of a SQL table as one transaction sees them. A read decodes by the table's definition at
 * the transaction's own snapshot, so `table` comes from the catalog of that snapshot.
 */
export type StoredRow = {
  /** The row key, after which a page of a scan can continue. */
  readonly key: Uint8Array
  /** Columns that were not asked for are NULL, or what their ADD COLUMN gave to the rows of before. */
  readonly row: SqlRow
  /** The newest of the families read. Null when it is the transaction's own, not yet committed writing. */
  readonly commitTs: Timestamp | null
}

/**
 * For each tuple of primary key values, in key order, its row or null. One round trip. `columns` are
 * the positions that are wanted, all when absent: families without any of them are not read, and of
 * the others only these columns are decoded. None wanted reads what tells that the row exists.
 */
export function getRows(
  transaction: Pick<Transaction, 'getRows'>,
  table: TableDefinition,
  keyTuples: ReadonlyArray<readonly SqlValue[]>,
  columns?: readonly number[],
): MaybePromise<Array<StoredRow | null>> {
  const keys = keyTuples.map((keyValues) => soughtKey(table, keyValues))
  const families = familiesOf(table, columns)
  return andThen(transaction.getRows(keys, columnsOfFamilies(families)), (rows) =>
    rows.map((row, at) =>
      row === null ? null : storedRow(table, families, row, columns, keyTuples[at]),
    ),
  )
}

/** What `getRows` returns for one key. */
export function getRow(
  transaction: Pick<Transaction, 'getRow'>,
  table: TableDefinition,
  keyValues: readonly SqlValue[],
  columns?: readonly number[],
): MaybePromise<StoredRow | null> {
  const families = familiesOf(table, columns)
  const found = transaction.getRow(soughtKey(table, keyValues), columnsOfFamilies(families))
  return andThen(found, (row) =>
    row === null ? null : storedRow(table, families, row, columns, keyValues),
  )
}

/** Keys of one table, as `getRows` takes them. */
export type RowsRequest = {
  readonly table: TableDefinition
  readonly keyTuples: ReadonlyArray<readonly SqlValue[]>
  readonly columns?: readonly number[]
}

/** What `getRows` returns for each of these, in one round trip for all of them. */
export async function getRowsOfTables(
  transaction: Pick<Transaction, 'getRows'>,
  requests: readonly RowsRequest[],
): Promise<Array<Array<StoredRow | null>>> {
  const keys = requests.flatMap(({ table, keyTuples }) =>
    keyTuples.map((key) => soughtKey(table, key)),
  )
  const families = requests.map(({ table, columns }) => familiesOf(table, columns))
  const rows = await transaction.getRows(keys, columnsOfAll(families))
  let first = 0
  return requests.map(({ table, keyTuples, columns }, index) => {
    const own = rows.slice(first, first + keyTuples.length)
    first += keyTuples.length
    const read = families[index] as readonly number[]
    return own.map((row, at) =>
      row === null ? null : storedRow(table, read, row, columns, keyTuples[at]),
    )
  })
}

/** Has these rows read together before they are asked for; undefined where a read does not wait anyway. */
export function prefetchRows(
  transaction: Pick<Transaction, 'prefetch'>,
  requests: readonly RowsRequest[],
): Promise<void> | undefined {
  return transaction.prefetch(
    requests.flatMap(({ table, keyTuples, columns }) => {
      const wanted = columnsOfFamilies(familiesOf(table, columns))
      return keyTuples.map((key) => ({ key: soughtKey(table, key), columns: wanted }))
    }),
  )
}

export type TableScan = {
  /** A row key of this table, inclusive; absent: its beginning. */
  readonly start?: Uint8Array
  /** Exclusive; absent: the end of the table. */
  readonly end?: Uint8Array
  /** From the end towards the start. */
  readonly reverse?: boolean
  /** At most so many rows. */
  readonly limit?: number
  /** The positions that are wanted, as for `getRows`. */
  readonly columns?: readonly number[]
  readonly signal?: AbortSignal
}

/** Rows that were read together; each is decoded when it is used. */
export class StoredRows implements Iterable<StoredRow> {
  readonly #table: TableDefinition
  readonly #families: readonly number[]
  readonly #rows: readonly SnapshotRow[]
  readonly #wanted: readonly number[] | undefined

  constructor(
    table: TableDefinition,
    families: readonly number[],
    rows: readonly SnapshotRow[],
    wanted: readonly number[] | undefined,
  ) {
    this.#table = table
    this.#families = families
    this.#rows = rows
    this.#wanted = wanted
  }

  get length(): number {
    return this.#rows.length
  }

  /** Throws as `storedRow`. */
  at(index: number): StoredRow {
    return storedRow(this.#table, this.#families, this.#rows[index] as SnapshotRow, this.#wanted)
  }

  keyAt(index: number): Uint8Array {
    return (this.#rows[index] as SnapshotRow).key
  }

  /**
   * Those from `from` to `end` as objects, of bytes beyond `bytesMax` only the first. Fewer where one is none, and
   * `at` tells why. Throws violations of T1.
   */
  objects(
    shape: RowObjects,
    from: number,
    end: number,
    bytesMax: number,
  ): Array<Record<string, unknown>> {
    const objects: Array<Record<string, unknown>> = []
    let bytes = 0
    for (let index = from; index < end && bytes < bytesMax; index += 1) {
      const { key, columns } = this.#rows[index] as SnapshotRow
      const record = columns.get(ROW_COLUMN)?.value
      if (record === undefined) break
      const object = shape.of(key, record)
      if (object === undefined) break
      bytes += record.length
      objects.push(object)
    }
    return objects
  }

  *[Symbol.iterator](): Generator<StoredRow, void, undefined> {
    for (let index = 0; index < this.#rows.length; index += 1) yield this.at(index)
  }
}

/** The rows of a range of keys, in key order or reversed. */
export function scanRows(
  transaction: Pick<Transaction, 'scanBatches'>,
  table: TableDefinition,
  scan: TableScan,
): AsyncGenerator<StoredRow, void, undefined> {
  return rowsOfBatches(scanRowBatches(transaction, table, scan))
}

/** The same, as they are read together. */
export function* scanRowBatches(
  transaction: Pick<Transaction, 'scanBatches'>,
  table: TableDefinition,
  scan: TableScan,
): Generator<MaybePromise<StoredRows>, void, undefined> {
  const { columns, start = tableSpace(table.id), ...given } = scan
  // No table id is FF FF FF FF with a space byte FF, so a table's space always has an end.
  const end = scan.end ?? (endOfPrefix(tableSpace(table.id)) as Uint8Array)
  const families = familiesOf(table, columns)
  const range = { ...given, start, end, columns: columnsOfFamilies(families) }
  for (const next of batchesOf(transaction.scanBatches(range))) {
    yield andThen(next, (batch) => new StoredRows(table, families, batch, columns))
  }
}

function soughtKey(table: TableDefinition, keyValues: readonly SqlValue[]): Uint8Array {
  invariant(keyValues.length === table.primaryKey.length, 'T1', { table: table.name })
  return encodePrimaryKeyBound(table, keyValues)
}

/** The families that hold these columns; 0, which every row has, when the key alone holds them. */
export function familiesOf(
  table: TableDefinition,
  columns: readonly number[] | undefined,
): readonly number[] {
  if (table.families.length === 0) return ONLY_FAMILY
  const all = familyIds(table)
  if (columns === undefined) return all
  const wanted = columns.map((position) => table.columns[position])
  const families = all.filter((id) =>
    wanted.some(
      (column) => column !== undefined && familyOf(column) === id && !isKeyColumn(table, column.id),
    ),
  )
  return families.length === 0 ? all.slice(0, 1) : families
}

const ONLY_FAMILY: readonly number[] = [0]
/** Most tables have one family, and then every read asks with this same list. */
const ONLY_COLUMN: readonly string[] = [ROW_COLUMN]

function columnsOfFamilies(families: readonly number[]): readonly string[] {
  return families.length === 1 && families[0] === 0 ? ONLY_COLUMN : families.map(familyColumn)
}

function columnsOfAll(families: ReadonlyArray<readonly number[]>): readonly string[] {
  const distinct = new Set<number>()
  for (const ofTable of families) for (const family of ofTable) distinct.add(family)
  return columnsOfFamilies([...distinct])
}

/**
 * Of a row that was sought by its key, the values of the key need not be read from it. Violations: T1
 * (key), T2 (values, or one of these families is missing).
 */
export function storedRow(
  table: TableDefinition,
  families: readonly number[],
  { key, columns }: SnapshotRow,
  wanted?: readonly number[],
  sought?: readonly SqlValue[],
): StoredRow {
  const values = sought === undefined ? decodePrimaryKey(table, key) : storedKey(table, sought)
  const row = emptyRow(table, values)
  let commitTs: Timestamp | null = 0
  for (const family of families) {
    const cell = columns.get(familyColumn(family))
    // A row has every family of its table, or is no row.
    intact(cell !== undefined, 'T2', { table: table.name, family })
    decodeFamily(table, family, cell.value, row, wanted)
    commitTs =
      commitTs === null || cell.commitTs === null ? null : Math.max(commitTs, cell.commitTs)
  }
  return { key, row, commitTs }
}

/** The key that equals this one: it has 0 for −0, and each DECIMAL with the digits of its column. */
function storedKey(table: TableDefinition, sought: readonly SqlValue[]): SqlValue[] {
  const key = [...sought]
  for (let at = 0; at < key.length; at += 1) {
    const value = key[at] as SqlValue
    if (typeof value === 'number') key[at] = value + 0
    if (!(value instanceof Decimal)) continue
    key[at] = sizedDecimal(value, keyColumns(table)[at]?.size as DecimalSize) as Decimal
  }
  return key
}
