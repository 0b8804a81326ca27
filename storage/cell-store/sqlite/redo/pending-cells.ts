// SPDX-License-Identifier: Apache-2.0
import { SqlitePackedMemtable } from './packed-memtable.ts'
import type { PackedRow } from './packed-row.ts'
import { type FamilySet, GENERATION_BYTES_MAX, RECORD_BYTES_MAX } from './redo-record.ts'

/** So many cells are moved together: the more there are, the more of them share a page. */
const SEALED_CELLS = 65_536
const SEALED_BYTES = GENERATION_BYTES_MAX / 2

/** A memtable, and how many of its records are on their way to the disk. */
export type Generation = {
  readonly number: number
  readonly cells: SqlitePackedMemtable
  cellCount: number
  underWay: number
}

/**
 * The cells of answered groups that stand in the redo log and perhaps not in the tables, in two generations: one
 * grows while the other, which is sealed, is moved. A generation stays here until its records are deleted, in the
 * tables or not, so that nobody changes their rows past the log (R4).
 */
export class PendingCells {
  /** From so many cells on a generation is moved. */
  readonly sealedCells: number
  #growing = generation(1)
  #sealed: Generation | undefined

  constructor(sealedCells = SEALED_CELLS) {
    this.sealedCells = sealedCells
  }

  get isEmpty(): boolean {
    return this.#sealed === undefined && this.#growing.cells.bytes === 0
  }

  /** The one that records go to which are made now. */
  get growing(): Generation {
    return this.#growing
  }

  get sealed(): Generation | undefined {
    return this.#sealed
  }

  /** Whether there is room for another record beside those that are on their way. */
  get hasRoom(): boolean {
    const { cells, underWay } = this.#growing
    return cells.hasRoomFor((underWay + 1) * RECORD_BYTES_MAX)
  }

  /** Whether more has come than could be moved. */
  get isBehind(): boolean {
    return this.#sealed !== undefined && this.#growing.cellCount >= 2 * this.sealedCells
  }

  get isWorthSealing(): boolean {
    const { cells, cellCount } = this.#growing
    if (this.#sealed !== undefined) return false
    return cellCount >= this.sealedCells || cells.bytes >= SEALED_BYTES
  }

  has(text: string): boolean {
    return this.#growing.cells.has(text) || this.#sealed?.cells.has(text) === true
  }

  /** What is pending of the row in generations that have cells of these families, the newer one first. */
  rowsOf(text: string, families?: FamilySet): readonly PackedRow[] {
    const newer = this.#growing.cells.rowOf(text, families)
    const older = this.#sealed?.cells.rowOf(text, families)
    if (older === undefined) return newer === undefined ? [] : [newer]
    return newer === undefined ? [older] : [newer, older]
  }

  /** Of rows, in ascending order, from the first that does not come before `text`. No record may come meanwhile. */
  keysFrom(text: string): Generator<string> {
    const newer = this.#growing.cells.keysFrom(text)
    return united(newer, this.#sealed?.cells.keysFrom(text), (a, b) => a < b)
  }

  /** In descending order, from the last before `text`, or from the last of all when it is absent. */
  keysBefore(text: string | undefined): Generator<string> {
    const newer = this.#growing.cells.keysBefore(text)
    return united(newer, this.#sealed?.cells.keysBefore(text), (a, b) => a > b)
  }

  /** What is there now is to be moved; records that are made from now on are not. */
  seal(): void {
    this.#sealed = this.#growing
    this.#growing = generation(this.#growing.number + 1)
  }

  /** The snapshots that are read from now on have it. */
  dropSealed(): void {
    this.#sealed = undefined
  }
}

function generation(number: number): Generation {
  const cells = new SqlitePackedMemtable(GENERATION_BYTES_MAX)
  return { number, cells, cellCount: 0, underWay: 0 }
}

/** The keys of both, each once. */
function* united(
  some: Iterator<string>,
  others: Iterator<string> = [].values(),
  comesBefore: (a: string, b: string) => boolean,
): Generator<string> {
  let [one, other] = [some.next(), others.next()]
  while (!one.done || !other.done) {
    const takesOne = !one.done && (other.done || !comesBefore(other.value, one.value))
    const takesOther = !other.done && (one.done || !comesBefore(one.value, other.value))
    yield (takesOne ? one : other).value
    if (takesOne) one = some.next()
    if (takesOther) other = others.next()
  }
}
