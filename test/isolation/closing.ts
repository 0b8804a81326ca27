// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'

/** What servers need of a test, for those that outlive one: keeps the steps by which they are closed. */
export class Closing {
  readonly #steps: Array<() => unknown> = []

  readonly after = ((step: () => unknown) => {
    this.#steps.push(step)
  }) as TestContext['after']

  /** Takes the steps, the last one first. */
  async close(): Promise<void> {
    for (const step of this.#steps.toReversed()) await step()
  }
}
