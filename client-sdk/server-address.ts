// SPDX-License-Identifier: Apache-2.0

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

  /** What a server says is another place, or this one: never http from https, where others could listen. */
  besides(url: unknown): string {
    if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return this.#url
    if (this.#url.startsWith('https:') && !url.startsWith('https:')) return this.#url
    return withoutSlashes(url)
  }
}

function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}
