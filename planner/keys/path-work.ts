// SPDX-License-Identifier: Apache-2.0
import {
  columnPosition,
  isWhole,
  type KeyPart,
  type SqlRow,
  type TableDefinition,
} from '../../storage/tables/tables.ts'
import { type SqlValue, WALK_UNITS, WORD_UNITS } from '../../storage/values/values.ts'
import { lengthOf } from '../expressions/value-work.ts'
import type { WorkMeter } from '../expressions/work-meter.ts'

/** Found once for a table: every row that is written asks for them. */
const PATHS = new WeakMap<TableDefinition, readonly KeyPart[]>()

/** The paths into JSON, EACH and WORDS that a row is looked through for when it is written, one for each time. */
function pathsOf(table: TableDefinition): readonly KeyPart[] {
  const known = PATHS.get(table)
  if (known !== undefined) return known
  const written = table.indexes.filter(({ state }) => state !== 'failed')
  const paths = written.flatMap(({ parts }) => parts.filter((part) => !isWhole(part)))
  PATHS.set(table, paths)
  return paths
}

/** How often the bytes of a row are looked at when it is written: once, and for each path, ten times for words. */
export function looksAtRow(table: TableDefinition): number {
  return pathsOf(table).reduce((looks, path) => looks + unitsOf(path) / WALK_UNITS, 1)
}

/** Units of work for a character. */
function unitsOf({ each }: KeyPart): number {
  return each === 'words' ? WORD_UNITS : WALK_UNITS
}

/** About as many bytes of rows are written by one call, each counted as often as it is looked at. */
export const BYTES_AT_ONCE = 1024 * 1024

export function bytesOfRow(row: SqlRow): number {
  return row.reduce<number>((sum, value) => sum + lengthOf(value), 0)
}

/** The items in their order, cut where making the index entries of their rows would take long. */
export function inPortions<Item>(
  table: TableDefinition,
  items: readonly Item[],
  rowOf: (item: Item) => SqlRow,
): ReadonlyArray<readonly Item[]> {
  const looks = looksAtRow(table)
  if (looks === 1 || items.length === 0) return [items]
  const portions: Item[][] = []
  let bytes = BYTES_AT_ONCE
  for (const item of items) {
    if (bytes >= BYTES_AT_ONCE) {
      portions.push([])
      bytes = 0
    }
    portions.at(-1)?.push(item)
    bytes += looks * bytesOfRow(rowOf(item))
  }
  return portions
}

/** Pays for the entries of a new row, which are made later. Throws PlanError limit_exceeded for too long a value. */
export function payForPaths(table: TableDefinition, row: SqlRow, work: WorkMeter): void {
  for (const path of pathsOf(table)) {
    work.spend(unitsOf(path) * lengthOf(row[columnPosition(table, path.columnId)] as SqlValue))
  }
}
