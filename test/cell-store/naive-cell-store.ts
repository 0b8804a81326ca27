// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Row } from '../../storage/cells/cell.ts'
import type {
  CheckAndMutate,
  Increment,
  KeyRange,
  RowMutations,
  RowScan,
  RowStep,
} from '../../storage/cells/cell-store.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import type { CellSelector, RowFilter } from '../../storage/cells/row-filter.ts'

type StoredCell = Cell & { readonly row: Buffer }

/**
 * The contract of the cell store written down as plainly as possible: one unordered list of cells,
 * filtered and sorted anew for each question. Tests hold the engines against it.
 */
export class NaiveCellStore {
  #cells: StoredCell[] = []

  checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): boolean {
    const matched = this.#filterRow(row, step.when).length > 0
    for (const mutation of matched ? step.ifMatched : step.otherwise) this.#mutate(row, mutation)
    return matched
  }

  checkAndMutateRows(steps: readonly RowStep[]): boolean[] {
    return steps.map((step) => this.checkAndMutateRow(step.row, step))
  }

  mutateRows(entries: readonly RowMutations[]): null[] {
    for (const { row, mutations } of entries) {
      for (const mutation of mutations) this.#mutate(row, mutation)
    }
    return entries.map(() => null)
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter): Array<Row | null> {
    return keys.map((key) => {
      const cells = this.#filterRow(key, filter)
      return cells.length === 0 ? null : { key, cells }
    })
  }

  scanRows({ start, end, reverse, filter, limit }: RowScan): Row[] {
    const keys = new Map(this.#cells.map(({ row }) => [row.toString('hex'), row]))
    const inRange = [...keys.values()]
      .filter((key) => Buffer.compare(key, start) >= 0)
      .filter((key) => end === undefined || Buffer.compare(key, end) < 0)
      .sort(Buffer.compare)
    if (reverse) inRange.reverse()
    return this.readRows(inRange, filter)
      .filter((row) => row !== null)
      .slice(0, limit)
  }

  scanRanges(ranges: readonly KeyRange[], filter: RowFilter): Row[] {
    return ranges.flatMap((range) => this.scanRows({ ...range, filter }))
  }

  /** Answers 'invalid' where one of the columns holds something that is no counter. */
  readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): bigint[] | 'invalid' {
    const newest = ({ family, qualifier }: Increment) =>
      this.#filterRow(row, [{ family, qualifier, newest: 1 }])[0]
    const isCounter = (cell: Cell | undefined) => cell === undefined || cell.value.length === 8
    if (!increments.every((increment) => isCounter(newest(increment)))) return 'invalid'
    return increments.map((increment) => {
      const { family, qualifier, by } = increment
      const cell = newest(increment)
      const before = cell === undefined ? 0n : Buffer.from(cell.value).readBigInt64BE()
      const sum = BigInt.asIntN(64, before + by)
      const value = Buffer.alloc(8)
      value.writeBigInt64BE(sum)
      const timestamp = cell?.timestamp ?? 0
      this.#mutate(row, { kind: 'setCell', family, qualifier, timestamp, value })
      return sum
    })
  }

  #mutate(row: Uint8Array, mutation: Mutation): void {
    const { family, qualifier } = mutation
    const { from, until } =
      mutation.kind === 'setCell'
        ? { from: mutation.timestamp, until: mutation.timestamp + 1 }
        : { from: mutation.timestamps.from ?? 0, until: mutation.timestamps.until ?? Infinity }
    this.#cells = this.#cells.filter(
      (cell) =>
        !cell.row.equals(row) ||
        cell.family !== family ||
        cell.qualifier !== qualifier ||
        cell.timestamp < from ||
        cell.timestamp >= until,
    )
    if (mutation.kind === 'setCell') {
      const { timestamp, value } = mutation
      this.#cells.push({ row: Buffer.from(row), family, qualifier, timestamp, value })
    }
  }

  #filterRow(row: Uint8Array, filter: RowFilter): Cell[] {
    const cells = this.#cells.filter((cell) => cell.row.equals(row)).sort(inContractOrder)
    const chosen = new Set(filter.flatMap((selector) => select(cells, selector)))
    return cells.filter((cell) => chosen.has(cell))
  }
}

/** The four conditions of a selector, one after the other. */
function select(cells: readonly StoredCell[], selector: CellSelector): StoredCell[] {
  const { family, qualifier, timestamps = {}, newest = Infinity, values } = selector
  const { from = 0, until = Infinity } = timestamps
  const ofEachColumn = new Map<string, number>()
  return cells
    .filter((cell) => cell.family === family)
    .filter((cell) => qualifier === undefined || cell.qualifier === qualifier)
    .filter((cell) => cell.timestamp >= from && cell.timestamp < until)
    .filter((cell) => {
      const count = (ofEachColumn.get(cell.qualifier) ?? 0) + 1
      ofEachColumn.set(cell.qualifier, count)
      return count <= newest
    })
    .filter((cell) => values === undefined || Buffer.compare(cell.value, values.start) >= 0)
    .filter((cell) => values?.end === undefined || Buffer.compare(cell.value, values.end) < 0)
}

function inContractOrder(a: Cell, b: Cell): number {
  return (
    FAMILIES.indexOf(a.family) - FAMILIES.indexOf(b.family) ||
    Buffer.compare(Buffer.from(a.qualifier), Buffer.from(b.qualifier)) ||
    b.timestamp - a.timestamp
  )
}
