// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server that is far away: bytes arrive half a round trip after they were sent, in their order. */
export class DelayingProxy {
  readonly #sockets = new Set<Socket>()
  readonly #server: ReturnType<typeof createServer>

  private constructor(target: string, roundTripMs: number) {
    const { hostname, port } = new URL(`http://${target}`)
    this.#server = createServer((near) => {
      const far = connect(Number(port), hostname)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from)
        from.setNoDelay(true)
        from.on('data', (bytes) => setTimeout(() => to.write(bytes), roundTripMs / 2))
        from.on('error', () => undefined)
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
      }
    })
  }

  /** Of a server at `host:port`. */
  static async start(target: string, roundTripMs: number): Promise<DelayingProxy> {
    const proxy = new DelayingProxy(target, roundTripMs)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}
