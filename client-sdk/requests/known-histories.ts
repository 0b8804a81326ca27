// SPDX-License-Identifier: Apache-2.0

/** A server is put back to a copy a few times at most while a client lives. */
const FORMER_MAX = 100

/**
 * Which history a stamp is of, by what the answers of a server have told: one that the store had before may have lost
 * it, and the store of now would take it for its own.
 */
export class KnownHistories {
  #current: string | undefined
  /** The highest stamp that was told of the current one. */
  #last = 0
  /** Oldest first, each with the highest stamp that was told of it. */
  #former: ReadonlyArray<{ readonly name: string; readonly last: number }> = []

  copy(): KnownHistories {
    const copy = new KnownHistories()
    copy.#current = this.#current
    copy.#last = this.#last
    copy.#former = this.#former
    return copy
  }

  /** By the header and the body of an answer. */
  told(name: string | null, answer: unknown): void {
    if (name !== null && name !== this.#current) {
      if (this.#current !== undefined) {
        const former = { name: this.#current, last: this.#last }
        this.#former = [...this.#former, former].slice(-FORMER_MAX)
      }
      this.#current = name
    }
    const { readTimestamp, commitTimestamp } = (answer ?? {}) as Readonly<Record<string, unknown>>
    this.#last = Math.max(this.#last, Number(readTimestamp) || 0, Number(commitTimestamp) || 0)
  }

  /** The one to be named with a request: that of the stamp which it reads at, else the current one. */
  of(body: unknown): string | undefined {
    const { asOf } = (body ?? {}) as { readonly asOf?: unknown }
    if (typeof asOf !== 'number') return this.#current
    return this.#former.find(({ last }) => asOf <= last)?.name ?? this.#current
  }
}
