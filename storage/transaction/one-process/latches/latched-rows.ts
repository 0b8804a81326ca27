// SPDX-License-Identifier: Apache-2.0
import { PLACES, placeOf } from './recent-writes.ts'

/** A row as the table of latches knows it. */
export type PlacedRow = {
  /** The row key as `rowKeyText` writes it. */
  readonly text: string
  /** What `placeOf` says of the text. */
  readonly place: number
}

/** What stands for a row, chained to another one of the same place. */
type PlacedEntry<Entry> = PlacedRow & { next: Entry | undefined }

/** The row with this key, as `rowKeyText` writes it. */
export function placedRow(text: string): PlacedRow {
  return { text, place: placeOf(text) }
}

/**
 * An entry for each of some rows, found by the row's place. A Map by text would make V8 intern every text
 * that it is asked for, which takes longer than all else that a latch costs.
 */
export class LatchedRows<Entry extends PlacedEntry<Entry>> {
  readonly #chains = new Array<Entry | undefined>(PLACES).fill(undefined)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** False where no row of this place has an entry. */
  mayHave(place: number): boolean {
    return this.#chains[place] !== undefined
  }

  get(text: string, place = placeOf(text)): Entry | undefined {
    let entry = this.#chains[place]
    while (entry !== undefined && entry.text !== text) entry = entry.next
    return entry
  }

  /** For a row that has none, and in no chain so far. */
  add(entry: Entry): void {
    entry.next = this.#chains[entry.place]
    this.#chains[entry.place] = entry
    this.#size += 1
  }

  /** One that was added. */
  delete(entry: Entry): void {
    const first = this.#chains[entry.place]
    if (first === entry) {
      this.#chains[entry.place] = entry.next
    } else {
      let before = first
      while (before?.next !== entry) before = before?.next
      before.next = entry.next
    }
    this.#size -= 1
  }
}
