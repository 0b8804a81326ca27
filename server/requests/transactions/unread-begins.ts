// SPDX-License-Identifier: Apache-2.0

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { nextTurn } from '../../../storage/storage.ts'
import { ClientDisconnected } from '../../errors/server-error.ts'
import type { TransactionSessions } from './transaction-sessions.ts'

/** Where it may end a transaction, the reason that its outcome names. */
const NOT_TAKEN = 'client_left'

/**
 * Ends transactions over several requests whose clients never learned their ids: what the response to a BEGIN opened is
 * rolled back when that response is not taken. This much can be known of it:
 *
 * - The client left before the response was written. Its FIN may have arrived in the meantime, so the event loop has
 *   one turn to tell, between the BEGIN and its response.
 * - The connection ends before the response is out.
 * - The client left with the response unread: then its system resets the connection, where a client that has read
 *   everything closes it. Only the last BEGIN of a connection can be unread.
 *
 * A proxy resets connections that it does not need any more, and has read everything: that says nothing of its client.
 * A response that crosses a FIN on its way to the client cannot be told from one that was read by a client that uses
 * a new connection for each request. Such a transaction ends when it has been idle for too long.
 */
export class UnreadBegins {
  readonly #sessions: Pick<TransactionSessions, 'unlessUsed'>
  /** What rolls the last transaction of a connection back, unless it was used. */
  readonly #lastOf = new WeakMap<Socket, () => void>()

  constructor(sessions: Pick<TransactionSessions, 'unlessUsed'>) {
    this.#sessions = sessions
  }

  /** To be awaited before `response` tells the client the id. Rejects with ClientDisconnected when it has left. */
  async watch(id: string, response: ServerResponse): Promise<void> {
    const { socket } = response.req
    const rollBack = this.#sessions.unlessUsed(id, NOT_TAKEN)
    // The first ends the turn in which the request was read, the second one that has asked for news of sockets.
    await nextTurn()
    await nextTurn()
    // Node ends its half of a connection when the client has ended its own.
    if (response.destroyed || socket.destroyed || socket.writableEnded) {
      rollBack()
      throw new ClientDisconnected('The client left.')
    }
    response.once('close', () => {
      if (!response.writableFinished) rollBack()
    })
    if (isOfProxy(response.req.headers)) return
    const isWatched = this.#lastOf.has(socket)
    this.#lastOf.set(socket, rollBack)
    if (isWatched) return
    socket.once('close', (wasReset: boolean) => {
      if (wasReset) this.#lastOf.get(socket)?.()
    })
  }
}

/** Proxies say whom they ask for. */
function isOfProxy(headers: IncomingHttpHeaders): boolean {
  return (headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via) !== undefined
}
