// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../storage/storage.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { type RowCount, RowSketch } from './row-sketch.ts'

const HALF_MS = 30 * 60 * 1000

/**
 * The rows with the most conflicts of the last half hour to hour: of two sketches the older one is dropped when the
 * newer one is half an hour old. A row with more than 1 / `hotRowsMax` of all conflicts of that time has more than
 * that share in one of the two, so it is in one of them.
 */
export class HotRows {
  readonly #clock: Clock
  #older: RowSketch | undefined
  readonly #countersMax: number
  #newer: RowSketch
  #newerFromMs: number
  #olderFromMs: number

  constructor(clock: Clock, countersMax: number = SERVER_LIMITS.hotRowsMax) {
    this.#clock = clock
    this.#countersMax = countersMax
    this.#newer = this.#newSketch()
    this.#newerFromMs = clock.monotonicMs()
    this.#olderFromMs = this.#newerFromMs
  }

  add(row: Uint8Array, at: number): void {
    this.#dropOld()
    this.#newer.add(row, at)
  }

  retried(row: Uint8Array): void {
    this.#newer.retried(row)
  }

  /** For how many milliseconds they are counted. */
  get ageMs(): number {
    this.#dropOld()
    return this.#clock.monotonicMs() - this.#olderFromMs
  }

  /** Those with the most conflicts first, and of as many the last ones. */
  list(): RowCount[] {
    this.#dropOld()
    const [older = this.#newSketch(), newer] = [this.#older, this.#newer]
    const missed = { older: older.missedMax, newer: newer.missedMax }
    const rows: RowCount[] = []
    for (const [text, count] of newer.entries()) {
      rows.push(sumOf(count, older.get(text), missed.older))
    }
    for (const [text, count] of older.entries()) {
      if (newer.get(text) === undefined) rows.push(sumOf(count, undefined, missed.newer))
    }
    return rows.sort((one, other) => {
      return other.conflicts - one.conflicts || other.lastAt - one.lastAt
    })
  }

  #dropOld(): void {
    const now = this.#clock.monotonicMs()
    const ageMs = now - this.#newerFromMs
    if (ageMs < HALF_MS) return
    // One that nobody added to for an hour is of another time.
    const isStale = ageMs >= 2 * HALF_MS
    this.#older = isStale ? undefined : this.#newer
    this.#olderFromMs = isStale ? now : this.#newerFromMs
    this.#newer = this.#newSketch()
    this.#newerFromMs = now
  }

  #newSketch(): RowSketch {
    return new RowSketch(this.#countersMax)
  }
}

/** Where the other sketch has no counter of the row, it may have missed so many. */
function sumOf(count: RowCount, other: RowCount | undefined, missed: number): RowCount {
  return {
    row: count.row,
    conflicts: count.conflicts + (other?.conflicts ?? missed),
    overcount: count.overcount + (other?.overcount ?? missed),
    retried: count.retried + (other?.retried ?? 0),
    lastAt: Math.max(count.lastAt, other?.lastAt ?? 0),
  }
}
