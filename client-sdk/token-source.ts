// SPDX-License-Identifier: Apache-2.0

/** A token, or what gives one whenever another is needed. */
export type TokenGiver = string | (() => Promise<string> | string)

/**
 * The token of a client, for requests and sockets together. From a function it is asked for when it is first needed,
 * and again when the server says that it has expired or is about to: once, however many wait for it.
 */
export class TokenSource {
  readonly #give: (() => Promise<string> | string) | undefined
  readonly #isInsecureAllowed: boolean
  #current: string | undefined
  #asked: Promise<string> | undefined
  #left: string | undefined

  constructor(given: TokenGiver | undefined, isInsecureAllowed = false) {
    this.#isInsecureAllowed = isInsecureAllowed
    if (typeof given === 'function') this.#give = given
    else this.#current = given
  }

  /**
   * The token for a request to this address; undefined where there is none. Rejects with what the function rejects
   * with, and with TypeError for an address to which it would travel in the clear.
   */
  async for(url: string): Promise<string | undefined> {
    const token = this.#current ?? (this.#give === undefined ? undefined : await this.#ask())
    if (token !== undefined) this.requireSecure(url)
    return token
  }

  /** Throws TypeError where a token would travel to another machine in the clear. */
  requireSecure(url: string): void {
    const isGiven = this.#current !== undefined || this.#give !== undefined
    if (!isGiven || this.#isInsecureAllowed || isSecure(url)) return
    throw new TypeError(
      `A token is not sent to ${url} in the clear: use https, or say insecure: true where the network is yours.`,
    )
  }

  /** Another one than this, which has expired or will; undefined where there is no other. */
  async renewed(token: string | undefined): Promise<string | undefined> {
    if (this.#give === undefined || token === undefined) return undefined
    // Somebody else may have renewed it meanwhile.
    if (this.#current === token) this.#current = undefined
    const fresh = this.#current ?? (await this.#ask())
    return fresh === token ? undefined : fresh
  }

  /**
   * This one has expired: the next request or socket asks for another. False where there is no other, or where the
   * function has given this one again after it had expired.
   */
  leaves(token: string | undefined): boolean {
    if (this.#give === undefined || token === undefined || token === this.#left) return false
    if (this.#current === token) this.#current = undefined
    this.#left = token
    return true
  }

  #ask(): Promise<string> {
    this.#asked ??= this.#asking().finally(() => {
      this.#asked = undefined
    })
    return this.#asked
  }

  async #asking(): Promise<string> {
    const token = await this.#give?.()
    if (typeof token !== 'string') throw new TypeError('The function of the token gave no text.')
    this.#current = token
    return token
  }
}

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'http:' || LOOPBACK.test(hostname)
}
