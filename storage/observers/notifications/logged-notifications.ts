// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { keyString } from '../../cells/row-key.ts'
import type { Clock } from '../../clock.ts'
import type { Randomness } from '../../randomness.ts'
import { NotificationScanner, notifyCellOf, type ScannedRange } from './notification-scanner.ts'
import type { FoundNotification, NotificationSource } from './notification-source.ts'

/**
 * Finds the notify cells of one observer where processes share the store. There a walk may have to read every row of
 * the table, so it is seldom made; in between only rows are looked at that the log has named, or that had a notify cell
 * at the last look. A commit sets its notify cells before the log shows it, so a row that is named and has none has
 * been cleared.
 *
 *     the log names 4 and 7     4 has a cell: found                 7 has none: forgotten
 *     the log names 9           4 and 9 have cells: both found      4 until its cell is cleared
 *
 * Each round begins at a random row and goes around, as one of the walk does.
 */
export class LoggedNotifications implements NotificationSource {
  readonly #deps: Dependencies
  readonly #observerId: number
  readonly #walk: NotificationScanner
  /** Rows that may have a notify cell, by the text of their keys. */
  readonly #named = new Map<string, Uint8Array>()
  /** Whether more rows were named than are remembered here. */
  #hasForgotten = false
  /** What is still to be looked at in this round; undefined between two rounds. */
  #round: Uint8Array[] | undefined
  #isWalking = false
  #walkDueMs = 0
  #walkEveryMs = WALK_EVERY_MS_MIN

  constructor(deps: Dependencies, range: ScannedRange) {
    this.#deps = deps
    this.#observerId = range.observerId
    this.#walk = new NotificationScanner(deps.cellStore, deps.randomness, range)
  }

  /** The log says that this row may have been notified. */
  name(key: Uint8Array): void {
    if (this.#named.size < NAMED_MAX) this.#named.set(keyString(key), key)
    else this.#hasForgotten = true
  }

  /** The next round is a walk: what the log says, or said, is not all. */
  walkSoon(): void {
    this.#walkDueMs = 0
    this.#walkEveryMs = WALK_EVERY_MS_MIN
  }

  async nextPage(signal: AbortSignal): ReturnType<NotificationSource['nextPage']> {
    const isDue = this.#deps.clock.monotonicMs() >= this.#walkDueMs
    // What was forgotten is still there when the rest has been dealt with.
    if (isDue || (this.#hasForgotten && this.#named.size === 0)) this.#beginWalk()
    return this.#isWalking ? await this.#nextOfWalk(signal) : await this.#nextNamed()
  }

  /** The next page is of a new round, from another row. */
  teleport(): void {
    this.#round = undefined
    this.#walk.teleport()
  }

  #beginWalk(): void {
    const { clock, randomness } = this.#deps
    this.#walkDueMs = clock.monotonicMs() + this.#walkEveryMs * (0.5 + randomness.fraction())
    this.#walkEveryMs = Math.min(2 * this.#walkEveryMs, WALK_EVERY_MS_MAX)
    this.#hasForgotten = false
    this.#isWalking = true
    this.#walk.teleport()
  }

  async #nextOfWalk(signal: AbortSignal) {
    const page = await this.#walk.nextPage(signal)
    for (const { key } of page.found) this.name(key)
    if (page.isRoundOver) this.#isWalking = false
    return page
  }

  async #nextNamed() {
    this.#round ??= this.#fromRandomRow()
    const round = this.#round
    const keys = round.splice(0, PAGE_ROWS)
    // Before they are read: the log may name them again meanwhile.
    for (const key of keys) this.#named.delete(keyString(key))
    const found = await this.#standing(keys)
    if (this.#round !== round) return { found, isRoundOver: false }
    const isRoundOver = round.length === 0
    if (isRoundOver) this.#round = undefined
    return { found, isRoundOver }
  }

  async #standing(keys: readonly Uint8Array[]): Promise<FoundNotification[]> {
    if (keys.length === 0) return []
    const found: FoundNotification[] = []
    try {
      const filter = notifyCellOf(this.#observerId)
      for (const row of await this.#deps.cellStore.readRows(keys, filter)) {
        const [cell] = row?.cells ?? []
        if (row !== null && cell !== undefined) {
          found.push({ key: row.key, timestamp: cell.timestamp })
        }
      }
    } catch (error) {
      for (const key of keys) this.name(key)
      throw error
    }
    for (const { key } of found) this.name(key)
    return found
  }

  #fromRandomRow(): Uint8Array[] {
    const keys = [...this.#named.values()]
    const begin = Math.floor(keys.length * this.#deps.randomness.fraction())
    return [...keys.slice(begin), ...keys.slice(0, begin)]
  }
}

type Dependencies = {
  readonly cellStore: CellStore
  readonly clock: Clock
  readonly randomness: Randomness
}

/** A few mebibytes of keys for each observer. */
const NAMED_MAX = 16_384
const PAGE_ROWS = 256
/**
 * A proof that nothing was overlooked. What arrives late comes soon after the start or the death of a gateway, so the
 * walks are close to each other then, and ever further apart.
 */
const WALK_EVERY_MS_MIN = 15_000
const WALK_EVERY_MS_MAX = 3_600_000
