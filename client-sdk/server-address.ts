// SPDX-License-Identifier: Apache-2.0
import { withoutEnd } from './json-text.ts'

/**
 * Where the server is, for all that a client has: requests and sockets go together when the database has moved, or
 * another one of several servers takes the writes. The first of the list is in use:
 *
 *     a, b    a cannot be reached, or refuses a write: b is next
 *     b, a    all goes to b, until b fails
 */
export class ServerAddress {
  #urls: readonly string[]

  /** Throws TypeError for no address, and for what is none. */
  constructor([first = '', ...others]: ReadonlyArray<string | URL>) {
    this.#urls = [first, ...others].map((url) => withoutEnd(new URL(url).href, '/'))
  }

  /** Without slashes at its end, so that a path can follow. */
  get url(): string {
    return this.#urls[0] as string
  }

  get urls(): readonly string[] {
    return this.#urls
  }

  /** Goes where the server of an address sends its clients on to, which takes its place in the list. */
  moveTo(said: unknown, from: string): string {
    const url = besides(said, from)
    this.#urls = this.#urls.map((known) => (known === from ? url : known))
    return url
  }

  /**
   * Goes to an address that has not been tried: to the primary that a standby has named where that is in the list, else
   * to the next one. Undefined where all have been.
   */
  next(tried: Iterable<string>, primary?: unknown): string | undefined {
    const before = [...tried]
    const left = this.#urls.filter((known) => !before.includes(known))
    const next = left.find((known) => known === primary) ?? left[0]
    if (next !== undefined) this.#urls = [...new Set([next, ...left, ...this.#urls])]
    return next
  }
}

/** What a server says is another place, or its own: never http from https, where others could listen. */
export function besides(said: unknown, from: string): string {
  const safe = from.startsWith('https:') ? /^https:\/\// : /^https?:\/\//
  return safe.test(`${said}`) ? withoutEnd(`${said}`, '/') : from
}
