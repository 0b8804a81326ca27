// SPDX-License-Identifier: Apache-2.0
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import type { SeededRandomness } from '../seeded-randomness.ts'
import { WATCHED_KEYS } from './watched-table.ts'

const SET = 'SET owner = $1, amount = $2, body = $3 ON watched WHERE id = $4'
const DELETE = 'DELETE FROM watched WHERE id = $1'
const ROWS_MAX = 5
const LONG_ROWS = 16
const LONG_CHARACTERS = 100_000
const ATTEMPTS_MAX = 20

function isConflict(error: unknown): boolean {
  return error instanceof PercoliteError && error.retryable && error.code !== 'connection_failed'
}

/** Changes of the watched table at random, and now and then a commit that takes several frames. */
export class WatchedWrites {
  readonly #db: Database
  readonly #random: SeededRandomness
  readonly #longEvery: number
  /** Commits since the last long one. */
  #short = 0
  /** Of the commits that were acknowledged and wrote something. */
  readonly timestamps: number[] = []

  /** Of so many commits one is long; one that meets a conflict is tried again. */
  constructor(db: Database, random: SeededRandomness, longEvery = Number.POSITIVE_INFINITY) {
    this.#db = db
    this.#random = random
    this.#longEvery = longEvery
  }

  /** Its timestamp; undefined when it met a conflict, or only deleted what was not there. */
  async writeOnce(): Promise<number | undefined> {
    const random = this.#random
    this.#short += 1
    const isLong = this.#short >= this.#longEvery
    if (isLong) this.#short = 0
    const count = isLong ? LONG_ROWS : 1 + random.below(ROWS_MAX)
    const keys = new Set(Array.from({ length: count }, () => random.below(WATCHED_KEYS)))
    const statements = [...keys].map((key) => {
      if (random.below(5) === 0) return { sql: DELETE, params: [key] }
      const owner = random.below(2) === 0 ? 'ann' : 'bob'
      const body = isLong ? `${random.fraction()}`.padEnd(LONG_CHARACTERS, 'x') : null
      return { sql: SET, params: [owner, random.below(1_000), body, key] }
    })
    try {
      const { commitTimestamp } = await this.#db.execute(statements)
      if (typeof commitTimestamp !== 'number') return undefined
      this.timestamps.push(commitTimestamp)
      return commitTimestamp
    } catch (error) {
      if (!isConflict(error)) throw error
      if (isLong) this.#short = this.#longEvery
      return undefined
    }
  }

  /** One writer, until it is told to stop. */
  async writeUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.writeOnce()
  }

  /**
   * Two commits of every row, so that the second concerns every query that there is: whoever has it has
   * everything. Answers its timestamp.
   */
  async writeEnd(): Promise<number> {
    const writeAll = async (owner: string, amount: number) => {
      const keys = Array.from({ length: WATCHED_KEYS }, (_, key) => key)
      const statements = keys.map((key) => ({ sql: SET, params: [owner, amount, null, key] }))
      // Locks of a gateway that was killed stand for seconds, longer than a server tries again by itself.
      for (let attempt = 1; ; attempt++) {
        try {
          return (await this.#db.execute(statements)).commitTimestamp as number
        } catch (error) {
          if (!isConflict(error) || attempt === ATTEMPTS_MAX) throw error
        }
      }
    }
    await writeAll('ann', 0)
    return await writeAll('bob', 1)
  }
}
