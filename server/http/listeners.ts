// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Connections that the system opens before they are accepted, as many as it allows. Beyond it a client hears nothing and
 * tries again after one, two, four and eight seconds, and 511, which is usual, may come within one turn.
 */
const BACKLOG = 65_535

/**
 * libuv accepts one connection in a turn of the event loop for each socket that listens. With 2,000 connections and five
 * heavy clients (`npm run test:overload`) health waited for ten seconds behind those who connected with one socket, for
 * 0.6 with sixteen, and for 0.2 with these.
 */
const LISTENERS = 64

/** Only Linux shares new connections out among the sockets of one port. */
const CAN_SHARE_PORT = process.platform === 'linux'

/**
 * Listens on several sockets of one port: with one, a thousand connections that come together are accepted one by one,
 * with a turn of all other work between two of them, and whoever connects after them waits for all.
 */
export class Listeners {
  readonly #http: FastifyInstance
  readonly #more: NetServer[] = []

  constructor(http: FastifyInstance) {
    this.#http = http
  }

  /** Rejects as `listen` of Node, also where another process has the port. */
  async listen(place: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    const server: HttpServer = this.#http.server
    if (!CAN_SHARE_PORT) {
      await this.#http.listen({ ...place, backlog: BACKLOG })
      return server.address() as AddressInfo
    }
    await requireFree(place)
    const shared = { backlog: BACKLOG, reusePort: true }
    await this.#http.listen({ ...place, ...shared })
    const found = server.address() as AddressInfo
    while (this.#more.length < LISTENERS - 1) {
      // As Node makes its own servers of HTTP.
      const one = createServer({ allowHalfOpen: true, noDelay: true })
      one.on('connection', (socket) => server.emit('connection', socket))
      one.listen({ host: found.address, port: found.port, ...shared })
      await once(one, 'listening')
      this.#more.push(one)
    }
    return found
  }

  /** Takes no more connections. Resolves when the last of them is gone. */
  async close(): Promise<void> {
    const closing = this.#more.map((one) => new Promise((resolve) => one.close(resolve)))
    await Promise.all([this.#http.close(), ...closing])
  }
}

/** Two processes that share a port would each get some of the connections, and neither would know. */
async function requireFree(place: { readonly host: string; readonly port: number }): Promise<void> {
  if (place.port === 0) return
  const probe = createServer()
  probe.listen(place)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
