// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The sockets of the server, so that stopping does not wait for clients that say nothing: browsers
 * open sockets ahead of need, and Node's `close` would wait for those.
 */
export class Connections {
  /** Each with its last answer, which is out or not; undefined before the first request. */
  readonly #sockets = new Map<Socket, { last: ServerResponse | undefined }>()
  readonly #upgraded = new Set<Socket>()
  #stopping = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#opened(socket))
    server.on('request', (request, response) => this.#began(request, response))
    // A WebSocket is closed by whoever talks on it; here it is only destroyed, when it stays too long.
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      this.#sockets.delete(socket)
      this.#upgraded.add(socket)
      socket.once('close', () => this.#upgraded.delete(socket))
    })
  }

  /** Ends idle sockets now, and each busy one when its answer is out. */
  stop(): void {
    this.#stopping = true
    for (const [socket, { last: response }] of this.#sockets) {
      if (response === undefined || response.destroyed) socket.destroy()
      else endAfter(response, socket)
    }
  }

  destroyAll(): void {
    for (const socket of [...this.#sockets.keys(), ...this.#upgraded]) socket.destroy()
  }

  #opened(socket: Socket): void {
    this.#sockets.set(socket, { last: undefined })
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #began({ socket }: IncomingMessage, response: ServerResponse): void {
    const known = this.#sockets.get(socket)
    if (known === undefined) return
    known.last = response
    if (this.#stopping) endAfter(response, socket)
  }
}

function endAfter(response: ServerResponse, socket: Socket): void {
  response.once('close', () => socket.end())
}
