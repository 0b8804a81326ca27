// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../storage/cells/cell.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { chooseCells } from '../../storage/cells/row-filter-evaluation.ts'
import { keyString } from '../../storage/cells/row-key.ts'
import { unitedFilter } from './united-filter.ts'

/** Of one request: more are read by several. */
const KEYS_MAX = 1_000
/** A filter of more selectors is slow where the store evaluates it. */
const SELECTORS_MAX = 64

export type ReadRows = (
  keys: readonly Uint8Array[],
  filter: RowFilter,
) => Promise<Array<Row | null>>

type Waiting = {
  readonly keys: readonly Uint8Array[]
  readonly filter: RowFilter
  readonly answer: PromiseWithResolvers<Array<Row | null>>
}

/**
 * Rows that are read in one turn of the event loop, by one request: transactions that begin together share the request
 * for their timestamps, and so read in the same turn.
 */
export class TurnReads {
  readonly #read: ReadRows
  readonly #fits: (filter: RowFilter) => boolean
  #waiting: Waiting[] = []

  /** `fits` says whether a filter is short enough for the store. */
  constructor(read: ReadRows, fits: (filter: RowFilter) => boolean = () => true) {
    this.#read = read
    this.#fits = fits
  }

  rows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    const answer = Promise.withResolvers<Array<Row | null>>()
    this.#waiting.push({ keys, filter, answer })
    if (this.#waiting.length === 1) setImmediate(() => this.#send())
    return answer.promise
  }

  #send(): void {
    const waiting = this.#waiting
    this.#waiting = []
    let part: Waiting[] = []
    let [keys, united]: [number, RowFilter] = [0, []]
    for (const one of waiting) {
      const more = part.length === 0 ? one.filter : unitedFilter([united, one.filter])
      const isFull = keys + one.keys.length > KEYS_MAX || !this.#isShort(more)
      if (isFull && part.length > 0) {
        void this.#readTogether(part, united)
        part = []
        keys = 0
      }
      united = part.length === 0 ? one.filter : more
      part.push(one)
      keys += one.keys.length
    }
    void this.#readTogether(part, united)
  }

  #isShort(filter: RowFilter): boolean {
    return filter.length <= SELECTORS_MAX && this.#fits(filter)
  }

  /** Never rejects: each of them has its answer. */
  async #readTogether(part: readonly Waiting[], filter: RowFilter): Promise<void> {
    try {
      const [only] = part
      if (part.length === 1 && only !== undefined) {
        only.answer.resolve(await this.#read(only.keys, filter))
        return
      }
      const keys = new Map(part.flatMap(({ keys }) => keys.map((key) => [keyString(key), key])))
      const found = await this.#read([...keys.values()], filter)
      const rows = new Map([...keys.keys()].map((key, at) => [key, found[at] ?? null]))
      for (const one of part) {
        const own = one.keys.map((key) => chosen(rows.get(keyString(key)) ?? null, one.filter))
        one.answer.resolve(own)
      }
    } catch (error) {
      for (const { answer } of part) answer.reject(error)
    }
  }
}

/** What the filter leaves of a row; null where that is no cell. */
export function chosen(row: Row | null, filter: RowFilter): Row | null {
  if (row === null) return null
  const cells = chooseCells(row.cells, filter)
  return cells.length === 0 ? null : { key: row.key, cells }
}
