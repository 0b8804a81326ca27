// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { EMBEDDED_LIMITS } from './call-check.ts'
import { type Cell, FAMILIES, type Family, type Row } from './cell.ts'
import type { RowFilter } from './row-filter.ts'
import { chooseCells } from './row-filter-evaluation.ts'
import { compareRowKeys, keyAfter } from './row-key.ts'
import { SqliteFamilyCursor } from './sqlite-family-cursor.ts'
import type { SqliteRowReader } from './sqlite-row-reader.ts'
import { statementTexts } from './sqlite-schema.ts'

/** Larger than every row key: one byte longer than any, and all of them FF. */
const END_OF_STORE = new Uint8Array(EMBEDDED_LIMITS.rowKeyBytesMax + 1).fill(0xff)

export type ChunkRequest = {
  readonly start: Uint8Array
  readonly end: Uint8Array | undefined
  readonly reverse: boolean
  readonly filter: RowFilter
  /** The chunk ends after so many rows, whether or not the filter leaves a cell of them. */
  readonly rowsMax: number
  /** The chunk ends after the row with which the bytes read reach this. */
  readonly bytesMax: number
}

/** `rest` is the part of the range that is still to be read; absent when it has been read whole. */
export type Chunk = {
  readonly rows: readonly Row[]
  readonly rest: { readonly start: Uint8Array; readonly end: Uint8Array | undefined } | undefined
}

/**
 * Reads a range of rows in chunks. A chunk is read whole in one turn inside one transaction of the
 * caller's, and no statement stays open after it: an open one would hold back the checkpoint and keep
 * later reads on an old snapshot.
 */
export class SqliteRangeReader {
  readonly #rowReader: SqliteRowReader
  readonly #cursors: Readonly<Record<Family, SqliteFamilyCursor>>
  readonly #lastRow: Readonly<Record<Family, Statement<unknown[], Buffer>>>

  constructor(database: Database, rowReader: SqliteRowReader) {
    this.#rowReader = rowReader
    const cursors = FAMILIES.map(
      (family) => [family, new SqliteFamilyCursor(database, family)] as const,
    )
    this.#cursors = Object.fromEntries(cursors) as Record<Family, SqliteFamilyCursor>
    const lastRows = FAMILIES.map((family) => {
      const text = statementTexts(family).lastRowOfRange
      return [family, database.prepare<unknown[], Buffer>(text).pluck()] as const
    })
    this.#lastRow = Object.fromEntries(lastRows) as Record<Family, Statement<unknown[], Buffer>>
  }

  readChunk(request: ChunkRequest): Chunk {
    return request.reverse ? this.#readBackward(request) : this.#readForward(request)
  }

  /** Sweeps the families of the filter side by side and puts the cells of each row together. */
  #readForward({ start, end, filter, rowsMax, bytesMax }: ChunkRequest): Chunk {
    const rows: Row[] = []
    const cursors = familiesOf(filter).map((family) => this.#cursors[family])
    try {
      for (const cursor of cursors) cursor.seek(start, end ?? END_OF_STORE)
      for (let visited = 0, bytes = 0; ; visited++) {
        const key = smallestRow(cursors)
        if (key === undefined) return { rows, rest: undefined }
        if (visited === rowsMax || bytes >= bytesMax) return { rows, rest: { start: key, end } }
        const swept: Cell[] = []
        let complete = true
        for (const cursor of cursors) complete = cursor.takeRow(key, swept) && complete
        // A row too large to sweep is read by seeking to what the filter asks for.
        const cells = complete ? chooseCells(swept, filter) : this.#rowReader.readRow(key, filter)
        for (const cell of complete ? swept : cells) bytes += cell.value.length
        if (cells.length > 0) rows.push({ key, cells })
      }
    } finally {
      for (const cursor of cursors) cursor.close()
    }
  }

  /**
   * Steps from row to row. Sweeping backward would meet the oldest versions of a column first and
   * would have to read all of them to know the newest.
   */
  #readBackward({ start, end, filter, rowsMax, bytesMax }: ChunkRequest): Chunk {
    const rows: Row[] = []
    const families = familiesOf(filter)
    const lastOf = (family: Family, before: Uint8Array) => this.#lastRow[family].get(start, before)
    const last = families.map((family) => lastOf(family, end ?? END_OF_STORE))
    for (let visited = 0, bytes = 0; ; visited++) {
      const key = largest(last)
      if (key === undefined) return { rows, rest: undefined }
      if (visited === rowsMax || bytes >= bytesMax) {
        return { rows, rest: { start, end: keyAfter(key) } }
      }
      const cells = this.#rowReader.readRow(key, filter)
      for (const cell of cells) bytes += cell.value.length
      if (cells.length > 0) rows.push({ key, cells })
      for (const [at, family] of families.entries()) {
        const candidate = last[at]
        if (candidate !== undefined && compareRowKeys(candidate, key) === 0) {
          last[at] = lastOf(family, key)
        }
      }
    }
  }
}

function familiesOf(filter: RowFilter): readonly Family[] {
  return FAMILIES.filter((family) => filter.some((selector) => selector.family === family))
}

function smallestRow(cursors: readonly SqliteFamilyCursor[]): Uint8Array | undefined {
  let smallest: Uint8Array | undefined
  for (const { row } of cursors) {
    if (row === undefined) continue
    if (smallest === undefined || compareRowKeys(row, smallest) < 0) smallest = row
  }
  return smallest
}

function largest(keys: ReadonlyArray<Uint8Array | undefined>): Uint8Array | undefined {
  let found: Uint8Array | undefined
  for (const key of keys) {
    if (key === undefined) continue
    if (found === undefined || compareRowKeys(key, found) > 0) found = key
  }
  return found
}
