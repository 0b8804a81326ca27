// SPDX-License-Identifier: Apache-2.0

import { isPlainValue } from '../../plain-row.ts'
import { compareRowKeys, ORACLE_ROW } from '../../row-key.ts'
import { isPlain, type QueuedBatch } from './plain-batch.ts'

/** A batch that is not plain adds this much debt; a plain one pays one off. */
const NON_PLAIN_COST = 64
const DEBT_MAX = 16 * NON_PLAIN_COST
/** The redo log is not used from this debt on, until all of it is paid. */
const DEBT_OFF = 4 * NON_PLAIN_COST

/** `always`: for every batch that may go there. */
export type RedoLogUse = 'auto' | 'always' | 'never'

/**
 * Whether plain batches go through the redo log. That pays where nearly all are plain: any other that changes one
 * of their rows has to wait until all that is in the log has been flushed. So each batch that is not plain adds
 * `NON_PLAIN_COST` to a debt and each plain one takes 1 from it; at 0 the log is switched on, and at `DEBT_OFF` it is
 * switched off. A process begins with it off. A row that is written without transactions adds nothing, such as the
 * oracle's mark: no plain batch names it.
 */
export class RedoUse {
  readonly #use: RedoLogUse
  #debt = DEBT_OFF
  #isOn: boolean

  constructor(use: RedoLogUse) {
    this.#use = use
    this.#isOn = use === 'always'
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** All had to be flushed for one batch: that costs as much as the log saves in a thousand. */
  flushedForOne(): void {
    if (this.#use !== 'auto') return
    this.#debt = DEBT_MAX
    this.#isOn = false
  }

  saw(queued: QueuedBatch): void {
    if (this.#use !== 'auto') return
    if (isPlain(queued)) this.#debt = Math.max(this.#debt - 1, 0)
    else if (!isOfPlainRow(queued)) this.#debt = Math.min(this.#debt + NON_PLAIN_COST, DEBT_MAX)
    if (this.#debt === 0) this.#isOn = true
    else if (this.#debt >= DEBT_OFF) this.#isOn = false
  }
}

/**
 * Such as the mark, or a value of `replacePlainRow`. Not a counter: the shared oracle counts for each of its
 * timestamps, and those commits are not plain either.
 */
function isOfPlainRow({ batch }: QueuedBatch): boolean {
  if (batch.kind !== 'steps' || batch.steps.length !== 1) return false
  return batch.steps.every(({ row, ifMatched, otherwise }) => {
    if (compareRowKeys(row, ORACLE_ROW) === 0) return true
    const mutations = [...ifMatched, ...otherwise]
    return mutations.length > 0 && mutations.every(isPlainValue)
  })
}
