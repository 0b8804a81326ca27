// SPDX-License-Identifier: Apache-2.0
import type { StorageLog } from '../storage-log.ts'

/**
 * Which observers' runs have notified which others. Observers may feed one another (Percolator 2.4);
 * where they do so in a circle, a change may never come to rest, so the log says it once.
 *
 *     parse -> invert -> rank -> rank         rank notifies itself: a circle of its own
 */
export class ObserverCascade {
  readonly #log: StorageLog
  readonly #notifies = new Map<number, Set<number>>()

  constructor(log: StorageLog) {
    this.#log = log
  }

  /** A run of `from` has notified `to`. */
  notified(from: number, to: number): void {
    const known = this.#notifies.get(from)
    if (known?.has(to)) return
    if (known === undefined) this.#notifies.set(from, new Set([to]))
    else known.add(to)
    const observers = this.cycleOf(from)
    if (!observers.includes(to)) return
    this.#log.warn({ observers }, 'observers notify each other in a circle, or one itself')
  }

  /** The ids of those that this one notifies, at first or second hand, and that notify it; its own is among them. */
  cycleOf(observerId: number): number[] {
    const reached = this.#reachedFrom(observerId)
    return [...reached].filter((other) => this.#reachedFrom(other).has(observerId))
  }

  #reachedFrom(observerId: number): Set<number> {
    const reached = new Set<number>()
    const toVisit = [observerId]
    for (let next = toVisit.pop(); next !== undefined; next = toVisit.pop()) {
      for (const other of this.#notifies.get(next) ?? []) {
        if (reached.has(other)) continue
        reached.add(other)
        toVisit.push(other)
      }
    }
    return reached
  }
}
