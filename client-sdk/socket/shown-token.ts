// SPDX-License-Identifier: Apache-2.0
import { clientError, type PercoliteError } from '../errors.ts'
import type { TokenSource } from '../token-source.ts'

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

  /** What the end of the socket means: after a token that has expired, another connection may show another one. */
  errorOf(error: PercoliteError): PercoliteError {
    if (error.code !== 'token_expired' || !this.#tokens.leaves(this.#text)) return error
    return clientError('connection_failed', { message: error.message, cause: error })
  }
}

export function authFrame(token: string): string {
  return JSON.stringify({ type: 'auth', token })
}
