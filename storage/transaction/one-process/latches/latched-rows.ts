// SPDX-License-Identifier: Apache-2.0
import { PLACES, slotOf } from './recent-writes.ts'

/** A row in the latch table. */
export type SlottedRow = {
  /** The row key as `keyString` writes it. */
  readonly text: string
  /** The row's slot: `slotOf` of the text. */
  readonly slot: number
}

/** The entry of a row, chained to another one of the same slot. */
type SlottedEntry<Entry> = SlottedRow & { next: Entry | undefined }

/** The row with this key in the form of `keyString`. */
export function slottedRow(text: string): SlottedRow {
  return { text, slot: slotOf(text) }
}

/**
 * A hash table with an entry for each of some rows, found by the row's slot. A Map by text would make V8 intern every
 * text that it is asked for, which takes longer than everything else about a latch.
 */
export class LatchedRows<Entry extends SlottedEntry<Entry>> {
  readonly #chains = new Array<Entry | undefined>(PLACES).fill(undefined)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** False if no row of this slot has an entry. */
  mayHave(slot: number): boolean {
    return this.#chains[slot] !== undefined
  }

  get(text: string, slot = slotOf(text)): Entry | undefined {
    let entry = this.#chains[slot]
    while (entry !== undefined && entry.text !== text) entry = entry.next
    return entry
  }

  /** Adds an entry that is in no chain, for a row that has none. */
  add(entry: Entry): void {
    entry.next = this.#chains[entry.slot]
    this.#chains[entry.slot] = entry
    this.#size += 1
  }

  /** Removes an entry that was added. */
  delete(entry: Entry): void {
    const first = this.#chains[entry.slot]
    if (first === entry) {
      this.#chains[entry.slot] = entry.next
    } else {
      let before = first
      while (before?.next !== entry) before = before?.next
      before.next = entry.next
    }
    this.#size -= 1
  }
}
