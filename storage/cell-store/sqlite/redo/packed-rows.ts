// SPDX-License-Identifier: Apache-2.0
import { hashOfKey, hashOfText } from '../../row-hash.ts'
import { type FamilySet, walkRows } from './redo-record.ts'

/** So many rows are put in order at once, whether or not somebody asks: a fraction of a millisecond. */
const SORTED_ROWS = 512
/** Whoever asks for an order merges runs of so many rows together, and none that is longer: a millisecond or two. */
const MERGED_ROWS_MAX = 8192

const NONE = -1

/**
 * Which rows redo records have that stand behind each other in one memory: where each row begins, by its key and in
 * the order of the keys. An entry is one row of one record; a row that several records have is several entries.
 * Everything here is a number in a typed array: a Map by texts takes three times as long for each row, and leaves its
 * keys to the garbage collector. Keys are asked for as texts that `rowKeyText` makes.
 */
export class PackedRows {
  readonly #memory: Buffer
  #count = 0
  /** Of each entry: where its row begins, the hash of its key, and the entry of the same row that came before it. */
  #places = new Int32Array(1024)
  #hashes = new Int32Array(1024)
  #earlier = new Int32Array(1024)
  /** Of each entry: the families that it and those of the same row before it have cells of. */
  #families = new Uint8Array(1024)
  /** The newest entry of each row, at its hash or behind that, as one more than itself; 0 is a free slot. */
  #slots = new Int32Array(2048)
  #rows = 0
  /** Entries in ascending order, one for each row. */
  readonly #runs: Int32Array[] = []
  /** Rows that are in none of them. */
  #unordered: number[] = []

  constructor(memory: Buffer) {
    this.#memory = memory
  }

