// SPDX-License-Identifier: Apache-2.0

import { nextTurn } from '../../turns/turns.ts'
import {
  checkFilter,
  checkIncrements,
  checkNote,
  checkReadKey,
  checkRowKey,
  checkScan,
  checkStep,
  EMBEDDED_LIMITS,
  refusalOf,
} from '../call-check.ts'
import type { Cell, Row } from '../cell.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RowMutations,
  type RowScan,
} from '../cell-store.ts'
import type {
  CellView,
  Chunk,
  ChunkRequest,
  EmbeddedCellStore,
  StepList,
} from '../embedded-cell-store.ts'
import { applyMutations, counterValue, incrementedCell } from '../mutation-application.ts'
import { cellOfNotes, type Note } from '../note.ts'
import type { RowFilter } from '../row-filter.ts'
import { chooseCells } from '../row-filter-evaluation.ts'
import { keyAfter, keyString } from '../row-key.ts'
import { scanEachRange } from '../row-pages.ts'
import { OrderedRowKeys } from './ordered-row-keys.ts'

/** A scan visits fewer rows than this in one turn of the event loop. */
const TURN_ROWS_MAX = 512

type StoredRow = { readonly key: Uint8Array; readonly cells: Cell[] }

/**
 * The cell store in the memory of this process: for tests, and for a server whose data may be lost. Every method except
 * a scan does its work in the turn of its call, so each call is atomic and calls never overlap; in a scan that is true
 * of each row.
 */
export class MemoryCellStore implements EmbeddedCellStore {
  readonly atomicScope = 'store'
  readonly limits: CellStoreLimits = EMBEDDED_LIMITS
  readonly view: CellView = {
    readRows: (keys, filter) => this.#readRows(keys, filter),
    readChunk: (request) => this.#readChunk(request),
  }
  readonly #rows = new Map<string, StoredRow>()
  readonly #keys = new OrderedRowKeys()
  #closed = false

  async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    this.#assertOpen()
    checkStep({ row, ...step }, this.limits)
    const cells = this.#rows.get(keyString(row))?.cells ?? []
    const matched = chooseCells(cells, step.when).length > 0
    this.#mutate(row, (stored) => applyMutations(stored, matched ? step.ifMatched : step.otherwise))
    return matched
  }

  async applyAtomically(batch: StepList, note?: Note): Promise<boolean[]> {
    this.#assertOpen()
    const steps = [...batch]
    for (const step of steps) checkStep(step, this.limits)
    if (note !== undefined) checkNote(note, this.limits)
    const matched = steps.map(({ row, when }) => this.#readRow(keyString(row), when) !== null)
    for (const [at, { row, ifMatched, otherwise }] of steps.entries()) {
      this.#mutate(row, (stored) => applyMutations(stored, matched[at] ? ifMatched : otherwise))
    }
    if (note !== undefined) {
      const { row, mutations } = cellOfNotes([note])
      this.#mutate(row, (stored) => applyMutations(stored, mutations))
    }
    return matched
  }

  async mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>> {
    this.#assertOpen()
    return entries.map((entry) => {
      const refusal = refusalOf(entry, this.limits)
      if (refusal !== null) return refusal
      const { row, mutations } = entry
      this.#mutate(row, (stored) => applyMutations(stored, mutations))
      return null
    })
  }

  async readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    return this.#readRows(keys, filter)
  }

  async *scanRows(scan: RowScan): AsyncIterable<Row> {
    checkScan(scan)
    const start = keyString(scan.start)
    const end = scan.end === undefined ? undefined : keyString(scan.end)
    let left = scan.limit ?? Infinity
    let key = scan.reverse ? this.#keys.lastBefore(end) : this.#keys.firstFrom(start)
    for (let visited = 1; left > 0; visited++) {
      // Without it a long scan would keep timers and sockets waiting until its end.
      if (visited % TURN_ROWS_MAX === 0) await nextTurn()
      scan.signal?.throwIfAborted()
      this.#assertOpen()
      if (key === undefined || key < start || (end !== undefined && key >= end)) return
      const row = this.#readRow(key, scan.filter)
      if (row !== null) {
        left -= 1
        yield row
      }
      key = scan.reverse ? this.#keys.lastBefore(key) : this.#keys.firstFrom(`${key}\0`)
    }
  }

  scanRanges(ranges: readonly KeyRange[], filter: RowFilter): AsyncIterable<Row> {
    return scanEachRange(this, ranges, filter)
  }

  async readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    this.#assertOpen()
    checkRowKey(row, this.limits)
    checkIncrements(increments)
    const text = keyString(row)
    const newest = ({ family, qualifier }: Increment) =>
      chooseCells(this.#rows.get(text)?.cells ?? [], [{ family, qualifier, newest: 1 }])[0]
    // All of them are read before the first is changed, so a cell that is not a counter leaves the row unchanged.
    for (const increment of increments) incrementedCell(newest(increment), increment)
    return increments.map((increment) => {
      const cell = incrementedCell(newest(increment), increment)
      this.#mutate(row, (stored) => applyMutations(stored, [{ kind: 'setCell', ...cell }]))
      return counterValue(cell.value)
    })
  }

  async splitPoints(): Promise<Uint8Array[]> {
    this.#assertOpen()
    return []
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  #readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null> {
    this.#assertOpen()
    checkFilter(filter)
    for (const key of keys) checkReadKey(key)
    return keys.map((key) => this.#readRow(keyString(key), filter))
  }

  #readChunk({ start, end, reverse = false, filter, rowsMax, bytesMax }: ChunkRequest): Chunk {
    this.#assertOpen()
    checkFilter(filter)
    const from = keyString(start)
    const to = end === undefined ? undefined : keyString(end)
    const rows: Row[] = []
    let key = reverse ? this.#keys.lastBefore(to) : this.#keys.firstFrom(from)
    for (let visited = 0, bytes = 0; ; visited++) {
      if (key === undefined || key < from || (to !== undefined && key >= to)) {
        return { rows, rest: undefined }
      }
      const { key: rowKey } = this.#rows.get(key) as StoredRow
      if (visited === rowsMax || bytes >= bytesMax) {
        return { rows, rest: reverse ? { start, end: keyAfter(rowKey) } : { start: rowKey, end } }
      }
      const row = this.#readRow(key, filter)
      if (row !== null) {
        rows.push(row)
        for (const cell of row.cells) bytes += cell.value.length
      }
      key = reverse ? this.#keys.lastBefore(key) : this.#keys.firstFrom(`${key}\0`)
    }
  }

  #readRow(text: string, filter: RowFilter): Row | null {
    const stored = this.#rows.get(text)
    if (stored === undefined) return null
    const cells = chooseCells(stored.cells, filter)
    return cells.length === 0 ? null : { key: stored.key, cells }
  }

  /** A row exists exactly as long as it has a cell. */
  #mutate(row: Uint8Array, change: (cells: Cell[]) => void): void {
    const text = keyString(row)
    const stored = this.#rows.get(text)
    const cells = stored?.cells ?? []
    change(cells)
    if (stored === undefined && cells.length > 0) {
      this.#rows.set(text, { key: row, cells })
      this.#keys.insert(text)
    } else if (stored !== undefined && cells.length === 0) {
      this.#rows.delete(text)
      this.#keys.remove(text)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new CellStoreError('closed', 'The cell store is closed.')
  }
}
