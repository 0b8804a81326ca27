// SPDX-License-Identifier: Apache-2.0

/** Lets one in at a time, in the order in which they came. */
export class Turnstile {
  #last: Promise<void> = Promise.resolve()

  /** Resolves to what lets the next one in. */
  async enter(): Promise<() => void> {
    const before = this.#last
    let leave = () => {}
    this.#last = new Promise((resolve) => {
      leave = resolve
    })
    await before
    return leave
  }
}