  /** Takes up the rows of records that stand there. */
  add(from: number, to: number): void {
    walkRows(this.#memory.subarray(from, to), (at, families) => {
      this.#enter(from + at, families)
    })
  }

  /** The newest entry of the row. */
  find(text: string): number | undefined {
    const hash = hashOfText(text)
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] as number) - 1
      if (entry === NONE) return undefined
      if (this.#hashes[entry] === hash && this.#compareWith(entry, text) === 0) return entry
    }
  }

  /** Where the row of this entry begins. */
  placeOf(entry: number): number {
    return this.#places[entry] as number
  }

  /** The families of which something has come for the row up to this entry. */
  familiesOf(entry: number): FamilySet {
    return this.#families[entry] as number
  }

  /** The entry of the same row that came before this one. */
  earlier(entry: number): number | undefined {
    const earlier = this.#earlier[entry] as number
    return earlier === NONE ? undefined : earlier
  }

  /** Keys in ascending order, from the first that does not come before `text`. No row may come meanwhile. */
  keysFrom(text: string): Generator<string> {
    return this.#keys(1, (run) => this.#positionIn(run, text))
  }

  /** Keys in descending order, from the last before `text`, or from the last of all when it is absent. */
  keysBefore(text: string | undefined): Generator<string> {
    return this.#keys(
      -1,
      (run) => (text === undefined ? run.length : this.#positionIn(run, text)) - 1,
    )
  }

  *#keys(step: 1 | -1, begin: (run: Int32Array) => number): Generator<string> {
    const heads = this.#ordered().map((run) => ({ run, at: begin(run) }))
    for (;;) {
      let next: { readonly run: Int32Array; at: number } | undefined
      let nextEntry = NONE
      for (const head of heads) {
        const entry = head.run[head.at]
        if (entry === undefined) continue
        if (next !== undefined && step * this.#compare(entry, nextEntry) > 0) continue
        next = head
        nextEntry = entry
      }
      if (next === undefined) return
      yield this.#textOf(nextEntry)
      next.at += step
    }
  }

  #enter(place: number, families: FamilySet): void {
    if (this.#count === this.#places.length) this.#growEntries()
    const entry = this.#count++
    this.#places[entry] = place
    const hash = this.#hashOf(place)
    this.#hashes[entry] = hash
    const slot = this.#slotFor(entry, hash)
    const earlier = (this.#slots[slot] as number) - 1
    this.#slots[slot] = entry + 1
    this.#earlier[entry] = earlier
    this.#families[entry] = earlier === NONE ? families : families | this.familiesOf(earlier)
    if (earlier === NONE) this.#rowCame(entry)
  }

  #rowCame(entry: number): void {
    this.#rows += 1
    if (2 * this.#rows > this.#slots.length) this.#growSlots()
    this.#unordered.push(entry)
    // Nobody may ask for an order, but to make up for thousands of rows at once would hold everybody up.
    if (this.#unordered.length === SORTED_ROWS) this.#sort()
  }

  /** Where the row of this entry is, or is to be. */
  #slotFor(entry: number, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const other = (this.#slots[slot] as number) - 1
      if (other === NONE) return slot
      if (this.#hashes[other] === hash && this.#compare(other, entry) === 0) return slot
    }
  }

  #growEntries(): void {
    this.#places = twiceAsLong(this.#places)
    this.#hashes = twiceAsLong(this.#hashes)
    this.#earlier = twiceAsLong(this.#earlier)
    const families = new Uint8Array(2 * this.#families.length)
    families.set(this.#families)
    this.#families = families
  }

  #growSlots(): void {
    const slots = new Int32Array(2 * this.#slots.length)
    const mask = slots.length - 1
    for (const occupied of this.#slots) {
      if (occupied === 0) continue
      let slot = (this.#hashes[occupied - 1] as number) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = occupied
    }
    this.#slots = slots
  }

  #sort(): void {
    if (this.#unordered.length === 0) return
    const sorted = Int32Array.from(this.#unordered).sort((a, b) => this.#compare(a, b))
    this.#runs.push(sorted)
    this.#unordered = []
  }

  /** All rows are in the runs then. The fewer runs there are, the less the next ones who ask have to look at. */
  #ordered(): readonly Int32Array[] {
    this.#sort()
    let left = MERGED_ROWS_MAX
    for (let at = this.#runs.length - 2; at >= 0; at -= 1) {
      const [one, other] = this.#runs.slice(at, at + 2) as [Int32Array, Int32Array]
      const rows = one.length + other.length
      if (rows > left) continue
      left -= rows
      this.#runs.splice(at, 2, this.#merged(one, other))
      // What was just merged waits for the next one who asks, so that runs grow by doubling.
      at -= 1
    }
    return this.#runs
  }

  #merged(one: Int32Array, other: Int32Array): Int32Array<ArrayBuffer> {
    const merged = new Int32Array(one.length + other.length)
    let [inOne, inOther] = [0, 0]
    for (let at = 0; at < merged.length; at++) {
      const left = one[inOne]
      const right = other[inOther]
      const takesOne = right === undefined || (left !== undefined && this.#compare(left, right) < 0)
      merged[at] = (takesOne ? left : right) as number
      if (takesOne) inOne += 1
      else inOther += 1
    }
    return merged
  }

  /** The first position in a run that does not come before `text`. */
  #positionIn(run: Int32Array, text: string): number {
    let low = 0
    let high = run.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compareWith(run[middle] as number, text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(one: number, other: number): number {
    const memory = this.#memory
    const [oneAt, otherAt] = [this.#places[one] as number, this.#places[other] as number]
    const [length, otherLength] = [lengthAt(memory, oneAt), lengthAt(memory, otherAt)]
    const shared = Math.min(length, otherLength)
    for (let at = KEY_AT; at < KEY_AT + shared; at++) {
      const difference = (memory[oneAt + at] as number) - (memory[otherAt + at] as number)
      if (difference !== 0) return difference
    }
    return length - otherLength
  }

  #compareWith(entry: number, text: string): number {
    const memory = this.#memory
    const place = this.#places[entry] as number
    const length = lengthAt(memory, place)
    const shared = Math.min(length, text.length)
    for (let at = 0; at < shared; at++) {
      const difference = (memory[place + KEY_AT + at] as number) - text.charCodeAt(at)
      if (difference !== 0) return difference
    }
    return length - text.length
  }

  #textOf(entry: number): string {
    const place = this.#places[entry] as number
    const keyAt = place + KEY_AT
    return this.#memory.toString('latin1', keyAt, keyAt + lengthAt(this.#memory, place))
  }

  #hashOf(place: number): number {
    const keyAt = place + KEY_AT
    return hashOfKey(this.#memory, keyAt, keyAt + lengthAt(this.#memory, place))
  }
}

/** A row begins with the length of its key. */
const KEY_AT = 4

function lengthAt(memory: Buffer, at: number): number {
  return memory.readUInt32BE(at)
}

function twiceAsLong(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(2 * numbers.length)
  longer.set(numbers)
  return longer
}
