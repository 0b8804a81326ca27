// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row } from '../../cell.ts'
import type { CellView, Chunk, ChunkRequest } from '../../embedded-cell-store.ts'
import type { CellSelector, RowFilter } from '../../row-filter.ts'
import { chooseCells, uniteChosen } from '../../row-filter-evaluation.ts'
import { keyAfter, rowKeyText } from '../../row-key.ts'
import type { PackedRow } from './packed-row.ts'
import type { PendingCells } from './pending-cells.ts'
import { familySet } from './redo-record.ts'

/** So many pending rows are passed in one turn at least, also where few rows are wanted and most have nothing. */
const PENDING_ROWS_AT_ONCE = 512

const NO_CELLS: readonly Cell[] = Object.freeze([])

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
    return rows.map((stored, at) => {
      const key = keys[at] as Uint8Array
      return this.#overlaid(key, rowKeyText(key), stored, filter)
    })
  }

  readChunk(request: ChunkRequest): Chunk {
    const chunk = this.#tables.readChunk(request)
    if (this.#pending.isEmpty) return chunk
    const { start, end, reverse = false, filter, rowsMax, bytesMax } = request
    const pending = this.#pendingIn(coveredBy(chunk, request), reverse)
    const pendingMax = Math.max(rowsMax, PENDING_ROWS_AT_ONCE)
    const rows: Row[] = []
    let [bytes, passed] = [0, 0]
    for (const { text, stored, isPending } of inOrder(chunk.rows, pending, reverse)) {
      const isPast = isPending && passed === pendingMax
      if (rows.length === rowsMax || bytes >= bytesMax || isPast) {
        const key = Buffer.from(text, 'latin1')
        return { rows, rest: reverse ? { start, end: keyAfter(key) } : { start: key, end } }
      }
      if (isPending) passed += 1
      const key = stored?.key ?? Buffer.from(text, 'latin1')
      const row = isPending ? this.#overlaid(key, text, stored, filter) : stored
      if (row === null) continue
      rows.push(row)
      for (const { value } of row.cells) bytes += value.length
    }
    return { rows, rest: chunk.rest }
  }

  /** The filter's cells of a row of which the tables have `stored` for it. */
  #overlaid(key: Uint8Array, text: string, stored: Row | null, filter: RowFilter): Row | null {
    const pending = this.#pending.rowsOf(text, familySet(filter))
    if (pending.length === 0) return stored
    const { chosen, asked, erased } = chosenOfPending(pending, filter)
    if (chosen.length === 0 && erased === 0) return stored
    const below = asked === filter ? stored : this.#tables.readRows([key], asked)[0]
    const left = below == null ? NO_CELLS : leftOf(below.cells, erased, pending)
    // Of two cells at the same place the newer one comes first.
    const cells = chooseCells(uniteChosen([...chosen, left]), filter)
    return cells.length === 0 ? null : { key, cells }
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

/** A row that is stored or pending, or both. */
type MetRow = {
  readonly text: string
  readonly stored: Row | null
  readonly isPending: boolean
}

/** Stored rows and the keys of pending ones, each in the order of the scan, as one; no key before it is asked for. */
function* inOrder(
  stored: readonly Row[],
  pending: Generator<string>,
  reverse: boolean,
): Generator<MetRow> {
  let next = pending.next()
  for (const row of stored) {
    const text = rowKeyText(row.key)
    for (; !next.done && comesBefore(next.value, text, reverse); next = pending.next()) {
      yield { text: next.value, stored: null, isPending: true }
    }
    const isPending = !next.done && next.value === text
    yield { text, stored: row, isPending }
    if (isPending) next = pending.next()
  }
  for (; !next.done; next = pending.next()) {
    yield { text: next.value, stored: null, isPending: true }
  }
}

function comesBefore(one: string, other: string, reverse: boolean): boolean {
  return reverse ? one > other : one < other
}

/** The part of the range that the chunk has read. */
function coveredBy({ rest }: Chunk, { start, end, reverse = false }: ChunkRequest): KeyRange {
  if (rest === undefined) return { start, end }
  return reverse ? { start: rest.end ?? start, end } : { start, end: rest.start }
}

type Chosen = {
  /** Of newer generations first. */
  readonly chosen: ReadonlyArray<readonly Cell[]>
  /** What the tables have to be asked for beside it; the filter itself where that is enough. */
  readonly asked: RowFilter
  /** How many erased cells the choice depends on. */
  readonly erased: number
}

/**
 * What is pending of a row, as far as the filter's choice depends on it. That and what the tables are asked for have
 * all that the filter chooses, and perhaps more.
 *
 * Where a selector asks for the newest so many of a column, nothing counts that is older than so many pending ones.
 * What is erased between them may stand in an older generation or in the tables, where others take its place: so
 * they are asked for as many more.
 */
function chosenOfPending(rows: readonly PackedRow[], filter: RowFilter): Chosen {
  const newest = filter.map((selector) => selector.newest ?? Infinity)
  const chosen: Array<readonly Cell[]> = []
  let erased = 0
  for (let generation = 0; generation < rows.length; generation += 1) {
    const row = rows[generation] as PackedRow
    const erasedByNewer = erased
    for (let at = 0; at < filter.length; at += 1) {
      const found = row.newestOf(filter[at] as CellSelector, newest[at] as number)
      if (found.set.length > 0) {
        chosen.push(leftOf(found.set, erasedByNewer, rows.slice(0, generation)))
      }
      newest[at] = (newest[at] as number) + found.erased
      erased += found.erased
    }
  }
  return { chosen, asked: askedFor(filter, newest), erased }
}

/** Those of older cells that newer rows do not erase, of which so many are erased. */
function leftOf(
  cells: readonly Cell[],
  erased: number,
  newer: readonly PackedRow[],
): readonly Cell[] {
  if (erased === 0) return cells
  return cells.filter((cell) => !newer.some((row) => row.erases(cell)))
}

/** The filter with these bounds, and none on the values, because that one comes after the choice of the newest. */
function askedFor(filter: RowFilter, newest: readonly number[]): RowFilter {
  const isAsIs = filter.every(
    (selector, at) => selector.values === undefined && (selector.newest ?? Infinity) === newest[at],
  )
  if (isAsIs) return filter
  return filter.map(({ values: _, newest: bound, ...selector }, at) =>
    bound === undefined ? selector : { ...selector, newest: newest[at] as number },
  )
}
