// SPDX-License-Identifier: Apache-2.0
import {
  type Catalog,
  changeRows,
  getRowsOfTables,
  notifyObserver,
  type RowChange,
  requireObserver,
  requireTable,
  type SqlRow,
  type SqlValue,
  type StoredRow,
  type TableDefinition,
  type Transaction,
} from '../../../../storage/storage.ts'
import type { Value } from '../../schema/table-shape.ts'
import type { Notified, Write } from '../buffered-transaction.ts'
import { primaryKeyOf } from '../sql-statements.ts'
import { observerOf } from './percolite-statements.ts'
import { placesOf, storedValue } from './percolite-values.ts'

/** Puts the writes into the transaction; the rows before them are read by one multi-get. */
export async function writeEmbedded(
  transaction: Transaction,
  catalog: Catalog,
  writes: readonly Write[],
): Promise<void> {
  const names = [...new Set(writes.map((write) => write.table))]
  const groups = names.map((name) => ({
    table: requireTable(catalog, name),
    writes: writes.filter((write) => write.table === name),
  }))
  const found = await getRowsOfTables(
    transaction,
    groups.map(({ table, writes: own }) => ({
      table,
      keyTuples: own.map((write) => keyOfWrite(write).map(storedValue)),
    })),
  )
  for (const [place, { table, writes: own }] of groups.entries()) {
    const before = found[place] ?? []
    const changes = own.map((write, at) => rowChange(table, write, before[at] ?? null))
    await changeRows(transaction, table, changes)
  }
}

export function notifyEmbedded(
  transaction: Transaction,
  catalog: Catalog,
  notified: readonly Notified[],
): void {
  for (const { table: name, key } of notified) {
    const { table, observer } = requireObserver(catalog, observerOf(name))
    notifyObserver(transaction, table, observer, key.map(storedValue))
  }
}

function rowChange(table: TableDefinition, write: Write, stored: StoredRow | null): RowChange {
  const before = stored?.row ?? null
  if (write.kind === 'insert') {
    if (before !== null) throw new Error(`${table.name} has the row ${keyOfWrite(write)} already`)
    const columns = placesOf(table, Object.keys(write.row))
    return { before: null, after: changed(emptyRow(table), columns, Object.values(write.row)) }
  }
  if (before === null) throw new Error(`${table.name} has no row ${write.key}`)
  if (write.kind === 'delete') return { before, after: null }
  const setPlaces = placesOf(table, Object.keys(write.set))
  const addPlaces = placesOf(table, Object.keys(write.add))
  const set = changed(before, setPlaces, Object.values(write.set))
  const sums = Object.values(write.add).map((amount, at) => {
    return Number(before[addPlaces[at] as number] as bigint) + amount
  })
  const columns = [...setPlaces, ...addPlaces]
  return { before, after: changed(set, addPlaces, sums), columns }
}

function changed(row: SqlRow, places: readonly number[], values: readonly Value[]): SqlRow {
  const copy = [...row]
  places.forEach((place, at) => {
    copy[place] = storedValue(values[at] as Value)
  })
  return copy
}

function emptyRow(table: TableDefinition): SqlRow {
  return Array.from({ length: table.columns.length }, (): SqlValue => null)
}

function keyOfWrite(write: Write): readonly Value[] {
  if (write.kind !== 'insert') return write.key
  return primaryKeyOf(write.table).map((column) => write.row[column] as Value)
}
