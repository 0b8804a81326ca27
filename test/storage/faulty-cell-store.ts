// SPDX-License-Identifier: Apache-2.0

import { ForwardingCellStore } from '../../bench/engines/forwarding-cell-store.ts'
import { CellStoreError, type CheckAndMutate } from '../../storage/cells/cell-store.ts'

/**
 * What becomes of one mutation: it goes through; the request is lost on its way; it is applied and
 * the answer is lost; it is refused; or the process dies and the call never returns.
 */
export type Fault = 'none' | 'requestLost' | 'answerLost' | 'refused' | 'crashBefore' | 'crashAfter'

/** A cell store whose mutations of rows meet the faults that the test chooses, call by call. */
export class FaultyCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  /** Asked before each checkAndMutateRow; `call` counts them from 1. */
  fault: (call: number, row: Uint8Array) => Fault | Promise<Fault> = () => 'none'
  calls = 0

  override async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    this.calls += 1
    const fault = await this.fault(this.calls, row)
    if (fault === 'crashBefore') return await never()
    if (fault === 'requestLost') throw new CellStoreError('ambiguous', 'the request was lost')
    if (fault === 'refused') throw new CellStoreError('notApplied', 'the store is busy')
    const matched = await super.checkAndMutateRow(row, step)
    if (fault === 'answerLost') throw new CellStoreError('ambiguous', 'the answer was lost')
    return fault === 'crashAfter' ? await never() : matched
  }
}

function never(): Promise<never> {
  return new Promise(() => {})
}
