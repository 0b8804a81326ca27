// SPDX-License-Identifier: Apache-2.0
import { hashOfText } from '../../../cells/row-hash.ts'

/** Half a megabyte. A power of two. */
const SLOTS = 65_536

/** A row in the latch table. */
export type HashedRow = {
  /** The row key as `keyString` writes it. */
  readonly text: string
  /** The row's hash: `hashOfText` of the text. */
  readonly hash: number
}

/** The entry of a row, chained to another one of the same slot. */
type HashedEntry<Entry> = HashedRow & { next: Entry | undefined }

/** The row with this key in the form of `keyString`. */
export function hashedRow(text: string): HashedRow {
  return { text, hash: hashOfText(text) }
}

/**
 * A hash table with an entry for each of some rows, found by the row's hash. A Map by text would make V8 intern every
 * text that it is asked for, which takes longer than everything else about a latch.
 */
export class LatchedRows<Entry extends HashedEntry<Entry>> {
  readonly #chains = new Array<Entry | undefined>(SLOTS).fill(undefined)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** False if no row with this hash has an entry. */
  mayHave(hash: number): boolean {
    return this.#chains[slotOf(hash)] !== undefined
  }

  get(text: string, hash = hashOfText(text)): Entry | undefined {
    let entry = this.#chains[slotOf(hash)]
    while (entry !== undefined && entry.text !== text) entry = entry.next
    return entry
  }

  /** Adds an entry that is in no chain, for a row that has none. */
  add(entry: Entry): void {
    const slot = slotOf(entry.hash)
    entry.next = this.#chains[slot]
    this.#chains[slot] = entry
    this.#size += 1
  }

  /** Removes an entry that was added. */
  delete(entry: Entry): void {
    const slot = slotOf(entry.hash)
    const first = this.#chains[slot]
    if (first === entry) {
      this.#chains[slot] = entry.next
    } else {
      let before = first
      while (before?.next !== entry) before = before?.next
      before.next = entry.next
    }
    this.#size -= 1
  }
}

function slotOf(hash: number): number {
  return hash & (SLOTS - 1)
}
