// SPDX-License-Identifier: Apache-2.0
import type { Cell } from './cell.ts'
import { setCell } from './mutation-application.ts'
import { OrderedRowKeys } from './ordered-row-keys.ts'
import { decodeCells, walkRows } from './sqlite-redo-record.ts'

/** Where in the memory of a memtable a row begins; all places, where several records have the row. */
type Places = number | number[]

/**
 * Cells in memory by their rows (Bigtable's memtable; Chang et al., OSDI 2006, section 5.3), as the redo records that
 * brought them: thousands of objects that live for half a second each would cost the garbage collector more than
 * everything else here. Keys are texts as `rowKeyText` makes them.
 */
export class SqlitePackedMemtable {
  readonly #memory: Buffer
  #used = 0
  /** How much of it is in `#rows`. */
  #indexed = 0
  readonly #rows = new Map<string, Places>()
  /** Undefined as long as nobody has asked for an order. */
  #keys: OrderedRowKeys | undefined
  /** Those that are not among them. */
  #unordered: string[] = []

  /** Holds records of so many bytes together. */
  constructor(bytesMax: number) {
    this.#memory = Buffer.allocUnsafeSlow(bytesMax)
  }

  get bytes(): number {
    return this.#used
  }

  hasRoomFor(bytes: number): boolean {
    return this.#used + bytes <= this.#memory.length
  }

  /** Takes over a record that there is room for. */
  add(record: Uint8Array): void {
    this.#memory.set(record, this.#used)
    this.#used += record.length
  }

  has(text: string): boolean {
    this.index()
    return this.#rows.has(text)
  }

  /** In the order of `compareCells`; of two at the same place, the later one. Empty where there is no such row. */
  cellsOf(text: string): Cell[] {
    this.index()
    const places = this.#rows.get(text)
    const cells: Cell[] = []
    if (places === undefined) return cells
    for (const place of typeof places === 'number' ? [places] : places) {
      for (const cell of decodeCells(this.#memory, place)) setCell(cells, cell)
    }
    return cells
  }

  firstFrom(text: string): string | undefined {
    return this.#ordered().firstFrom(text)
  }

  /** The last key before `text`, or the last of all when it is absent. */
  lastBefore(text: string | undefined): string | undefined {
    return this.#ordered().lastBefore(text)
  }

  /** Looks which rows have come. Whoever asks for one does; where nobody reads what is written, nobody has to. */
  index(): void {
    const begin = this.#indexed
    if (begin === this.#used) return
    this.#indexed = this.#used
    walkRows(this.#memory.subarray(begin, this.#used), (at, from, to) => {
      this.#place(this.#memory.toString('latin1', begin + from, begin + to), begin + at)
    })
  }

  #place(text: string, at: number): void {
    const places = this.#rows.get(text)
    if (places === undefined) {
      this.#rows.set(text, at)
      this.#unordered.push(text)
    } else if (typeof places === 'number') this.#rows.set(text, [places, at])
    else places.push(at)
  }

  #ordered(): OrderedRowKeys {
    this.index()
    // To sort all at once costs a third of putting them in their places one by one.
    if (this.#keys === undefined) this.#keys = OrderedRowKeys.of(this.#unordered.sort())
    else for (const text of this.#unordered) this.#keys.insert(text)
    this.#unordered = []
    return this.#keys
  }
}

/** The key that comes directly after this one in the order of all keys. */
export function textAfter(text: string): string {
  return `${text}\0`
}
