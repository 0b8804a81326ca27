// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row } from './cell.ts'
import type { CellView, Chunk, ChunkRequest } from './embedded-cell-store.ts'
import type { CellSelector, RowFilter } from './row-filter.ts'
import { chooseCells, uniteChosen } from './row-filter-evaluation.ts'
import { keyAfter, rowKeyText } from './row-key.ts'
import type { PendingCells } from './sqlite-pending-cells.ts'
import type { RecordedCell } from './sqlite-redo-record.ts'

/** So many pending rows are passed in one turn at least, also where few rows are wanted and most have nothing. */
const PENDING_ROWS_AT_ONCE = 512

/**
 * The tables with the pending cells over them. A cell that is in both is the same in both, so it makes no difference
 * when it is moved.
 */
export class SqliteOverlaidView implements CellView {
  readonly #tables: CellView
  readonly #pending: PendingCells

  constructor(tables: CellView, pending: PendingCells) {
    this.#tables = tables
    this.#pending = pending
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null> {
    const rows = this.#tables.readRows(keys, filter)
    if (this.#pending.isEmpty) return rows
    return rows.map((row, at) => {
      const key = keys[at] as Uint8Array
      const pending = this.#pending.cellsOf(rowKeyText(key))
      if (pending.length === 0) return row
      const asked = withoutBounds(filter, pending.some(isErased))
      const stored = asked === filter ? row : this.#tables.readRows([key], asked)[0]
      const cells = united(pending, stored ?? null, filter)
      return cells.length === 0 ? null : { key, cells }
    })
  }

  readChunk(request: ChunkRequest): Chunk {
    const chunk = this.#tables.readChunk(request)
    if (this.#pending.isEmpty) return chunk
    const { reverse = false, rowsMax } = request
    const covered = coveredBy(chunk, request)
    const pendingMax = Math.max(rowsMax, PENDING_ROWS_AT_ONCE)
    const pending = [...this.#pendingIn(covered, reverse).take(pendingMax + 1)]
    if (pending.length === 0) return chunk
    // One more than are looked at tells where the rest begins.
    const beyond = pending.length > pendingMax ? pending.at(-1) : undefined
    return this.#overlay(request, chunk, new Set(pending), beyond)
  }

  /** Puts the pending rows of what the chunk covers among its rows; it may have to end earlier then. */
  #overlay(
    request: ChunkRequest,
    chunk: Chunk,
    pending: ReadonlySet<string>,
    beyond: string | undefined,
  ): Chunk {
    const { start, end, reverse = false, filter, rowsMax, bytesMax } = request
    const stored = new Map(chunk.rows.map((row) => [rowKeyText(row.key), row]))
    const texts = [...new Set([...stored.keys(), ...pending])].sort()
    if (reverse) texts.reverse()
    const rows: Row[] = []
    let bytes = 0
    for (const text of texts) {
      if (rows.length === rowsMax || bytes >= bytesMax || text === beyond) {
        const key = Buffer.from(text, 'latin1')
        return { rows, rest: reverse ? { start, end: keyAfter(key) } : { start: key, end } }
      }
      const isChanged = pending.has(text) && this.#concerns(filter, text)
      const key = Buffer.from(text, 'latin1')
      const row = isChanged ? this.readRows([key], filter)[0] : stored.get(text)
      if (row == null) continue
      rows.push(row)
      for (const { value } of row.cells) bytes += value.length
    }
    return { rows, rest: chunk.rest }
  }

  /** Whether something of a family that is asked for is pending of the row. */
  #concerns(filter: RowFilter, text: string): boolean {
    const cells = this.#pending.cellsOf(text)
    return cells.some((cell) => filter.some(({ family }) => family === cell.family))
  }

  *#pendingIn({ start, end }: KeyRange, reverse: boolean): Generator<string> {
    const from = rowKeyText(start)
    const to = end === undefined ? undefined : rowKeyText(end)
    const pending = this.#pending
    for (const text of reverse ? pending.keysBefore(to) : pending.keysFrom(from)) {
      if (text < from || (to !== undefined && text >= to)) return
      yield text
    }
  }
}

type KeyRange = { readonly start: Uint8Array; readonly end?: Uint8Array | undefined }

/** The part of the range that the chunk has read. */
function coveredBy({ rest }: Chunk, { start, end, reverse = false }: ChunkRequest): KeyRange {
  if (rest === undefined) return { start, end }
  return reverse ? { start: rest.end ?? start, end } : { start, end: rest.start }
}

/**
 * The filter's cells of a row of which some are pending. The tables are asked without what bounds the choice of the
 * newest; what they give and what is pending then have all that the filter chooses of the row, and perhaps more.
 */
function united(
  pending: readonly RecordedCell[],
  stored: Row | null,
  filter: RowFilter,
): readonly Cell[] {
  const cells = stored === null ? pending : uniteChosen([pending, stored.cells])
  return chooseCells(cells.filter(isThere), filter)
}

function isErased({ value }: RecordedCell): boolean {
  return value === undefined
}

function isThere(cell: RecordedCell): cell is Cell {
  return cell.value !== undefined
}

/**
 * A bound on the values comes after the choice of the newest. And where one of them is erased, the next one takes
 * its place.
 */
function withoutBounds(filter: RowFilter, someAreErased: boolean): RowFilter {
  const isBounded = ({ values, newest }: CellSelector) =>
    values !== undefined || (someAreErased && newest !== undefined)
  if (!filter.some(isBounded)) return filter
  return filter.map(({ values: _, newest, ...selector }) =>
    newest === undefined || someAreErased ? selector : { ...selector, newest },
  )
}
