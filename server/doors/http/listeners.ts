// SPDX-License-Identifier: Apache-2.0
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Connections that the system opens before they are accepted, as many as it allows. Beyond it a client
 * hears nothing and tries again after one, two, four and eight seconds, and 511, which is usual, may
 * come within one turn.
 */
const BACKLOG = 65_535

/**
 * libuv accepts one connection in a turn of the event loop for each socket that listens. With 2,000
 * connections and five heavy clients (`npm run test:overload`) health waited for ten seconds after
 * those who connected with one socket, for 0.6 with sixteen, and for 0.2 with these.
 */
const LISTENERS = 64

/** Only Linux shares new connections out among the sockets of one port. */
const CAN_SHARE_PORT = process.platform === 'linux'
const SOCKETS_PER_ADDRESS = CAN_SHARE_PORT ? LISTENERS : 1

/**
 * Listens on several sockets of one port: with one, a thousand connections that come together are accepted one by one,
 * with a turn of all other work between two of them, and a client that connects after them waits for all.
 */
export class Listeners {
  readonly #http: FastifyInstance
  readonly #more: NetServer[] = []

  constructor(http: FastifyInstance) {
    this.#http = http
  }

  /** Rejects as `listen` of Node, also where another process has the port. */
  async listen({ host, port }: Endpoint): Promise<AddressInfo> {
    const addresses = await freeAddresses(host, port)
    const server: HttpServer = this.#http.server
    const how = { backlog: BACKLOG, reusePort: CAN_SHARE_PORT }
    await this.#http.listen({ host: addresses[0] as string, port, ...how })
    const found = server.address() as AddressInfo
    const sockets = addresses.flatMap((address) => Array(SOCKETS_PER_ADDRESS).fill(address))
    for (const address of sockets.slice(1)) {
      // As Node makes its own servers of HTTP.
      const one = createServer({ allowHalfOpen: true, noDelay: true })
      one.on('connection', (socket) => server.emit('connection', socket))
      one.listen({ host: address, port: found.port, ...how })
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

type Endpoint = { readonly host: string; readonly port: number }

/**
 * The addresses to listen on: of `localhost` all that this machine has, because clients may try any of them, else one.
 * Fastify would serve the second one by a server of its own, whose connections are not counted.
 */
async function freeAddresses(host: string, port: number): Promise<string[]> {
  const found = await dns.lookup(host, { all: true })
  const addresses = [...new Set(found.map(({ address }) => address))]
  const [first = host, ...others] = host === 'localhost' ? addresses : addresses.slice(0, 1)
  await requireFree({ host: first, port })
  const free = [first]
  for (const other of others) {
    try {
      await requireFree({ host: other, port })
      free.push(other)
    } catch (error) {
      // `localhost` may stand for an address of IPv6 where there is none.
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error
    }
  }
  return free
}

/** Two processes that share a port would each get some of the connections, and neither would know. */
async function requireFree(endpoint: Endpoint): Promise<void> {
  const probe = createServer()
  probe.listen(endpoint)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
