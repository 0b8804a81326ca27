// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../storage/cells/cell.ts'
import type {
  CellStore,
  CellStoreError,
  CellStoreLimits,
  CheckAndMutate,
  Increment,
  KeyRange,
  RowMutations,
  RowScan,
  RowStep,
  ScanMark,
  StepAnswer,
} from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { answerEach } from '../../storage/storage.ts'

/** A cell store in front of another one, for those that change only some of its calls. */
export abstract class ForwardingCellStore implements CellStore {
  abstract readonly atomicScope: CellStore['atomicScope']
  readonly #inner: CellStore

  constructor(inner: CellStore) {
    this.#inner = inner
  }

  get limits(): CellStoreLimits {
    return this.#inner.limits
  }

  checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return this.#inner.checkAndMutateRow(row, step)
  }

  /** One by one: what is changed of `checkAndMutateRow` is changed of this. */
  checkAndMutateRows(steps: readonly RowStep[]): Promise<StepAnswer[]> {
    return answerEach(steps, (step) => this.checkAndMutateRow(step.row, step))
  }

  mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>> {
    return this.#inner.mutateRows(entries)
  }

  readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    return this.#inner.readRows(keys, filter)
  }

  scanRanges(ranges: readonly KeyRange[], filter: RowFilter, mark?: ScanMark): AsyncIterable<Row> {
    return this.#inner.scanRanges(ranges, filter, mark)
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
