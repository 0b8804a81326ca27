// SPDX-License-Identifier: Apache-2.0

import type { Statement } from './ast.ts'

type Entry = {
  readonly statements: readonly Statement[]
  readonly bytes: number
  /** Whether it was asked for since the last time that it was to be given up. */
  used: boolean
}

export type StatementCacheLimits = {
  readonly entriesMax: number
  readonly bytesMax: number
  readonly entryBytesMax: number
}

/**
 * Parsed texts by their text; the least recently used one is given up first. Clients send few
 * texts and many parameters, so most parsing is this one look-up, and it changes nothing but a mark: a
 * text that has it when its turn to go comes gets another round. What it returns is shared: readonly.
 */
export class StatementCache {
  readonly #limits: StatementCacheLimits
  // A Map iterates in order of insertion, so its first entry is the one whose round is over.
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  /** A request of many statements says the same again and again: to compare a text costs less than to look for it. */
  #last: { readonly text: string; readonly entry: Entry } | undefined

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
    const entry = this.#last?.text === text ? this.#last.entry : this.#entries.get(text)
    if (entry === undefined) return undefined
    if (this.#last?.entry !== entry) this.#last = { text, entry }
    entry.used = true
    return entry.statements
  }

  /** `bytes` estimates what the text and its statements occupy. The text must not be in the cache. */
  add(text: string, statements: readonly Statement[], bytes: number): void {
    const { entriesMax, bytesMax, entryBytesMax } = this.#limits
    if (bytes > entryBytesMax) return
    while (this.#entries.size >= entriesMax || this.#bytes + bytes > bytesMax) this.#removeOne()
    this.#entries.set(text, { statements, bytes, used: false })
    this.#bytes += bytes
  }

  #removeOne(): void {
    for (const [text, entry] of this.#entries) {
      this.#entries.delete(text)
      if (!entry.used) {
        if (this.#last?.entry === entry) this.#last = undefined
        this.#bytes -= entry.bytes
        return
      }
      entry.used = false
      this.#entries.set(text, entry)
    }
  }
}
