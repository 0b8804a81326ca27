// SPDX-License-Identifier: Apache-2.0
import type { Row, RowKey } from '../../client-sdk/client.ts'

/** Rows that are kept at most: those that stand first by their key. */
export const KEPT_ROWS_MAX = 10_000

/** A row, and what its last change has done to it. */
export type LiveRow = {
  readonly key: RowKey
  readonly row: Row
  /** Absent where it is as it came with the snapshot. */
  readonly change?: RowChange
}

export type RowChange = {
  readonly op: 'insert' | 'update' | 'enter'
  /** Columns whose values are others than before; all of them of a row that was not there. */
  readonly columns: ReadonlySet<string>
  readonly atMs: number
}

/** Rows in the ascending order of their keys, whatever the order is in which they come. */
export class OrderedRows {
  #rows: LiveRow[] = []
  /** Some are left out, all of them after the last one that is kept. */
  #isCut = false

  get isCut(): boolean {
    return this.#isCut
  }

  /** The first of them. */
  first(count: number): readonly LiveRow[] {
    return this.#rows.slice(0, count)
  }

  get(key: RowKey): LiveRow | undefined {
    const { position, isThere } = this.#find(key)
    return isThere ? this.#rows[position] : undefined
  }

  set(row: LiveRow): void {
    const { position, isThere } = this.#find(row.key)
    if (this.#isCut && position === this.#rows.length) return
    this.#rows.splice(position, isThere ? 1 : 0, row)
    if (this.#rows.length <= KEPT_ROWS_MAX) return
    this.#rows.pop()
    this.#isCut = true
  }

  delete(key: RowKey): void {
    const { position, isThere } = this.#find(key)
    if (isThere) this.#rows.splice(position, 1)
  }

  clear(): void {
    this.#rows = []
    this.#isCut = false
  }

  /** Where the row stands, or would stand. */
  #find(key: RowKey): { readonly position: number; readonly isThere: boolean } {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = compareKeys((this.#rows[middle] as LiveRow).key, key)
      if (order === 0) return { position: middle, isThere: true }
      if (order < 0) low = middle + 1
      else high = middle
    }
    return { position: low, isThere: false }
  }
}

/** An order of this page: texts go by UTF-16, and a descending key is shown ascending. */
function compareKeys(a: RowKey, b: RowKey): number {
  for (const [position, value] of a.entries()) {
    const order = compareValues(value, b[position] as typeof value)
    if (order !== 0) return order
  }
  return 0
}

function compareValues(a: RowKey[number], b: RowKey[number]): number {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return a < b ? -1 : a > b ? 1 : 0
  const end = Math.min(a.length, b.length)
  for (let position = 0; position < end; position += 1) {
    const order = (a[position] as number) - (b[position] as number)
    if (order !== 0) return order
  }
  return a.length - b.length
}
