// SPDX-License-Identifier: Apache-2.0
import type { Cell } from './cell.ts'
import { type CellAddress, compareCells } from './cell-order.ts'
import type { Increment } from './cell-store.ts'
import { CellStoreError } from './cell-store.ts'
import type { Mutation } from './mutation.ts'
import { positionOf } from './row-filter-evaluation.ts'
import { bufferOf } from './row-key.ts'

/** The timestamp of a new counter's cell: any will do, since it never changes. */
const COUNTER_TIMESTAMP = 0

/** Applies the mutations in order to the cells of one row, which stay sorted. */
export function applyMutations(cells: Cell[], mutations: readonly Mutation[]): void {
  for (const mutation of mutations) {
    const { family, qualifier } = mutation
    if (mutation.kind === 'setCell') {
      const { timestamp, value } = mutation
      putCell(cells, { family, qualifier, timestamp, value })
    } else {
      const { from = 0, until = Infinity } = mutation.timestamps
      const start = positionOf(cells, { family, qualifier, timestamp: until - 1 })
      const end = positionOf(cells, { family, qualifier, timestamp: from - 1 })
      if (end > start) cells.splice(start, end - start)
    }
  }
}

/** Inserts a cell among those of its row, which stay sorted, or replaces the one at its address. */
function putCell<T extends CellAddress>(cells: T[], cell: T): void {
  const at = positionOf(cells, cell)
  if (at === cells.length) {
    cells.push(cell)
    return
  }
  if (compareCells(cells[at] as T, cell) === 0) cells[at] = cell
  else cells.splice(at, 0, cell)
}

/**
 * The new cell of a counter, given its newest cell. It has the same timestamp: an increment is not a new version, or
 * the counter's cells would grow without bound.
 */
export function incrementedCell(newest: Cell | undefined, increment: Increment): Cell {
  const { family, qualifier, by } = increment
  const timestamp = newest?.timestamp ?? COUNTER_TIMESTAMP
  const sum = newest === undefined ? by : counterValue(newest.value) + by
  const value = Buffer.alloc(8)
  value.writeBigInt64BE(BigInt.asIntN(64, sum))
  return { family, qualifier, timestamp, value }
}

/** The value of a counter's cell. Throws on one that a mutation wrote with another length. */
export function counterValue(value: Uint8Array): bigint {
  if (value.length !== 8) {
    throw new CellStoreError('invalid', `A counter has 8 bytes; this cell has ${value.length}.`)
  }
  return bufferOf(value).readBigInt64BE()
}
