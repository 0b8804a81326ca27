// SPDX-License-Identifier: Apache-2.0
import type { PercoliteRequests } from './percolite-requests.ts'
import { QuerySocket } from './query-socket.ts'

/** Half of what the server lets run on one socket. */
const QUERIES_PER_SOCKET = 16

/** Requests over as few sockets as carry so many at once; each goes over the one with the fewest. */
export function socketRequests(origin: string, requestsAtOnce: number): PercoliteRequests {
  const count = Math.ceil(requestsAtOnce / QUERIES_PER_SOCKET)
  const sockets = Array.from({ length: count }, () => new QuerySocket(origin))
  return {
    ask(request, options) {
      const freest = sockets.reduce((least, socket) => {
        return socket.underWay < least.underWay ? socket : least
      })
      return freest.ask(request, options)
    },
    async close() {
      await Promise.all(sockets.map((socket) => socket.close()))
    },
  }
}
