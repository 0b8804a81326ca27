// SPDX-License-Identifier: Apache-2.0
import type { Clock, Conflict, Timestamp } from '../../../storage/storage.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { HotRows } from './hot-rows.ts'
import type { RowCount } from './row-sketch.ts'

export type LoggedConflict = Conflict & {
  /** Microseconds since 1970. */
  readonly at: number
  /** Which run of the transaction it was; 1 is the first. */
  readonly attempt: number
  /** Whether the server ran the transaction again. */
  readonly retried: boolean
}

type Entry = { -readonly [name in keyof LoggedConflict]: LoggedConflict[name] }

/**
 * The last conflicts, and the rows that most of them are on. It costs something only when there is a conflict, and
 * then as much as one that has seen none, up to a look through the counters.
 */
export class ConflictLog {
  readonly #clock: Clock
  readonly #hot: HotRows
  readonly sinceMicros: number
  readonly #ring: Entry[] = []
  /** The losers of the ring by the same index, to be searched quickly. */
  readonly #losers = new Float64Array(SERVER_LIMITS.conflictsMax)
  #total = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#hot = new HotRows(clock)
    this.sinceMicros = clock.wallMicros()
  }

  /** How many there were since `sinceMicros`. */
  get total(): number {
    return this.#total
  }

  add(conflict: Conflict): void {
    const at = this.#clock.wallMicros()
    const index = this.#total % SERVER_LIMITS.conflictsMax
    const { row } = conflict
    // Its bytes may be a part of something large.
    const kept = row === undefined ? conflict : { ...conflict, row: row.slice() }
    this.#ring[index] = { ...kept, at, attempt: 1, retried: false }
    this.#losers[index] = conflict.loser
    this.#total += 1
    if (row !== undefined) this.#hot.add(row, at)
  }

  /** The transaction that failed was this run of its request. Nothing where it failed by no conflict. */
  failedAttempt(loser: Timestamp, attempt: number): void {
    const entry = this.#of(loser)
    if (entry !== undefined) entry.attempt = attempt
  }

  /** The request of the transaction that failed is run again. */
  ranAgain(loser: Timestamp): void {
    const entry = this.#of(loser)
    if (entry === undefined || entry.retried) return
    entry.retried = true
    if (entry.row !== undefined) this.#hot.retried(entry.row)
  }

  /** The newest first. */
  *recent(): Generator<LoggedConflict, void, undefined> {
    const { conflictsMax } = SERVER_LIMITS
    for (let age = 1; age <= this.#ring.length; age += 1) {
      yield this.#ring[(this.#total - age) % conflictsMax] as LoggedConflict
    }
  }

  /** The rows with the most conflicts first, and since when they are counted. */
  hot(): { readonly sinceMicros: number; readonly rows: readonly RowCount[] } {
    const sinceMicros = this.#clock.wallMicros() - Math.round(this.#hot.ageMs * 1000)
    return { sinceMicros, rows: this.#hot.list() }
  }

  #of(loser: Timestamp): Entry | undefined {
    return this.#ring[this.#losers.lastIndexOf(loser)]
  }
}
