// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The sockets of the server, so that stopping does not wait for clients that say nothing: browsers
 * open sockets ahead of need, and Node's `close` would wait for those.
 */
export class Connections {
  readonly #idle = new Set<Socket>()
  readonly #busy = new Set<Socket>()
  #stopping = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#opened(socket))
    server.on('request', (request, response) => this.#began(request, response))
    // A WebSocket is closed by whoever talks on it; here it is only destroyed, when it stays too long.
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      this.#idle.delete(socket)
      this.#busy.add(socket)
    })
  }

  /** Ends idle sockets now, and each busy one when its answer is out. */
  stop(): void {
    this.#stopping = true
    for (const socket of this.#idle) socket.destroy()
  }

  destroyAll(): void {
    for (const socket of [...this.#idle, ...this.#busy]) socket.destroy()
  }

  #opened(socket: Socket): void {
    this.#idle.add(socket)
    socket.once('close', () => {
      this.#idle.delete(socket)
      this.#busy.delete(socket)
    })
  }

  #began({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#idle.delete(socket)
    this.#busy.add(socket)
    response.once('close', () => {
      if (!this.#busy.delete(socket) || socket.destroyed) return
      this.#idle.add(socket)
      if (this.#stopping) socket.end()
    })
  }
}
