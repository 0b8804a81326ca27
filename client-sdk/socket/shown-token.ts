// SPDX-License-Identifier: Apache-2.0
import type { PercoliteError } from '../errors.ts'
import type { TokenSource } from '../token-source.ts'
import { closedForAnother, isOfToken } from './socket-frame.ts'

/** The token that a socket has shown last. */
export class ShownToken {
  readonly #tokens: TokenSource
  #text: string | undefined

  constructor(tokens: TokenSource, text: string | undefined) {
    this.#tokens = tokens
    this.#text = text
  }

  get text(): string | undefined {
    return this.#text
  }

  /** Another one in its place; undefined where there is none. Rejects as the function that gives it. */
  async renew(): Promise<string | undefined> {
    const token = await this.#tokens.renewed(this.#text)
    this.#text = token ?? this.#text
    return token
  }

  accepted(): void {
    this.#tokens.accepted()
  }

  /** What the end of the socket means: after a token that is not taken, another connection may show another one. */
  errorOf(error: PercoliteError): PercoliteError {
    // Of another holder it is shown on a new connection.
    const isOfShown = isOfToken(error) || error.code === 'forbidden'
    if (!isOfShown || !this.#tokens.leaves(this.#text)) return error
    return closedForAnother(error)
  }
}

export function authFrame(token: string): string {
  return JSON.stringify({ type: 'auth', token })
}
