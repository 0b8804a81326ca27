// SPDX-License-Identifier: Apache-2.0

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { afterTurn } from '../../../storage/storage.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'

/**
 * Begins the requests of a connection one after the other, each in a turn of the event loop of its own. A client may
 * send the next ones before it has its answer (RFC 9112 9.3.2), and Node emits all that one read holds, a thousand or
 * more, in one go. Those that wait count as requests under way. A client that has too many of them loses the
 * connection: its answers are owed in order, so there is no place for a refusal.
 */
export class PipelinedRequests {
  readonly #requests: Pick<RunningRequests, 'clientOf' | 'shares'>

  constructor(requests: Pick<RunningRequests, 'clientOf' | 'shares'>) {
    this.#requests = requests
  }

  /** What emits a request to the listener only when those before it on its connection have their responses. */
  inOrder(listener: RequestListener): RequestListener {
    return (request, response) => {
      // Node gives a response its socket when the one before it is out.
      if (response.socket !== null) listener(request, response)
      else this.#wait(request, response, () => listener(request, response))
    }
  }

  #wait(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const { socket } = request
    // What was read before its connection ended is emitted all the same.
    if (socket.destroyed) return
    const client = this.#requests.clientOf(request)
    const underWay = this.#requests.shares.requests
    if (!underWay.mayHold(client, 1)) {
      socket.destroy()
      return
    }
    underWay.take(client)
    const left = () => underWay.giveBack(client)
    request.once('close', left)
    response.once('socket', () => {
      afterTurn(() => {
        if (socket.destroyed) return
        request.off('close', left)
        left()
        begin()
      })
    })
  }
}
