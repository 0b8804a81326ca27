// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../storage/cell-store/cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CellStoreLimits,
  type CheckAndMutate,
  type Increment,
  type RowMutations,
  type RowScan,
} from '../storage/cell-store/cell-store.ts'
import type { RowFilter } from '../storage/cell-store/row-filter.ts'

/**
 * What becomes of one mutation: it goes through; the request is lost on its way; it is applied and
 * the answer is lost; it is refused; or the process dies and the call never returns.
 */
export type Fault = 'none' | 'requestLost' | 'answerLost' | 'refused' | 'crashBefore' | 'crashAfter'

/** A cell store whose mutations of rows meet the faults that the test chooses, call by call. */
export class FaultyCellStore implements CellStore {
  readonly atomicScope = 'row'
  readonly #inner: CellStore
  /** Asked before each checkAndMutateRow; `call` counts them from 1. */
  fault: (call: number, row: Uint8Array) => Fault | Promise<Fault> = () => 'none'
  calls = 0

  constructor(inner: CellStore) {
    this.#inner = inner
  }

  get limits(): CellStoreLimits {
    return this.#inner.limits
  }

  async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    this.calls += 1
    const fault = await this.fault(this.calls, row)
    if (fault === 'crashBefore') return await never()
    if (fault === 'requestLost') throw new CellStoreError('ambiguous', 'the request was lost')
    if (fault === 'refused') throw new CellStoreError('notApplied', 'the store is busy')
    const matched = await this.#inner.checkAndMutateRow(row, step)
    if (fault === 'answerLost') throw new CellStoreError('ambiguous', 'the answer was lost')
    return fault === 'crashAfter' ? await never() : matched
  }

  mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>> {
    return this.#inner.mutateRows(entries)
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    return this.#inner.readRows(keys, filter)
  }

  scanRows(scan: RowScan): AsyncIterable<Row> {
    return this.#inner.scanRows(scan)
  }

  readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    return this.#inner.readModifyWriteRow(row, increments)
  }

  splitPoints(): Promise<Uint8Array[]> {
    return this.#inner.splitPoints()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}

function never(): Promise<never> {
  return new Promise(() => {})
}
