// SPDX-License-Identifier: Apache-2.0
import {
  type Catalog,
  encodeIndexKey,
  encodePrimaryKeyBound,
  endOfPrefix,
  entryColumns,
  getRows,
  getRowsOfTables,
  type RowsAsked,
  requireIndex,
  requireTable,
  type SqlRow,
  type SqlValue,
  scanIndexEntries,
  scanRows,
  type TableDefinition,
  type Transaction,
} from '../../../../storage/storage.ts'
import type { Get, GetMany, Scan, ScanEach } from '../../engine.ts'
import type { Value } from '../../schema/table-shape.ts'
import type { AnyRead, AnyRow } from '../buffered-transaction.ts'
import { namedRow, placesOf, storedValue } from './percolite-values.ts'

/** The answers to one step: one multi-get for all keys of all tables, then scan after scan. */
export async function embeddedAnswers(
  transaction: Transaction,
  catalog: Catalog,
  reads: readonly AnyRead[],
): Promise<unknown[]> {
  const gets = reads.filter((read) => read.kind === 'get' || read.kind === 'getMany')
  const found = await getRowsOfTables(
    transaction,
    gets.map((read) => rowsAsked(catalog, read)),
  )
  const answers: unknown[] = []
  let next = 0
  for (const read of reads) {
    switch (read.kind) {
      case 'get':
      case 'getMany': {
        const { columns, places } = wanted(catalog, read)
        const rows = (found[next++] ?? []).map((stored) => {
          return stored === null ? undefined : namedRow(columns, places, stored.row)
        })
        answers.push(read.kind === 'get' ? rows[0] : rows)
        break
      }
      case 'scan':
        answers.push(await scanned(transaction, catalog, read))
        break
      case 'scanEach':
        answers.push(await scannedEach(transaction, catalog, read))
        break
    }
  }
  return answers
}

async function scannedEach(transaction: Transaction, catalog: Catalog, read: ScanEach) {
  const groups: AnyRow[][] = []
  for (const first of read.firsts) {
    groups.push(await scanned(transaction, catalog, { ...read, kind: 'scan', prefix: [first] }))
  }
  return groups
}

async function scanned(transaction: Transaction, catalog: Catalog, scan: Scan): Promise<AnyRow[]> {
  const { table, columns, places } = wanted(catalog, scan)
  const rows =
    scan.index === undefined
      ? await rowsOfTable(transaction, table, scan, places)
      : await rowsOfIndex(transaction, catalog, scan, places)
  return rows.map((row) => namedRow(columns, places, row))
}

async function rowsOfTable(
  transaction: Transaction,
  table: TableDefinition,
  scan: Scan,
  places: readonly number[],
): Promise<SqlRow[]> {
  const bounds = boundsOf(scan, (values) => encodePrimaryKeyBound(table, values))
  const rows: SqlRow[] = []
  for await (const { row } of scanRows(transaction, table, { ...bounds, columns: places })) {
    rows.push(row)
  }
  return rows
}

/** The entries, and where they do not hold all that is asked the rows by one multi-get. */
async function rowsOfIndex(
  transaction: Transaction,
  catalog: Catalog,
  scan: Scan,
  places: readonly number[],
): Promise<SqlRow[]> {
  const { table, index } = requireIndex(catalog, scan.index as string)
  const bounds = boundsOf(scan, (values) => encodeIndexKey(table, index, values))
  const held = entryColumns(table, index)
  const isCovering = places.every((position) => held.includes(position))
  const rows: SqlRow[] = []
  for await (const entries of scanIndexEntries(transaction, table, index, bounds)) {
    if (isCovering) {
      rows.push(...entries.map((entry) => entry.row))
      continue
    }
    const keys = entries.map((entry) => entry.primaryKey)
    for (const stored of await getRows(transaction, table, keys, places)) {
      if (stored === null) throw new Error(`an entry of ${index.name} has no row`)
      rows.push(stored.row)
    }
  }
  return rows
}

/** Both bounds are inclusive, and an end is what follows every key that begins with it. */
function boundsOf(scan: Scan, encode: (values: readonly SqlValue[]) => Uint8Array) {
  const prefix = scan.prefix.map(storedValue)
  const bound = (value: Value | undefined) => {
    return encode(value === undefined ? prefix : [...prefix, storedValue(value)])
  }
  const end = endOfPrefix(bound(scan.atMost))
  return {
    start: bound(scan.atLeast),
    ...(end === undefined ? {} : { end }),
    ...(scan.reverse === undefined ? {} : { reverse: scan.reverse }),
    ...(scan.limit === undefined ? {} : { limit: scan.limit }),
  }
}

function rowsAsked(catalog: Catalog, read: Get | GetMany): RowsAsked {
  const { table, places } = wanted(catalog, read)
  const keys = read.kind === 'get' ? [read.key] : read.keys
  return { table, keyTuples: keys.map((key) => key.map(storedValue)), columns: places }
}

function wanted(catalog: Catalog, { table: name, columns }: Pick<Scan, 'table' | 'columns'>) {
  const table = requireTable(catalog, name)
  return { table, columns, places: placesOf(table, columns) }
}
