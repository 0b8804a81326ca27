// SPDX-License-Identifier: Apache-2.0

/** Lends a number of things, each to one at a time, in the order in which they are asked for. */
export class Pool<Thing> {
  readonly all: readonly Thing[]
  readonly #free: Thing[]
  readonly #waiting: Array<(thing: Thing) => void> = []

  constructor(all: readonly Thing[]) {
    this.all = all
    this.#free = [...all]
  }

  async use<Result>(work: (thing: Thing) => Promise<Result>): Promise<Result> {
    const thing =
      this.#free.pop() ?? (await new Promise<Thing>((resolve) => this.#waiting.push(resolve)))
    try {
      return await work(thing)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free.push(thing)
      else next(thing)
    }
  }
}
