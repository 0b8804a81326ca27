// SPDX-License-Identifier: Apache-2.0

/** Lets those wait who have something to send, until what was sent before has been taken. */
export class Room {
  readonly #isThere: () => boolean
  readonly #waiting = new Set<() => void>()

  constructor(isThere: () => boolean) {
    this.#isThere = isThere
  }

  /** Resolves when there is room; at once when there is. Rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (!this.#isThere()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      signal.addEventListener('abort', resolve as () => void, { once: true })
      await promise
      signal.removeEventListener('abort', resolve as () => void)
      this.#waiting.delete(resolve)
      signal.throwIfAborted()
    }
  }

  /** To be called when something has been taken. */
  taken(): void {
    if (this.#waiting.size === 0 || !this.#isThere()) return
    for (const wake of this.#waiting) wake()
  }
}
