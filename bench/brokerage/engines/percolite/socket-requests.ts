// SPDX-License-Identifier: Apache-2.0
import type { PercoliteAnswer, PercoliteRequest, PercoliteRequests } from './percolite-requests.ts'
import { QuerySocket } from './query-socket.ts'

/** Half of what the server lets run on one socket. */
const QUERIES_PER_SOCKET = 16

/** Requests over as few sockets as carry so many at once; each goes over the one with the fewest. */
export class SocketRequests implements PercoliteRequests {
  readonly #sockets: readonly QuerySocket[]

  constructor(origin: string, requestsAtOnce: number) {
    const count = Math.ceil(requestsAtOnce / QUERIES_PER_SOCKET)
    this.#sockets = Array.from({ length: count }, () => new QuerySocket(origin))
  }

  ask(
    request: PercoliteRequest,
    { commits = false }: { readonly commits?: boolean } = {},
  ): Promise<PercoliteAnswer> {
    const freest = this.#sockets.reduce((least, socket) => {
      return socket.underWay < least.underWay ? socket : least
    })
    return freest.ask(request, { commits })
  }

  async destroy(): Promise<void> {
    await this.close()
  }

  async close(): Promise<void> {
    await Promise.all(this.#sockets.map((socket) => socket.close()))
  }
}
