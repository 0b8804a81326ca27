// SPDX-License-Identifier: Apache-2.0
import { type RangeRead, rangeReadOf, requestedRange } from '../../../planner/planner.ts'
import type { Storage, TurnSnapshot } from '../../../storage/storage.ts'
import type { StoredRows } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { COUNTED_BYTES_MIN } from '../../guard/budgets/hold.ts'
import type { ShapeFigures } from '../../operations/statistics/shape-figures.ts'
import type { CountedStatement } from '../../operations/statistics/statement-statistics.ts'
import { formOf, type ResultForm } from '../../requests/answers/result-form.ts'
import { WrittenRows } from '../../requests/answers/written-rows.ts'

/** What is decided of a SCAN of a range of the primary key, and for which statistics it is counted. */
export type StraightScan = RangeRead & {
  readonly form: ResultForm
  readonly counted: CountedStatement
  figures: ShapeFigures | undefined
  /** How many of the next ones are handed on at once, since the last one was too long. */
  handedOn: number
}

/** Rows that one turn reads and writes for one request. */
const ROWS_MAX = 100
/** A scan that turns out to be too long has read in vain: one in so many may. */
const HANDED_ON = 256

/** Null where it is not of a range of the primary key. */
export function straightScan(counted: CountedStatement): StraightScan | null {
  const range = rangeReadOf(counted.plan)
  if (range === undefined) return null
  const form = formOf(range.columns, 'number')
  return { ...range, form, counted, figures: undefined, handedOn: 0 }
}

/** Its rows; undefined where they are too long for a turn, or for what is not counted, or have to wait for a commit. */
export function rowsInTurn(
  scan: StraightScan,
  values: readonly SqlValue[],
  began: TurnSnapshot,
  reads: Storage['turnReads'],
): WrittenRows | undefined {
  const { table, columns, places } = scan
  if (scan.handedOn > 0) {
    scan.handedOn -= 1
    return undefined
  }
  const requested = requestedRange(scan, values)
  if (requested === undefined || requested.limit === 0) return undefined
  const limit = Math.min(requested.limit, ROWS_MAX + 1)
  const found = reads?.rows(table, { ...requested.range, limit, columns: scan.reads }, began)
  if (found === undefined) return undefined
  const rows = new WrittenRows(columns, scan.form)
  const isStored = rows.takesStored(table, places)
  for (const batch of found.batches) {
    if (isStored) writeStored(batch, rows)
    else for (const { row } of batch) rows.write(places.map((place) => row[place] as SqlValue))
  }
  const isShort = rows.columnBytes + rows.bytes < COUNTED_BYTES_MIN && rows.rowCount <= ROWS_MAX
  if (found.isWhole && isShort && rows.text !== undefined) return rows
  scan.handedOn = HANDED_ON
  return undefined
}

function writeStored(batch: StoredRows, rows: WrittenRows): void {
  const part = { rowsMax: batch.length, bytesMax: COUNTED_BYTES_MIN }
  for (let from = 0; from < batch.length && rows.bytes < COUNTED_BYTES_MIN; ) {
    from += rows.takeStored(batch, { ...part, from })
  }
}
