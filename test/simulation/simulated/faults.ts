// SPDX-License-Identifier: Apache-2.0
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Swarm } from '../swarm.ts'

/**
 * What becomes of one call to the store, beside going through:
 *
 * - `requestLost`: never applied, and the caller hears nothing of it;
 * - `answerLost`: applied, and the caller hears nothing of it;
 * - `refused`: certainly not applied, and the caller is told so;
 * - `zombie`: the caller gives up, and only then is it applied, up to H after it was sent;
 * - `duplicate`: delivered twice, the second time up to H after it was sent;
 * - `pauseBefore`: the process stops for a while just before it sends;
 * - `crashBefore`, `crashAfter`: the process dies before or after it has sent.
 *
 * A read meets the first four as losses: it then rejects with kind `deadline`.
 */
export type Fault =
  | 'none'
  | 'requestLost'
  | 'answerLost'
  | 'refused'
  | 'zombie'
  | 'duplicate'
  | 'pauseBefore'
  | 'crashBefore'
  | 'crashAfter'

const IN_TRANSIT: readonly Fault[] = [
  ...(['requestLost', 'answerLost', 'answerLost', 'refused'] as const),
  ...(['zombie', 'zombie', 'duplicate'] as const),
]

/**
 * Draws the fault of one call, how long things take, and when clients forget. There are no faults before `start` and
 * after `stop`, and nobody forgets.
 */
export class FaultMenu {
  readonly #random: SeededRandomness
  readonly #swarm: Swarm
  #isStopped = true
  /** How many of the next calls an outage loses. */
  #outageLeft = 0

  constructor(random: SeededRandomness, swarm: Swarm) {
    this.#random = random
    this.#swarm = swarm
  }

  start(): void {
    this.#isStopped = false
  }

  /** From now on everything goes through; what is already on its way still arrives. */
  stop(): void {
    this.#isStopped = true
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  draw(): Fault {
    const { faultRate, pauseRate, crashRate } = this.#swarm
    let left = this.#random.fraction()
    if (this.#isStopped) return 'none'
    if (this.#outageLeft > 0) {
      this.#outageLeft -= 1
      return 'requestLost'
    }
    left -= faultRate
    if (left < 0) return this.#inTransit()
    left -= pauseRate
    if (left < 0) return 'pauseBefore'
    left -= crashRate
    if (left < 0) return this.#random.fraction() < 0.5 ? 'crashBefore' : 'crashAfter'
    return 'none'
  }

  #inTransit(): Fault {
    const { outageCallsMax } = this.#swarm
    const fault = IN_TRANSIT[this.#random.below(IN_TRANSIT.length)] as Fault
    if (fault === 'requestLost' && outageCallsMax > 0) {
      this.#outageLeft = this.#random.below(outageCallsMax)
    }
    return fault
  }

  /** Heavy-tailed: most calls are quick, one in a hundred takes a hundred times as long. */
  delayMs(): number {
    const rare = this.#random.fraction()
    const scale = rare < 0.01 ? 100 : rare < 0.1 ? 6 : 1
    const ms = this.#swarm.delayMs * scale * (0.3 + this.#random.fraction())
    return Math.min(ms, DELAY_MS_MAX)
  }

  /** When a request that its caller has given up is applied, counted from when it was sent. */
  lateMs(): number {
    const share = this.#random.fraction()
    return this.#swarm.lateMsMax * share * share
  }

  /** How long a caller waits for an answer that does not come. */
  patienceMs(): number {
    return this.#swarm.delayMs * 3 + this.#random.fraction() * PATIENCE_MS
  }

  pauseMs(): number {
    return this.#random.fraction() * this.#swarm.pauseMsMax
  }

  /**
   * For how long a client forgets its transaction just now; undefined when it does not. At rest, collections overtake
   * whatever is open for long, and a run of an observer that is forgotten each time would never commit.
   */
  forgottenMs(): number | undefined {
    const { forgetRate, forgetMsMax } = this.#swarm
    const forgets = this.#random.fraction() < forgetRate && !this.#isStopped
    return forgets ? this.#random.fraction() * forgetMsMax : undefined
  }

  /** How far the wall clock jumps just now, either way; 0 nearly always. */
  clockJumpMs(): number {
    const jumps = this.#random.fraction() < this.#swarm.clockJumpRate && !this.#isStopped
    return jumps ? (this.#random.fraction() * 2 - 1) * CLOCK_JUMP_MS_MAX : 0
  }
}

const DELAY_MS_MAX = 2_500
const PATIENCE_MS = 1_000
const CLOCK_JUMP_MS_MAX = 600_000
