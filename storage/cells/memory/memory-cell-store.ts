// SPDX-License-Identifier: Apache-2.0
import { EMBEDDED_LIMITS } from '../call-check.ts'
import type { Cell, Row } from '../cell.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type Increment,
  type RowMutations,
} from '../cell-store.ts'
import { CheckedEmbeddedStore, CheckedView } from '../checked-cell-store.ts'
import type { Chunk, ChunkRequest, StepList } from '../embedded-cell-store.ts'
import { applyMutations, counterValue, incrementedCell } from '../mutation-application.ts'
import { cellOfNotes, type Note } from '../note.ts'
import type { RowFilter } from '../row-filter.ts'
import { chooseCells } from '../row-filter-evaluation.ts'
import { keyAfter, keyString } from '../row-key.ts'
import { OrderedRowKeys } from './ordered-row-keys.ts'

type StoredRow = { readonly key: Uint8Array; readonly cells: Cell[] }

/**
 * The cell store in the memory of this process: for tests, and for a server whose data may be lost. Every method except
 * a scan does its work in the turn of its call, so each call is atomic and calls never overlap; in a scan that is true
 * of each row.
 */
export class MemoryCellStore extends CheckedEmbeddedStore {
  readonly limits: CellStoreLimits = EMBEDDED_LIMITS
  readonly view = new CheckedView({
    readRows: (keys, filter) => this.#readRows(keys, filter),
    readChunk: (request) => this.#readChunk(request),
  })
  readonly #rows = new Map<string, StoredRow>()
  readonly #keys = new OrderedRowKeys()
  #closed = false

  protected async apply(batch: StepList, note?: Note): Promise<boolean[]> {
    this.assertOpen()
    const steps = [...batch]
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

  protected async changeRows(entries: readonly RowMutations[]): Promise<null[]> {
    this.assertOpen()
    return entries.map(({ row, mutations }) => {
      this.#mutate(row, (stored) => applyMutations(stored, mutations))
      return null
    })
  }

  protected async increment(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    this.assertOpen()
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

  async close(): Promise<void> {
    this.#closed = true
  }

  #readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null> {
    this.assertOpen()
    return keys.map((key) => this.#readRow(keyString(key), filter))
  }

  #readChunk({ start, end, reverse = false, filter, rowsMax, bytesMax }: ChunkRequest): Chunk {
    this.assertOpen()
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

  protected assertOpen(): void {
    if (this.#closed) throw new CellStoreError('closed', 'The cell store is closed.')
  }
}
