// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Row } from '../../storage/cells/cell.ts'
import type { KeyRange, ScanMark } from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { chooseCells } from '../../storage/cells/row-filter-evaluation.ts'
import { keyString } from '../../storage/cells/row-key.ts'

const EVERYTHING: RowFilter = FAMILIES.map((family) => ({ family }))

type Scan = (ranges: readonly KeyRange[], filter: RowFilter) => AsyncIterable<Row>

/**
 * A scan of several ranges as of an engine that knows what has changed since the last one with the mark: it leaves out
 * every other cell, whether or not the filter of then left it.
 */
export async function* withoutSeen(
  scan: Scan,
  ranges: readonly KeyRange[],
  filter: RowFilter,
  mark: ScanMark,
): AsyncIterable<Row> {
  const before = (mark.seen ?? new Map()) as ReadonlyMap<string, Uint8Array>
  const seen = new Map<string, Uint8Array>()
  for await (const { key, cells } of scan(ranges, EVERYTHING)) {
    const isNew = (cell: Cell) => {
      const name = `${keyString(key)} ${cell.family} ${cell.qualifier} ${cell.timestamp}`
      seen.set(name, cell.value)
      return Buffer.compare(before.get(name) ?? NOT_THERE, cell.value) !== 0
    }
    const left = chooseCells(cells.filter(isNew), filter)
    if (left.length > 0) yield { key, cells: left }
  }
  mark.seen = seen
}

const NOT_THERE = Buffer.from('no cell has this value')
