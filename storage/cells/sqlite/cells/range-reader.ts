// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { EMBEDDED_LIMITS } from '../../call-check.ts'
import { type Cell, FAMILIES, type Row } from '../../cell.ts'
import type { Chunk, ChunkRequest } from '../../embedded-cell-store.ts'
import { keyAfter } from '../../row-key.ts'
import { SqliteFamilyLane } from './family-lane.ts'
import { SqliteFamilyRows } from './family-rows.ts'
import type { SqliteRowReader } from './row-reader.ts'

/** Larger than every row key: one byte longer than any, and all of them FF. */
const END_OF_STORE = new Uint8Array(EMBEDDED_LIMITS.rowKeyBytesMax + 1).fill(0xff)

/**
 * Reads a range of rows in chunks, in either direction. A chunk is read in one turn inside one transaction of the
 * caller, and no statement stays open after it: an open one would hold back the checkpoint and keep later reads on an
 * old snapshot.
 */
export class SqliteRangeReader {
  readonly #families: readonly SqliteFamilyRows[]

  constructor(database: Database, rowReader: SqliteRowReader) {
    this.#families = FAMILIES.map((family) => new SqliteFamilyRows(database, family, rowReader))
  }

  /** The next chunk: lists the rows of each family of the filter and merges the cells of each row. */
  readChunk({ start, end, reverse = false, filter, rowsMax, bytesMax }: ChunkRequest): Chunk {
    // One row more than wanted shows where the rest begins.
    const range = { start, end: end ?? END_OF_STORE, reverse, count: rowsMax + 1 }
    const lanes: SqliteFamilyLane[] = []
    for (const source of this.#families) {
      const ofFamily = filter.filter(({ family }) => family === source.family)
      if (ofFamily.length > 0) lanes.push(new SqliteFamilyLane(source, ofFamily, range))
    }
    const rows: Row[] = []
    for (let visited = 0, bytes = 0; ; visited++) {
      const next = nextKey(lanes, reverse)
      if (next === undefined) return { rows, rest: undefined }
      const key = Buffer.from(next, 'latin1')
      if (visited === rowsMax || bytes >= bytesMax) {
        return { rows, rest: reverse ? { start, end: keyAfter(key) } : { start: key, end } }
      }
      const cells = takeRow(lanes, next, key)
      for (const cell of cells) bytes += cell.value.length
      if (cells.length > 0) rows.push({ key, cells })
    }
  }
}

/** The key that comes first in the direction of the scan. */
function nextKey(lanes: readonly SqliteFamilyLane[], reverse: boolean): string | undefined {
  let next: string | undefined
  for (const lane of lanes) {
    const key = lane.nextKey()
    if (key === undefined) continue
    if (next === undefined || (reverse ? key > next : key < next)) next = key
  }
  return next
}

/** The row's cells of all families, in order; moves past the row. */
function takeRow(
  lanes: readonly SqliteFamilyLane[],
  text: string,
  key: Uint8Array,
): readonly Cell[] {
  let cells: readonly Cell[] = []
  for (const lane of lanes) {
    if (lane.key !== text) continue
    const found = lane.take(key)
    cells = cells.length === 0 ? found : cells.concat(found)
  }
  return cells
}
