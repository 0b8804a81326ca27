// SPDX-License-Identifier: Apache-2.0
/**
 * Which observers' runs have notified which others. Observers may feed one another (Percolator 2.4);
 * where they do so in a circle, a change may never come to rest.
 *
 *     parse -> invert -> rank -> rank         rank notifies itself: a circle of its own
 */
export class ObserverCascade {
  readonly #notifies = new Map<number, Set<number>>()

  /**
   * Records that a run of `from` has notified `to`. Returns whether that has closed a circle, true only for the first
   * run that does so.
   */
  notified(from: number, to: number): boolean {
    const known = this.#notifies.get(from)
    if (known?.has(to)) return false
    if (known === undefined) this.#notifies.set(from, new Set([to]))
    else known.add(to)
    return this.cycleOf(from).includes(to)
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
