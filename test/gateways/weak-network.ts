// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/**
 * What becomes of the bytes on the way: `slow` ones arrive later, in each direction; of `requests` or `answers` nothing
 * arrives until the way is whole again, as TCP holds what is not acknowledged.
 */
export type Weakness = 'none' | 'slow' | 'requests' | 'answers'

/** The way between a gateway and its store, which a test makes weak. */
export class WeakNetwork {
  readonly address: string
  readonly #slowMs: number
  readonly #held: Array<() => void> = []
  #weakness: Weakness = 'none'

  private constructor(address: string, slowMs: number) {
    this.address = address
    this.#slowMs = slowMs
  }

  /** `target` and `address` are hosts and ports. */
  static async start(
    t: Pick<TestContext, 'after'>,
    { target, slowMs }: { readonly target: string; readonly slowMs: number },
  ): Promise<WeakNetwork> {
    const [host = '', port] = target.split(':')
    const sockets = new Set<Socket>()
    const server = createServer((near) => {
      const far = connect(Number(port), host)
      for (const [one, other, way] of [
        [near, far, 'requests'],
        [far, near, 'answers'],
      ] as const) {
        sockets.add(one)
        one.on('data', (bytes) => network.#carry(way, () => other.write(bytes)))
        one.on('error', () => undefined)
        one.on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
      }
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const network = new WeakNetwork(`127.0.0.1:${(server.address() as AddressInfo).port}`, slowMs)
    t.after(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    return network
  }

  become(weakness: Weakness): void {
    this.#weakness = weakness
    for (const send of this.#held.splice(0)) send()
  }

  #carry(way: 'requests' | 'answers', send: () => void): void {
    if (this.#weakness === way) this.#held.push(send)
    else if (this.#weakness === 'slow') setTimeout(send, this.#slowMs)
    else send()
  }
}
