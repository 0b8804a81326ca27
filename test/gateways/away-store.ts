// SPDX-License-Identifier: Apache-2.0
import { ForwardingCellStore } from '../../bench/engines/forwarding-cell-store.ts'
import type { Row } from '../../storage/cells/cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CheckAndMutate,
  type Increment,
  type RowMutations,
  type RowScan,
} from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'

/**
 * A store that goes away: while it hangs, calls wait until it answers again, as in a process that was stopped; while it
 * refuses, they fail at once, as in one that has ended.
 */
export class AwayStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  #state: 'answers' | 'hangs' | 'refuses' = 'answers'
  #left = Number.POSITIVE_INFINITY
  #back = Promise.withResolvers<void>()

  hang(): void {
    this.#state = 'hangs'
  }

  /** Answers so many calls more. */
  hangAfter(calls: number): void {
    this.#left = calls
  }

  refuse(): void {
    this.#state = 'refuses'
  }

  answer(): void {
    this.#state = 'answers'
    this.#left = Number.POSITIVE_INFINITY
    this.#back.resolve()
    this.#back = Promise.withResolvers()
  }

  async #reach(kind: 'ambiguous' | 'notApplied'): Promise<void> {
    if (this.#left === 0) this.#state = 'hangs'
    this.#left -= 1
    if (this.#state === 'refuses') {
      throw new CellStoreError(kind, 'connect ECONNREFUSED', { isAway: true })
    }
    if (this.#state === 'hangs') await this.#back.promise
  }

  override async checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    await this.#reach('ambiguous')
    return super.checkAndMutateRow(row, step)
  }

  override async mutateRows(entries: readonly RowMutations[]) {
    await this.#reach('ambiguous')
    return super.mutateRows(entries)
  }

  override async readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]) {
    await this.#reach('ambiguous')
    return super.readModifyWriteRow(row, increments)
  }

  override async readRows(keys: readonly Uint8Array[], filter: RowFilter) {
    await this.#reach('notApplied')
    return super.readRows(keys, filter)
  }

  override async *scanRows(scan: RowScan): AsyncIterable<Row> {
    await this.#reach('notApplied')
    yield* super.scanRows(scan)
  }

  override async *scanRanges(...scan: Parameters<CellStore['scanRanges']>): AsyncIterable<Row> {
    await this.#reach('notApplied')
    yield* super.scanRanges(...scan)
  }
}
