// SPDX-License-Identifier: Apache-2.0
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { Swarm } from '../swarm.ts'
import type { FaultMenu } from './faults.ts'

/**
 * What becomes of a group that the writer of an embedded store commits:
 *
 * - `refused`: it fails before COMMIT and is rolled back; none of it is applied;
 * - `poisoned`: one job of it fails, and the others are carried out one by one;
 * - `commitFails`: COMMIT itself reports an error, and nobody knows.
 */
export type GroupFate = 'committed' | 'refused' | 'poisoned' | 'commitFails'

/** How an embedded store's writer and disk behave. As the `FaultMenu`, it can be stopped. */
export class WriterFaults {
  readonly #random: SeededRandomness
  readonly #swarm: Swarm
  readonly #menu: FaultMenu

  constructor(random: SeededRandomness, swarm: Swarm, menu: FaultMenu) {
    this.#random = random
    this.#swarm = swarm
    this.#menu = menu
  }

  drawGroup(): GroupFate {
    const { groupFailRate, commitFailRate } = this.#swarm.embedded
    let left = this.#random.fraction()
    if (this.#menu.isStopped) return 'committed'
    left -= commitFailRate
    if (left < 0) return 'commitFails'
    left -= groupFailRate
    if (left < 0) return this.#random.fraction() < 0.6 ? 'refused' : 'poisoned'
    return 'committed'
  }

  /** Whether the process dies just here, beside all that the writer does. */
  drawCrash(): boolean {
    return this.#random.fraction() < this.#swarm.crashRate && !this.#menu.isStopped
  }

  /** Whether the group is visible before it is durable. */
  drawShownFirst(): boolean {
    return this.#random.fraction() < this.#swarm.embedded.shownFirstRate
  }

  /** The way between the threads, or a step of the writer. */
  writerMs(): number {
    const scale = this.#random.fraction() < 0.05 ? 20 : 1
    return this.#swarm.delayMs * scale * this.#random.fraction()
  }

  /** Heavy-tailed, as syncs of real disks are. */
  syncMs(): number {
    const rare = this.#random.fraction()
    const scale = rare < 0.01 ? 50 : rare < 0.1 ? 5 : 1
    return Math.min(this.#swarm.embedded.syncMs * scale * (0.3 + this.#random.fraction()), 2_500)
  }
}
