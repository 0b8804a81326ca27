// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../cell.ts'
import type { CellView, Chunk, ChunkRequest } from '../../embedded-cell-store.ts'
import type { RowFilter } from '../../row-filter.ts'
import { chooseCells, uniteChosen } from '../../row-filter-evaluation.ts'
import { keyAfter, keyString } from '../../row-key.ts'
import type { Memtables } from './memtables.ts'

/** At least this many rows are passed in one turn, also where few rows are wanted and most have nothing. */
const PASSED_ROWS_MIN = 512

/**
 * The tables and the memtables as one view. A cell that is in both is the same in both, so it makes no difference
 * when it is flushed.
 */
export class MergedView implements CellView {
  readonly #tables: CellView
  readonly #memtables: Memtables

  constructor(tables: CellView, memtables: Memtables) {
    this.#tables = tables
    this.#memtables = memtables
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null> {
    const rows = this.#tables.readRows(keys, filter)
    if (this.#memtables.isEmpty) return rows
    return rows.map((stored, at) => {
      const key = keys[at] as Uint8Array
      return this.#merged(key, keyString(key), stored, filter)
    })
  }

  readChunk(request: ChunkRequest): Chunk {
    const chunk = this.#tables.readChunk(request)
    if (this.#memtables.isEmpty) return chunk
    const { start, end, reverse = false, filter, rowsMax, bytesMax } = request
    const written = this.#keysCovered(chunk, request).map(begun)
    // Nearly every chunk lies where nothing has been written lately.
    if (written.every(({ next }) => next.done)) return chunk
    const stored = chunk.rows.map(({ key }) => keyString(key))
    const keys = mergedKeys([begun(stored.values()), ...written], reverse)
    const rows: Row[] = []
    let [bytes, passed, storedAt] = [0, 0, 0]
    for (const text of keys) {
      const isStored = stored[storedAt] === text
      const storedRow = isStored ? (chunk.rows[storedAt++] as Row) : null
      const key = storedRow?.key ?? Buffer.from(text, 'latin1')
      const hasPassed = passed === Math.max(rowsMax, PASSED_ROWS_MIN)
      if (rows.length === rowsMax || bytes >= bytesMax || hasPassed) {
        return { rows, rest: reverse ? { start, end: keyAfter(key) } : { start: key, end } }
      }
      passed += 1
      const row = this.#merged(key, text, storedRow, filter)
      if (row === null) continue
      rows.push(row)
      for (const { value } of row.cells) bytes += value.length
    }
    return { rows, rest: chunk.rest }
  }

  /** The filter's cells of a row, of which the tables have `stored`; null when there are none. */
  #merged(key: Uint8Array, text: string, stored: Row | null, filter: RowFilter): Row | null {
    const rows = this.#memtables.rowsOf(text)
    const newer = rows.flatMap((row) => filter.map((selector) => row.newestOf(selector)))
    if (newer.every(({ length }) => length === 0)) return stored
    // Values come after the choice of the newest, and that is made of both together.
    const hasValues = filter.some(({ values }) => values !== undefined)
    const anyValue = filter.map(({ values: _, ...selector }) => selector)
    const older = hasValues ? this.#tables.readRows([key], anyValue)[0] : stored
    // Of two cells at the same address the newer one comes first.
    const cells = chooseCells(uniteChosen([...newer, older?.cells ?? []]), filter)
    return cells.length === 0 ? null : { key, cells }
  }

  /** The keys of each memtable in the part of the range that the chunk has read. */
  #keysCovered({ rest }: Chunk, { start, end, reverse = false }: ChunkRequest) {
    const from = keyString(reverse && rest !== undefined ? (rest.end ?? start) : start)
    const last = reverse || rest === undefined ? end : rest.start
    const to = last === undefined ? undefined : keyString(last)
    return this.#memtables.both.map((memtable) => memtable.keys(from, to, reverse))
  }
}

/** Keys in the order of a scan, of which the next has been read already. */
type BegunKeys = { readonly source: Iterator<string>; next: IteratorResult<string> }

function begun(source: Iterator<string>): BegunKeys {
  return { source, next: source.next() }
}

/** The keys of all sources in the order of the scan, each once, and read only when asked for. */
function* mergedKeys(heads: readonly BegunKeys[], reverse: boolean): Generator<string> {
  for (;;) {
    let first: string | undefined
    for (const { next } of heads) {
      if (next.done) continue
      if (first === undefined || (reverse ? next.value > first : next.value < first)) {
        first = next.value
      }
    }
    if (first === undefined) return
    yield first
    for (const head of heads) {
      if (!head.next.done && head.next.value === first) head.next = head.source.next()
    }
  }
}
