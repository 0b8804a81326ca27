// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { compareRowKeys, keyAfter } from '../../cells/row-key.ts'
import type { Randomness } from '../../randomness.ts'
import { notifyQualifier } from '../../transactions/records/notify-cell.ts'
import type { FoundNotification, NotificationSource } from './notification-source.ts'

export type ScannedRange = {
  readonly observerId: number
  /** Of the table's rows. */
  readonly start: Uint8Array
  readonly end: Uint8Array
}

/**
 * Finds the notify cells of one observer (Percolator 2.4) by a walk over its table. Where their family is a locality
 * group of its own, this costs what is dirty, not what is there. Each round begins at a random key and comes back to
 * it; scanners of several gateways that have met in one key range, where they only block each other, `teleport`
 * elsewhere.
 */
export class NotificationScanner implements NotificationSource {
  readonly #cellStore: CellStore
  readonly #randomness: Randomness
  readonly #range: ScannedRange
  readonly #filter: RowFilter
  /** Undefined between two rounds. */
  #round: { readonly begin: Uint8Array; next: Uint8Array; hasWrapped: boolean } | undefined

  constructor(cellStore: CellStore, randomness: Randomness, range: ScannedRange) {
    this.#cellStore = cellStore
    this.#randomness = randomness
    this.#range = range
    this.#filter = notifyCellOf(range.observerId)
  }

  async nextPage(signal: AbortSignal): ReturnType<NotificationSource['nextPage']> {
    const { start: first, end: last } = this.#range
    this.#round ??= await this.#beginRound(signal)
    const round = this.#round
    if (round === undefined) return { found: [], isRoundOver: true }
    const end = round.hasWrapped ? round.begin : last
    const found = await this.#scan({ start: round.next, end, limit: PAGE_ROWS }, signal)
    // A teleport meanwhile has ended the round.
    if (this.#round !== round) return { found, isRoundOver: false }
    const lastFound = found.at(-1)
    if (lastFound !== undefined && found.length === PAGE_ROWS) {
      round.next = keyAfter(lastFound.key)
      return { found, isRoundOver: false }
    }
    const isRoundOver = round.hasWrapped || compareRowKeys(round.begin, first) === 0
    if (isRoundOver) this.#round = undefined
    else {
      round.hasWrapped = true
      round.next = first
    }
    return { found, isRoundOver }
  }

  /** The next page is of a new round, from another key. */
  teleport(): void {
    this.#round = undefined
  }

  async #beginRound(signal: AbortSignal) {
    const { start, end } = this.#range
    const [first] = await this.#scan({ start, end, limit: 1 }, signal)
    if (first === undefined) return undefined
    const [last = first] = await this.#scan({ start, end, limit: 1, reverse: true }, signal)
    const begin = keyBetween(first.key, last.key, this.#randomness.fraction())
    return { begin, next: begin, hasWrapped: false }
  }

  async #scan(
    range: {
      readonly start: Uint8Array
      readonly end: Uint8Array
      readonly limit: number
      readonly reverse?: boolean
    },
    signal: AbortSignal,
  ): Promise<FoundNotification[]> {
    const found: FoundNotification[] = []
    for await (const { key, cells } of this.#cellStore.scanRows({
      ...range,
      filter: this.#filter,
      signal,
    })) {
      const [cell] = cells
      if (cell !== undefined) found.push({ key, timestamp: cell.timestamp })
    }
    return found
  }
}

/** The newest notify cell of an observer. */
export function notifyCellOf(observerId: number): RowFilter {
  return [{ family: 'notify', qualifier: notifyQualifier(observerId), newest: 1 }]
}

/** A key so far between two others, which sort alike or ascend: 0 is the first, 1 nearly the last. */
export function keyBetween(first: Uint8Array, last: Uint8Array, fraction: number): Uint8Array {
  let shared = 0
  while (shared < first.length && first[shared] === last[shared]) shared += 1
  if (shared === first.length) return first
  const from = numberAt(first, shared)
  const to = numberAt(last, shared)
  const between = Buffer.alloc(shared + DIGITS)
  between.set(first.subarray(0, shared))
  between.writeUIntBE(Math.floor(from + (to - from) * fraction), shared, DIGITS)
  return compareRowKeys(between, first) < 0 ? first : between
}

const DIGITS = 6

function numberAt(key: Uint8Array, at: number): number {
  let number = 0
  for (let position = at; position < at + DIGITS; position += 1)
    number = number * 256 + (key[position] ?? 0)
  return number
}

const PAGE_ROWS = 256
