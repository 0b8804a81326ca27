// SPDX-License-Identifier: Apache-2.0
import { uniteChosen } from './row-filter-evaluation.ts'
import { type Asked, SqlitePackedMemtable } from './sqlite-packed-memtable.ts'
import { GENERATION_BYTES_MAX, RECORD_BYTES_MAX, type RecordedCell } from './sqlite-redo-record.ts'

/** So many cells are moved together: the more there are, the more of them share a page. */
const SEALED_CELLS = 32_768
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

  /** In the order of `compareCells`. Empty where nothing of the row is pending. */
  cellsOf(text: string): readonly RecordedCell[] {
    const newer = this.#growing.cells.cellsOf(text)
    if (this.#sealed === undefined) return newer
    return uniteChosen([newer, this.#sealed.cells.cellsOf(text)])
  }

  firstFrom(text: string): string | undefined {
    const newer = this.#growing.cells.firstFrom(text)
    const older = this.#sealed?.cells.firstFrom(text)
    if (newer === undefined || older === undefined) return newer ?? older
    return newer < older ? newer : older
  }

  /** The last key before `text`, or the last of all when it is absent. */
  lastBefore(text: string | undefined): string | undefined {
    const newer = this.#growing.cells.lastBefore(text)
    const older = this.#sealed?.cells.lastBefore(text)
    if (newer === undefined || older === undefined) return newer ?? older
    return newer > older ? newer : older
  }

  /** What is there now is to be moved; records that are made from now on are not. */
  seal(): void {
    this.#sealed = this.#growing
    const { number, cells } = this.#growing
    this.#growing = generation(number + 1, cells.asked)
  }

  /** The snapshots that are read from now on have it. */
  dropSealed(): void {
    this.#sealed = undefined
  }
}

function generation(number: number, asked: Asked = 'nothing'): Generation {
  const cells = new SqlitePackedMemtable(GENERATION_BYTES_MAX, asked)
  return { number, cells, cellCount: 0, underWay: 0 }
}
