// SPDX-License-Identifier: Apache-2.0

/** Something that happens at a moment of virtual time; `order` tells events of one moment apart. */
export type Event<T> = { readonly atMs: number; readonly order: number; readonly item: T }

/** A binary heap of events, earliest first, and in the order of their scheduling at one moment. */
export class EventQueue<T> {
  readonly #heap: Array<Event<T>> = []
  #scheduled = 0

  get size(): number {
    return this.#heap.length
  }

  /** When the next event happens; Infinity when none does. */
  get nextAtMs(): number {
    return this.#heap[0]?.atMs ?? Infinity
  }

  add(atMs: number, item: T): void {
    const heap = this.#heap
    const event = { atMs, order: this.#scheduled++, item }
    let at = heap.length
    while (at > 0) {
      const parent = (at - 1) >>> 1
      const above = heap[parent] as Event<T>
      if (!isEarlier(event, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  take(): Event<T> | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      const right = heap[child + 1]
      if (right !== undefined && isEarlier(right, heap[child] as Event<T>)) child += 1
      const below = heap[child] as Event<T>
      if (!isEarlier(below, last)) break
      heap[at] = below
      at = child
    }
    heap[at] = last
    return first
  }
}

function isEarlier<T>(a: Event<T>, b: Event<T>): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}
