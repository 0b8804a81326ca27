// SPDX-License-Identifier: Apache-2.0

type Completed = { readonly completedMs: number; readonly id: number }

/** Orders that wait for their completion; the first to be completed comes out first. A binary heap. */
export class CompletionQueue<Order extends Completed> {
  readonly #heap: Order[] = []

  add(order: Order): void {
    const heap = this.#heap
    let place = heap.push(order) - 1
    while (place > 0) {
      const parent = (place - 1) >>> 1
      if (!isBefore(order, heap[parent] as Order)) break
      heap[place] = heap[parent] as Order
      place = parent
    }
    heap[place] = order
  }

  /** Takes out, in their order, all that are completed at that time. */
  *takeUntil(ms: number): Iterable<Order> {
    for (let next = this.#heap[0]; next !== undefined && next.completedMs <= ms; ) {
      this.#removeFirst()
      yield next
      next = this.#heap[0]
    }
  }

  #removeFirst(): void {
    const heap = this.#heap
    const moved = heap.pop()
    if (moved === undefined || heap.length === 0) return
    let place = 0
    for (;;) {
      const left = 2 * place + 1
      if (left >= heap.length) break
      const right = left + 1
      const isRight = right < heap.length && isBefore(heap[right] as Order, heap[left] as Order)
      const child = isRight ? right : left
      if (!isBefore(heap[child] as Order, moved)) break
      heap[place] = heap[child] as Order
      place = child
    }
    heap[place] = moved
  }
}

/** Of two that are completed at once, the one with the smaller id: the order of the key of HOLDING. */
function isBefore(one: Completed, other: Completed): boolean {
  return one.completedMs === other.completedMs
    ? one.id < other.id
    : one.completedMs < other.completedMs
}
