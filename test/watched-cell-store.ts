// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../cell-store/cell.ts'
import type {
  CellStore,
  CellStoreError,
  CellStoreLimits,
  CheckAndMutate,
  Increment,
  RowMutations,
  RowScan,
} from '../cell-store/cell-store.ts'
import type { RowFilter } from '../cell-store/row-filter.ts'

type Mutating = 'checkAndMutateRow' | 'readModifyWriteRow'

/**
 * A cell store in front of another one, for tests of what is built on it: it counts the mutating
 * calls, can hold them back, and can lose their answers.
 */
export class WatchedCellStore implements CellStore {
  readonly atomicScope = 'row'
  readonly calls: Mutating[] = []
  /** Awaited before a mutating call takes effect. */
  before: (call: Mutating) => Promise<void> = async () => {}
  /** Awaited after it took effect; what it throws is the answer. */
  after: (call: Mutating) => Promise<void> = async () => {}
  readonly #inner: CellStore

  constructor(inner: CellStore) {
    this.#inner = inner
  }

  get limits(): CellStoreLimits {
    return this.#inner.limits
  }

  checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return this.#watched('checkAndMutateRow', () => this.#inner.checkAndMutateRow(row, step))
  }

  readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    return this.#watched('readModifyWriteRow', () =>
      this.#inner.readModifyWriteRow(row, increments),
    )
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

  splitPoints(): Promise<Uint8Array[]> {
    return this.#inner.splitPoints()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  async #watched<T>(call: Mutating, apply: () => Promise<T>): Promise<T> {
    this.calls.push(call)
    await this.before(call)
    const answer = await apply()
    await this.after(call)
    return answer
  }
}
