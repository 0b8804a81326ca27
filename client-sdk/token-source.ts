// SPDX-License-Identifier: Apache-2.0
import { orAborted } from './backoff.ts'

/** A token, or what gives one whenever another is needed. */
export type TokenGiver = string | (() => Promise<string> | string)

/**
 * The token of a client, for requests and sockets together. From a function it is asked for when it is first needed,
 * and again when the server does not take it any more or is about to: once, however many wait for it.
 */
export class TokenSource {
  readonly #give: (() => Promise<string> | string) | undefined
  readonly #isInsecureAllowed: boolean
  #current: string | undefined
  #pending: Promise<string> | undefined
  /** The last one was refused, and none has been taken since. */
  #isRefused = false

  constructor(given: TokenGiver | undefined, isInsecureAllowed = false) {
    this.#isInsecureAllowed = isInsecureAllowed
    if (typeof given === 'function') this.#give = given
    else this.#current = given
  }

  /**
   * The token for a request to this address; undefined where there is none. Rejects with what the function rejects
   * with, with the reason of the signal, and with TypeError for an address to which it would travel in the clear.
   */
  async for(url: string, signal?: AbortSignal): Promise<string | undefined> {
    this.requireSecure(url)
    return this.#current ?? (this.#give && (await this.#ask(signal)))
  }

  /** Throws TypeError where a token would travel to another machine in the clear. */
  requireSecure(url: string): void {
    if ((this.#current ?? this.#give) && !this.#isInsecureAllowed && !isSecure(url)) {
      throw new TypeError(
        `A token is not sent to ${url} in the clear: use https, or insecure: true.`,
      )
    }
  }

  /** Another one than this, which does not count any more or soon; undefined where there is no other. */
  async renewed(token: string | undefined, signal?: AbortSignal): Promise<string | undefined> {
    if (this.#give === undefined || token === undefined) return undefined
    // Somebody else may have renewed it meanwhile.
    const isOther = this.#current !== undefined && this.#current !== token
    const fresh = isOther ? this.#current : await this.#ask(signal)
    return fresh === token ? undefined : fresh
  }

  /**
   * A socket was refused with this one: the next asks for another. False where there is no other, or where this one
   * was given for one that was refused.
   */
  leaves(token: string | undefined): boolean {
    if (this.#give === undefined || token === undefined) return false
    if (this.#current !== token) return true
    if (this.#isRefused) return false
    this.#isRefused = true
    this.#current = undefined
    return true
  }

  /** The server has taken the token of a socket. */
  accepted(): void {
    this.#isRefused = false
  }

  /**
   * Whoever stops waiting for a function that does not answer leaves nobody else to it, and what it answers after that
   * is not kept: it may be of whoever was logged in before.
   */
  async #ask(signal: AbortSignal | undefined): Promise<string> {
    this.#pending ??= this.#asking()
    const pending = this.#pending
    try {
      const token = await orAborted(pending, signal)
      if (this.#pending === pending) this.#current = token
      return token
    } finally {
      if (this.#pending === pending) this.#pending = undefined
    }
  }

  async #asking(): Promise<string> {
    const token = await this.#give?.()
    if (typeof token !== 'string') throw new TypeError('The token function gave none.')
    return token
  }
}

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'http:' || LOOPBACK.test(hostname)
}
