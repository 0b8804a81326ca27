// SPDX-License-Identifier: Apache-2.0

import type { Statement } from './ast.ts'

type Entry = { readonly statements: readonly Statement[]; readonly bytes: number }

export type StatementCacheLimits = {
  readonly entriesMax: number
  readonly bytesMax: number
  readonly entryBytesMax: number
}

/**
 * Parsed texts by their text, the least recently used given up first. Clients send few texts and
 * many parameters, so most parsing is this one look-up. What it returns is shared: readonly.
 */
export class StatementCache {
  readonly #limits: StatementCacheLimits
  // A Map iterates in order of insertion, so its first entry is the one not used for longest.
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(limits: StatementCacheLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get(text: string): readonly Statement[] | undefined {
    const entry = this.#entries.get(text)
    if (entry === undefined) return undefined
    this.#entries.delete(text)
    this.#entries.set(text, entry)
    return entry.statements
  }

  /** `bytes` estimates what the text and its statements occupy. The text must not be in the cache. */
  add(text: string, statements: readonly Statement[], bytes: number): void {
    if (bytes > this.#limits.entryBytesMax) return
    this.#entries.set(text, { statements, bytes })
    this.#bytes += bytes
    while (this.#entries.size > this.#limits.entriesMax || this.#bytes > this.#limits.bytesMax) {
      this.#removeOldest()
    }
  }

  #removeOldest(): void {
    for (const [text, entry] of this.#entries) {
      this.#entries.delete(text)
      this.#bytes -= entry.bytes
      return
    }
  }
}
