// SPDX-License-Identifier: Apache-2.0
import type { Row, Splice } from '../../client-sdk/client.ts'
import type { LiveRow, RowChange } from './ordered-rows.ts'

/** What a splice has done at a place, which is counted from 1. */
export type PlaceChange = {
  readonly op: 'enter' | 'leave' | 'update'
  readonly place: number
  /** Absent where no row was there before. */
  readonly before?: Row
  /** The one that is there now; absent where none came in its place. */
  readonly row?: Row
}

/** Rows in the order of a statement, each with a number of its own for a key. */
export class ListRows {
  #rows: LiveRow[] = []
  #ids = 0

  get length(): number {
    return this.#rows.length
  }

  /** The first of them. */
  first(count: number): readonly LiveRow[] {
    return this.#rows.slice(0, count)
  }

  push(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.push(this.#made(row))
  }

  /**
   * Deletes and inserts as `Array.splice`. A row that comes where another one goes is an update of its place. Returns
   * what has changed, from the first place on; `mark` says how a row is to be marked.
   */
  splice(
    [at, deleted, rows]: Splice<Row>,
    mark: (change: PlaceChange) => RowChange,
  ): readonly PlaceChange[] {
    const gone = this.#rows.slice(at, at + deleted)
    const changes = Array.from({ length: Math.max(deleted, rows.length) }, (_, nth) =>
      changeOf(at + nth + 1, gone[nth]?.row, rows[nth]),
    )
    const came = rows.map((row, nth) => ({
      ...this.#made(row, gone[nth]),
      change: mark(changes[nth] as PlaceChange),
    }))
    this.#rows.splice(at, deleted, ...came)
    return changes
  }

  clear(): void {
    this.#rows = []
  }

  #made(row: Row, before?: LiveRow): LiveRow {
    this.#ids += 1
    return { key: before?.key ?? [this.#ids], row }
  }
}

function changeOf(place: number, before: Row | undefined, row: Row | undefined): PlaceChange {
  if (before === undefined) return { op: 'enter', place, row: row as Row }
  if (row === undefined) return { op: 'leave', place, before }
  return { op: 'update', place, before, row }
}
