// SPDX-License-Identifier: Apache-2.0
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { FairQueue } from '../../guard/budgets/fair-queue.ts'

/** Lets a limited number of pieces of work run at a time; the others wait, and their clients take turns. */
export class Permits {
  #free: number
  readonly #waiting = new FairQueue<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(client: ClientKey, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(client, resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
