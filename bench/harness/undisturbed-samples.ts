// SPDX-License-Identifier: Apache-2.0
import type { Sample } from './sample.ts'
import { isDisturbed, type ProcessorTime, shareLostBy, stolenShare } from './stolen-time.ts'

/** A machine that is disturbed for so long is left to the warning in the report. */
const TRIES_MAX = 3

/**
 * Takes samples, and again those during which the host of a virtual machine took processor time away:
 * for a few seconds at a time one neighbour has the machine and the other has not, and their ratio says
 * nothing. What a sample measured has no part in whether it is taken again.
 */
export class UndisturbedSamples {
  readonly #retakesMax: number
  readonly #processorTime: () => Promise<ProcessorTime | undefined>
  #retakes = 0

  /** `retakesMax` of all samples together, so that a run has an end. */
  constructor(retakesMax: number, processorTime: () => Promise<ProcessorTime | undefined>) {
    this.#retakesMax = retakesMax
    this.#processorTime = processorTime
  }

  get retakes(): number {
    return this.#retakes
  }

  /** The sample that lost least, with the share that it lost; the last one where they lost the same. */
  async take(run: (isRetake: boolean) => Promise<Sample>): Promise<Sample> {
    let best = await this.#withStolenShare(() => run(false))
    for (let tries = 1; tries < TRIES_MAX && this.#retakes < this.#retakesMax; tries += 1) {
      if (!isDisturbed(best)) break
      this.#retakes += 1
      const other = await this.#withStolenShare(() => run(true))
      if (shareLostBy(other) <= shareLostBy(best)) best = other
    }
    return best
  }

  async #withStolenShare(run: () => Promise<Sample>): Promise<Sample> {
    const before = await this.#processorTime()
    const sample = await run()
    const after = await this.#processorTime()
    if (before === undefined || after === undefined) return sample
    return { ...sample, stolenShare: stolenShare(before, after) }
  }
}
