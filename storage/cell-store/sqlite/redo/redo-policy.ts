// SPDX-License-Identifier: Apache-2.0

/** A batch that is not plain counts as so many that are. */
const WEIGHT = 64
const MOST = 16 * WEIGHT
/** So much within a short time, and the redo log is in the way. */
const TOO_MUCH = 4 * WEIGHT

/** `always`: for every batch that may go there. */
export type RedoLogUse = 'auto' | 'always' | 'never'

/**
 * Whether plain batches go through the redo log. That pays where nearly all are plain: any other that changes one
 * of their rows has to wait until all that is in the log has been moved. So others count up and plain ones down, to
 * nothing, and the log is used from nothing on until there is too much. A process begins without.
 */
export class SqliteRedoPolicy {
  readonly #use: RedoLogUse
  #others = TOO_MUCH
  #usesRedoLog: boolean

  constructor(use: RedoLogUse) {
    this.#use = use
    this.#usesRedoLog = use === 'always'
  }

  get usesRedoLog(): boolean {
    return this.#usesRedoLog
  }

  /** All had to be moved for one batch: that costs as much as the log saves in a thousand. */
  wasInTheWay(): void {
    if (this.#use !== 'auto') return
    this.#others = MOST
    this.#usesRedoLog = false
  }

  saw(batch: { readonly isPlain: boolean }): void {
    if (this.#use !== 'auto') return
    if (!batch.isPlain) this.#others = Math.min(this.#others + WEIGHT, MOST)
    else if (this.#others > 0) this.#others -= 1
    if (this.#others === 0) this.#usesRedoLog = true
    else if (this.#others >= TOO_MUCH) this.#usesRedoLog = false
  }
}
