// SPDX-License-Identifier: Apache-2.0
import { invariant } from '../../../invariant.ts'

/** This many rows are sorted at a time, even if no order is asked for: a fraction of a millisecond. */
const SORTED_ROWS = 512
/** A call that asks for an order merges runs of up to this many rows in total: a millisecond or two. */
const MERGED_ROWS_MAX = 8192

/** A row begins with the length of its key. */
const KEY_AT = 4

/**
 * The rows of a memtable in the order of their keys: sorted runs of numbers, the offsets at which rows begin in its
 * memory. Each run ascends without a gap: no two of its rows have the same key, and none is missing between two that
 * were added. Nothing here is an object for each row, and no turn puts more than some thousand rows in order.
 */
export class SortedRows {
  readonly #memory: Buffer
  readonly #runs: Int32Array[]
  /** Rows that are in no run yet. */
  #unordered: number[] = []

  constructor(memory: Buffer, runs: Int32Array[] = []) {
    this.#memory = memory
    this.#runs = runs
  }

  /** Adds a row that begins at this offset, with a key that no other has. */
  add(row: number): void {
    this.#unordered.push(row)
    // An order may never be asked for, but sorting thousands of rows at once would hold up everything else.
    if (this.#unordered.length === SORTED_ROWS) this.#sort()
  }

  /** All rows. */
  get runs(): readonly Int32Array[] {
    this.#sort()
    return this.#runs
  }

  keyOf(row: number): string {
    return this.#memory.toString('latin1', row + KEY_AT, this.keyEnd(row))
  }

  /** The offset after the key of the row that begins at this one. */
  keyEnd(row: number): number {
    return row + KEY_AT + this.#memory.readUInt32BE(row)
  }

  /** Whether the keys of two rows are the same. */
  isSame(one: number, other: number): boolean {
    return this.#compare(one, other) === 0
  }

  hasKey(row: number, key: string): boolean {
    return this.#compareWith(row, key) === 0
  }

  /**
   * Rows from the first whose key does not come before `key` on; in reverse order those that come before `key`, or all
   * without one. None may be added meanwhile.
   */
  *inOrder(key: string | undefined, reverse = false): Generator<number> {
    this.#mergeShortRuns()
    const step = reverse ? -1 : 1
    const heads = this.#runs.map((run) => {
      const at = key === undefined ? run.length : this.#positionIn(run, key)
      return { run, at: reverse ? at - 1 : at }
    })
    for (;;) {
      let next: { readonly run: Int32Array; at: number } | undefined
      let nextRow = 0
      for (const head of heads) {
        const row = head.run[head.at]
        if (row === undefined) continue
        if (next !== undefined && step * this.#compare(row, nextRow) > 0) continue
        next = head
        nextRow = row
      }
      if (next === undefined) return
      yield nextRow
      next.at += step
    }
  }

  #sort(): void {
    if (this.#unordered.length === 0) return
    const run = Int32Array.from(this.#unordered).sort((a, b) => this.#compare(a, b))
    const ascends = run.every(
      (row, at) => at === 0 || this.#compare(run[at - 1] as number, row) < 0,
    )
    invariant(ascends, 'R2', { rows: run.length, ascends })
    this.#runs.push(run)
    this.#unordered = []
  }

  /** The fewer runs there are, the less the next calls have to look at. */
  #mergeShortRuns(): void {
    this.#sort()
    let left = MERGED_ROWS_MAX
    for (let at = this.#runs.length - 2; at >= 0; at -= 1) {
      const [one, other] = this.#runs.slice(at, at + 2) as [Int32Array, Int32Array]
      const rows = one.length + other.length
      if (rows > left) continue
      left -= rows
      this.#runs.splice(at, 2, this.#mergedRun(one, other))
      // What was just merged waits for the next call, so that runs grow by doubling.
      at -= 1
    }
  }

  #mergedRun(one: Int32Array, other: Int32Array): Int32Array {
    const merged = new Int32Array(one.length + other.length)
    let [inOne, inOther] = [0, 0]
    for (let at = 0; at < merged.length; at++) {
      const left = one[inOne]
      const right = other[inOther]
      const order = left === undefined ? 1 : right === undefined ? -1 : this.#compare(left, right)
      invariant(order !== 0, 'R2', { row: left, twiceIn: 'sorted runs' })
      merged[at] = (order < 0 ? left : right) as number
      if (order < 0) inOne += 1
      else inOther += 1
    }
    return merged
  }

  /** The first position in a run whose key does not come before `key`. */
  #positionIn(run: Int32Array, key: string): number {
    let low = 0
    let high = run.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compareWith(run[middle] as number, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(one: number, other: number): number {
    const memory = this.#memory
    const [length, otherLength] = [memory.readUInt32BE(one), memory.readUInt32BE(other)]
    const shared = Math.min(length, otherLength)
    for (let at = KEY_AT; at < KEY_AT + shared; at++) {
      const difference = (memory[one + at] as number) - (memory[other + at] as number)
      if (difference !== 0) return difference
    }
    return length - otherLength
  }

  #compareWith(row: number, key: string): number {
    const memory = this.#memory
    const length = memory.readUInt32BE(row)
    const shared = Math.min(length, key.length)
    for (let at = 0; at < shared; at++) {
      const difference = (memory[row + KEY_AT + at] as number) - key.charCodeAt(at)
      if (difference !== 0) return difference
    }
    return length - key.length
  }
}
