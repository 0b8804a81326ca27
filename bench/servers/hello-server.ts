// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { MeasuredServer } from './measured-server.ts'
import type { RawPutsOrder } from './raw-puts.ts'

const MAIN = fileURLToPath(new URL('./hello-main.ts', import.meta.url))

/** Answers by path: real answers of the product, so that both send as much. */
export type HelloOrder = {
  readonly answers: Readonly<Record<string, unknown>>
  /** Where what each request brings is put before it is answered. */
  readonly puts?: RawPutsOrder
}

/** What the hello server tells over the channel to its parent, which nobody else can speak on. */
export type HelloMessage = { readonly port: number }

/** Fastify answering one constant JSON for each path, in a process of its own. */
export class HelloServer implements MeasuredServer {
  readonly origin: string
  readonly #child: ChildProcess

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin
    this.#child = child
  }

  static async start(order: HelloOrder): Promise<HelloServer> {
    const child = fork(MAIN, [JSON.stringify(order)], { execArgv: [] })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the hello server ended with ${code}`)
    })
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [HelloMessage]
    ended.catch(() => {})
    return new HelloServer(`http://127.0.0.1:${message.port}`, child)
  }

  get pid(): number {
    return this.#child.pid as number
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}
