// SPDX-License-Identifier: Apache-2.0
import type { Cell } from './cell.ts'
import { type CellAddress, compareCells } from './cell-order.ts'
import type { Increment } from './cell-store.ts'
import { CellStoreError } from './cell-store.ts'
import type { Mutation } from './mutation.ts'
import { positionOf } from './row-filter-evaluation.ts'
import { bufferOf } from './row-key.ts'

/** The timestamp of a counter's cell that no mutation has written before: any will do, it never moves. */
const COUNTER_TIMESTAMP = 0

/** Applies the mutations in their order to the cells of one row, which stay in their order. */
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

/** Puts a cell among those of its row, which stay in their order, or in place of the one that stands there. */
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
 * The cell that a counter becomes, given its newest cell. It replaces that cell in place: an
 * increment is no new version, or a counter would grow without bound.
 */
export function incrementedCell(newest: Cell | undefined, increment: Increment): Cell {
  const { family, qualifier, by } = increment
  const timestamp = newest?.timestamp ?? COUNTER_TIMESTAMP
  const sum = newest === undefined ? by : counterValue(newest.value) + by
  const value = Buffer.alloc(8)
  value.writeBigInt64BE(BigInt.asIntN(64, sum))
  return { family, qualifier, timestamp, value }
}

/** Reads a counter's cell; rejects one that a mutation wrote with another length. */
export function counterValue(value: Uint8Array): bigint {
  if (value.length !== 8) {
    throw new CellStoreError('invalid', `A counter has 8 bytes; this cell has ${value.length}.`)
  }
  return bufferOf(value).readBigInt64BE()
}
