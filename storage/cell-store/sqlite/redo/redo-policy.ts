// SPDX-License-Identifier: Apache-2.0

/** A batch that is not plain adds this much debt; a plain one pays one off. */
const NON_PLAIN_COST = 64
const DEBT_MAX = 16 * NON_PLAIN_COST
/** The redo log is not used from this debt on, until all of it is paid. */
const DEBT_OFF = 4 * NON_PLAIN_COST

/** `always`: for every batch that may go there. */
export type RedoLogUse = 'auto' | 'always' | 'never'

/**
 * Whether plain batches go through the redo log. That pays where nearly all are plain: any other that changes one
 * of their rows has to wait until all that is in the log has been moved. So each batch that is not plain adds
 * `NON_PLAIN_COST` to a debt and each plain one takes 1 from it; at 0 the log is switched on, and at `DEBT_OFF` it is
 * switched off. A process begins with it off.
 */
export class SqliteRedoPolicy {
  readonly #use: RedoLogUse
  #debt = DEBT_OFF
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
    this.#debt = DEBT_MAX
    this.#usesRedoLog = false
  }

  saw(batch: { readonly isPlain: boolean }): void {
    if (this.#use !== 'auto') return
    if (!batch.isPlain) this.#debt = Math.min(this.#debt + NON_PLAIN_COST, DEBT_MAX)
    else if (this.#debt > 0) this.#debt -= 1
    if (this.#debt === 0) this.#usesRedoLog = true
    else if (this.#debt >= DEBT_OFF) this.#usesRedoLog = false
  }
}
