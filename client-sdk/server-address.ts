// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from './errors.ts'

/** Where the server is, for all that a client has: requests and sockets go together when the database has moved. */
export class ServerAddress {
  #url: string

  constructor(url: string) {
    this.#url = withoutSlashes(url)
  }

  /** Without slashes at its end, so that a path can follow. */
  get url(): string {
    return this.#url
  }

  /** Goes where a server sends its clients on to. */
  moveTo(url: unknown): void {
    this.#url = this.besides(url)
  }

  /**
   * Where the server says that a transaction is open. Throws what is wrong where that may not be followed: to run the
   * transaction again would end the same way.
   */
  ownerAt(url: unknown, { code, fields, httpStatus }: PercoliteError): string {
    if (!this.#isLessSafe(url)) return this.besides(url)
    const message = `The transaction is open at ${url}, not by https: see --advertise.`
    throw new PercoliteError({ code, message, fields, httpStatus })
  }

  /** What a server says is another place, or this one: never http from https, where others could listen. */
  besides(url: unknown): string {
    const isAddress = /^https?:\/\//.test(`${url}`) && !this.#isLessSafe(url)
    return isAddress ? withoutSlashes(`${url}`) : this.#url
  }

  #isLessSafe(url: unknown): boolean {
    return /^https:/.test(this.#url) && /^http:/i.test(`${url}`)
  }
}

function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}
