// SPDX-License-Identifier: Apache-2.0
import { putCell } from './mutation-application.ts'
import { OrderedRowKeys } from './ordered-row-keys.ts'
import { PackedReader } from './sqlite-packed-buffer.ts'
import { decodeCells, type RecordedCell, walkRows } from './sqlite-redo-record.ts'

/** To walk through a full memtable so often costs about as much as to make up its rows. */
const LOOKS_MAX = 32

/** What somebody has asked a memtable for: rows by their keys, or what comes next in the order of the keys. */
export type Asked = 'nothing' | 'rows' | 'ranges'

/**
 * Where in the memory of a memtable a row begins; where several records have it, all places, and the cells of the
 * first so many of them as somebody has read them: a row that is written and read all the time has thousands.
 */
type Places = number | { readonly all: number[]; readonly cells: RecordedCell[]; read: number }

/**
 * Cells in memory by their rows (Bigtable's memtable; Chang et al., OSDI 2006, section 5.3), as the redo records that
 * brought them: thousands of objects that live for half a second each would cost the garbage collector more than
 * everything else here. Keys are texts as `rowKeyText` makes them.
 */
export class SqlitePackedMemtable {
  readonly #memory: Buffer
  readonly #reader: PackedReader
  #used = 0
  /** How much of it is in `#rows`. */
  #indexed = 0
  readonly #rows = new Map<string, Places>()
  readonly #keeps: Asked
  #asked: Asked = 'nothing'
  /** How often all of it was walked through for a row. */
  #looks = 0
  /** Undefined as long as nobody has asked for an order. */
  #keys: OrderedRowKeys | undefined
  /** Those that are not among them. */
  #unordered: string[] = []

  /**
   * Holds records of so many bytes together, and keeps ready what was asked of the one before it: to make up for
   * thousands of records at once would hold everybody up.
   */
  constructor(bytesMax: number, keeps: Asked = 'nothing') {
    this.#memory = Buffer.allocUnsafeSlow(bytesMax)
    this.#reader = new PackedReader(this.#memory)
    this.#keeps = keeps
  }

  /** The most that it has been asked for. */
  get asked(): Asked {
    return this.#asked
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
    if (this.#keeps !== 'nothing') this.#index()
    if (this.#keeps === 'ranges') this.#order()
  }

  /** Whoever asks seldom is not worth making up the rows for: twice a second the oracle does, of its own row. */
  has(text: string): boolean {
    if (this.#asked !== 'nothing' || this.#looks === LOOKS_MAX) return this.#askedRows().has(text)
    this.#looks += 1
    return this.#keeps === 'nothing' ? this.#isFound(text) : this.#rows.has(text)
  }

  /**
   * In the order of `compareCells`; of two at the same place, the later one. Empty where there is no such row.
   * Good until the next record comes.
   */
  cellsOf(text: string): readonly RecordedCell[] {
    const places = this.#askedRows().get(text)
    if (places === undefined) return []
    if (typeof places === 'number') return this.#readInto([], places)
    const { all, cells } = places
    for (; places.read < all.length; places.read++)
      this.#readInto(cells, all[places.read] as number)
    return cells
  }

  firstFrom(text: string): string | undefined {
    return this.#askedKeys().firstFrom(text)
  }

  /** The last key before `text`, or the last of all when it is absent. */
  lastBefore(text: string | undefined): string | undefined {
    return this.#askedKeys().lastBefore(text)
  }

  #isFound(text: string): boolean {
    const key = Buffer.from(text, 'latin1')
    let isFound = false
    walkRows(this.#memory.subarray(0, this.#used), (_, from, to) => {
      if (to - from !== key.length || isFound) return
      isFound = this.#memory.compare(key, 0, key.length, from, to) === 0
    })
    return isFound
  }

  #askedRows(): ReadonlyMap<string, Places> {
    if (this.#asked === 'nothing') this.#asked = 'rows'
    this.#index()
    return this.#rows
  }

  #askedKeys(): OrderedRowKeys {
    this.#asked = 'ranges'
    this.#index()
    return this.#order()
  }

  /** Where nobody reads what is written, nobody need look which rows have come. */
  #index(): void {
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
    } else if (typeof places === 'number') {
      this.#rows.set(text, { all: [places, at], cells: [], read: 0 })
    } else places.all.push(at)
  }

  #readInto(cells: RecordedCell[], place: number): RecordedCell[] {
    for (const cell of decodeCells(this.#reader, place)) putCell(cells, cell)
    return cells
  }

  #order(): OrderedRowKeys {
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
