// SPDX-License-Identifier: Apache-2.0

type Completed = { readonly completedMs: number; readonly id: number }

/**
 * Orders that wait for their completion; the first to be completed comes out first. They are kept
 * sorted: only the orders of a price period wait, and a new one is among the last of them.
 */
export class CompletionQueue<Order extends Completed> {
  readonly #sorted: Order[] = []

  add(order: Order): void {
    const before = this.#sorted.findLastIndex((one) => isBefore(one, order))
    this.#sorted.splice(before + 1, 0, order)
  }

  /** Takes out, in their order, all that are completed at that time. */
  takeUntil(ms: number): readonly Order[] {
    const left = this.#sorted.findIndex(({ completedMs }) => completedMs > ms)
    return this.#sorted.splice(0, left === -1 ? this.#sorted.length : left)
  }
}

/** Of two that are completed at once, the one with the smaller id: the order of the key of HOLDING. */
function isBefore(one: Completed, other: Completed): boolean {
  return one.completedMs === other.completedMs
    ? one.id < other.id
    : one.completedMs < other.completedMs
}
