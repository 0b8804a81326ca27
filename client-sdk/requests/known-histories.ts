// SPDX-License-Identifier: Apache-2.0

/** A server is put back to a copy a few times at most while a client lives. */
const KEPT_MAX = 100

/**
 * Which history a stamp is of, by what the answers of a server have told: one that the store had before may have lost
 * it, and the store of now would take it for its own.
 */
export class KnownHistories {
  /** Oldest first, each with the highest stamp that was told of it. */
  readonly #known: Array<{ readonly name: string; last: number }> = []

  /** By the header and the body of an answer. */
  told(name: string | null, answer?: unknown): void {
    const known = this.#known
    if (name && name !== known.at(-1)?.name) known.push({ name, last: 0 })
    if (known.length > KEPT_MAX) known.shift()
    const current = known.at(-1)
    const { readTimestamp, commitTimestamp } = (answer ?? {}) as Readonly<Record<string, number>>
    if (current) current.last = Math.max(current.last, readTimestamp || 0, commitTimestamp || 0)
  }

  /** The one to be named with a request: that of the stamp which it reads at, else the current one. */
  of(body: unknown): string | undefined {
    const { asOf } = (body ?? {}) as { readonly asOf?: unknown }
    const known = this.#known
    return (known.find(({ last }) => typeof asOf === 'number' && asOf <= last) ?? known.at(-1))
      ?.name
  }
}
