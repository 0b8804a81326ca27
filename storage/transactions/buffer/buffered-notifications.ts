// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { keyString } from '../../cells/row-key.ts'
import { limitExceeded } from '../../errors.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { Hint } from '../records/notify-cell.ts'
import type { BufferBudget, BufferedRow, ByteBudget } from './write-buffer.ts'

/** A row with an observer that a transaction notified. */
export type NotifiedRow = {
  readonly key: Uint8Array
  readonly observerId: number
  /** The timestamp of its notify cell: the transaction's start, or its commit. */
  readonly at: 'start' | 'commit'
}

/**
 * The observers that a transaction notifies, by row, until its commit; each observer once for a row. Strong
 * notifications are part of the row's own write, the others are hints in addition to all writes.
 */
export class BufferedNotifications {
  readonly #budget: BufferBudget
  readonly #own: ByteBudget | undefined
  readonly #strong = new Map<
    string,
    { readonly key: Uint8Array; readonly observers: Set<number> }
  >()
  readonly #hints = new Map<string, Hint>()
  #bytes = 0

  /** As that of `WriteBuffer`. */
  constructor(budget: BufferBudget, own?: ByteBudget) {
    this.#budget = budget
    this.#own = own
  }

  get hints(): readonly Hint[] {
    return [...this.#hints.values()]
  }

  notifyStrongly(key: Uint8Array, observerId: number): void {
    const text = keyString(key)
    const notified = this.#strong.get(text)
    // The number of written rows is limited elsewhere, and so are the observers of a table.
    if (notified === undefined) this.#strong.set(text, { key, observers: new Set([observerId]) })
    else notified.observers.add(observerId)
  }

  /** Throws `limit_exceeded`. A weak hint without `changedBy`; see `Hint`. */
  hint(row: Uint8Array, observerId: number, changedBy?: Timestamp): void {
    const name = `${observerId}/${keyString(row)}`
    if (this.#hints.has(name)) return
    checkCount(this.#hints.size + 1)
    this.#budget.take(row.length, this.#own)
    this.#bytes += row.length
    this.#hints.set(name, { row, observerId, ...(changedBy !== undefined && { changedBy }) })
  }

  /** Throws `limit_exceeded` where `merge` would find too many. */
  checkRoomFor(layer: BufferedNotifications): void {
    checkCount(this.#hints.size + layer.#hints.size)
  }

  /** Takes over all of `layer`, which is empty afterwards. */
  merge(layer: BufferedNotifications): void {
    for (const { key, observers } of layer.#strong.values()) {
      for (const observerId of observers) this.notifyStrongly(key, observerId)
    }
    for (const [name, hint] of layer.#hints) {
      if (this.#hints.has(name)) continue
      this.#hints.set(name, hint)
      // Its bytes were taken already, so this cannot fail.
      this.#bytes += hint.row.length
      layer.#bytes -= hint.row.length
    }
    layer.clear()
  }

  /** The rows, each with the observers that its write notifies. */
  withNotified(rows: readonly BufferedRow[]): readonly BufferedRow[] {
    if (this.#strong.size === 0) return rows
    return rows.map((row) => {
      const notified = this.#strong.get(row.text)
      return notified === undefined ? row : { ...row, notified: [...notified.observers] }
    })
  }

  /** All notified rows, strong and weak. */
  all(): NotifiedRow[] {
    const all: NotifiedRow[] = []
    for (const { key, observers } of this.#strong.values()) {
      for (const observerId of observers) all.push({ key, observerId, at: 'start' })
    }
    for (const { row, observerId, changedBy } of this.#hints.values()) {
      all.push({ key: row, observerId, at: changedBy === undefined ? 'commit' : 'start' })
    }
    return all
  }

  clear(): void {
    this.#budget.giveBack(this.#bytes, this.#own)
    this.#bytes = 0
    this.#strong.clear()
    this.#hints.clear()
  }
}

function checkCount(actual: number): void {
  const limit = STORAGE_LIMITS.transactionRowsMax
  if (actual <= limit) return
  const message = `The transaction would notify weak observers ${actual} times; the limit is ${limit}.`
  throw limitExceeded('transactionRowsMax', actual, message)
}
