// SPDX-License-Identifier: Apache-2.0

/** Lets so many pieces of work run at a time, and the others wait in the order in which they came. */
export class Permits {
  #free: number
  readonly #waiting: Array<() => void> = []

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
