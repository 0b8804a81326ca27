// SPDX-License-Identifier: Apache-2.0

/** Lets work of the same name run one after the other, in the order in which it was asked for. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    // Whether the one before succeeded is its own affair.
    const running = before.then(work, work)
    this.#last.set(name, running)
    try {
      return await running
    } finally {
      if (this.#last.get(name) === running) this.#last.delete(name)
    }
  }
}
