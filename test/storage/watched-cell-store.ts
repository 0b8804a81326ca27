// SPDX-License-Identifier: Apache-2.0

import { ForwardingCellStore } from '../../bench/engines/forwarding-cell-store.ts'
import type { CheckAndMutate, Increment } from '../../storage/cells/cell-store.ts'

type Mutating = 'checkAndMutateRow' | 'readModifyWriteRow'

/**
 * A cell store in front of another one, for tests of what is built on it: it counts the mutating
 * calls, can hold them back, and can lose their answers.
 */
export class WatchedCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  readonly calls: Mutating[] = []
  /** Awaited before a mutating call takes effect. */
  before: (call: Mutating) => Promise<void> = async () => {}
  /** Awaited after it took effect; what it throws is the answer. */
  after: (call: Mutating) => Promise<void> = async () => {}

  override checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return this.#watched('checkAndMutateRow', () => super.checkAndMutateRow(row, step))
  }

  override readModifyWriteRow(
    row: Uint8Array,
    increments: readonly Increment[],
  ): Promise<bigint[]> {
    return this.#watched('readModifyWriteRow', () => super.readModifyWriteRow(row, increments))
  }

  async #watched<T>(call: Mutating, apply: () => Promise<T>): Promise<T> {
    this.calls.push(call)
    await this.before(call)
    const answer = await apply()
    await this.after(call)
    return answer
  }
}
