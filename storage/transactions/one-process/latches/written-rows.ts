// SPDX-License-Identifier: Apache-2.0
import { positionIn } from '../../../collections/sorted-run.ts'

/**
 * The rows that a transaction writes, for scans that ask whether one in their range is still held. A large transaction
 * releases some each turn, in any order, and each time the scans ask again. So a row that was found released is skipped
 * from then on, by a step to the next one that may be held, and a search replaces the steps that it took by one of
 * their total length:
 *
 *     rows             a  b  c  d  e        b, c and d are released
 *     a search from b  finds that, and e    steps of 1
 *     the next one     b ---------> e       a step of 3; b, c and d are looked at no more
 */
export class WrittenRows {
  readonly #texts: readonly string[]
  /** The distance to the next row that may be held, by position; 0 for a row that may itself be held. */
  #steps: Int32Array | undefined

  /** Texts in the form of `keyString`, ascending. None is added later, and none is latched again. */
  constructor(texts: readonly string[]) {
    this.#texts = texts
  }

  /** Whether a row of [from, to) is held; `isHeld` says it of one row. */
  isAnyHeld(from: string, to: string | undefined, isHeld: (text: string) => boolean): boolean {
    const texts = this.#texts
    let at = this.#nextFrom(positionIn(texts, (text) => text < from))
    while (at < texts.length) {
      const text = texts[at] as string
      if (to !== undefined && text >= to) return false
      if (isHeld(text)) return true
      this.#steps ??= new Int32Array(texts.length)
      this.#steps[at] = 1
      at = this.#nextFrom(at)
    }
    return false
  }

  /** The first position, from this one on, of a row that may be held, or the end. */
  #nextFrom(position: number): number {
    const steps = this.#steps
    if (steps === undefined) return position
    let next = position
    while (next < steps.length && steps[next] !== 0) next += steps[next] as number
    for (let at = position; at < next; ) {
      const step = steps[at] as number
      steps[at] = next - at
      at += step
    }
    return next
  }
}
