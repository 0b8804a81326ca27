// SPDX-License-Identifier: Apache-2.0
import type { SqlRow } from '../../../storage/tables/tables.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'

/**
 * How many rows the next multi-get asks for. The first asks for `multiGetKeysFirst`; when the rows
 * turn out small, the next ones ask for `multiGetKeysMax`, and for fewer when they are large, so that
 * what is held at once stays bounded.
 */
export class BatchSize {
  readonly #max: number
  #largest = PLANNER_LIMITS.multiGetBytesMax / PLANNER_LIMITS.multiGetKeysFirst
  #isFirst = true

  /** No batch is larger than `rowsWanted`. */
  constructor(rowsWanted = Number.POSITIVE_INFINITY) {
    this.#max = Math.max(1, Math.min(PLANNER_LIMITS.multiGetKeysMax, rowsWanted))
  }

  get rows(): number {
    const fitting = Math.floor(PLANNER_LIMITS.multiGetBytesMax / this.#largest)
    return Math.max(1, Math.min(this.#max, fitting))
  }

  /** To be called with each batch that came. */
  learn(batch: ReadonlyArray<{ readonly key: Uint8Array; readonly row: SqlRow } | null>): void {
    if (batch.length === 0) return
    if (this.#isFirst) this.#largest = 1
    this.#isFirst = false
    for (const row of batch) {
      if (row !== null) this.#largest = Math.max(this.#largest, sizeOf(row))
    }
  }
}

/** About how many bytes it holds; a character counts as one. */
export function sizeOf({ key, row }: { readonly key: Uint8Array; readonly row: SqlRow }): number {
  let bytes = key.length
  for (const value of row) {
    const isLong = typeof value === 'string' || value instanceof Uint8Array
    bytes += isLong ? value.length : 8
  }
  return bytes
}
