// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { type ClientOptions, WebSocket } from 'ws'
import type { AnswerBody } from './test-server.ts'

/** A frame as a test looks into it. */
export type Frame = AnswerBody

/** A client of the socket that keeps every frame until a test asks for it. */
export class SocketClient {
  readonly socket: WebSocket
  /** The first frame, where it has been passed by. */
  welcome: Frame | undefined
  readonly #frames: Frame[] = []
  #arrived = Promise.withResolvers<void>()
  #closed: { readonly code: number; readonly reason: string } | undefined
  #ids = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.#frames.push(JSON.parse(String(data)))
      this.#wake()
    })
    socket.on('close', (code, reason) => {
      this.#closed = { code, reason: String(reason) }
      this.#wake()
    })
    // What follows an error is the close.
    socket.on('error', () => undefined)
  }

  send(frame: Readonly<Record<string, unknown>>): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** The next frame, or the next that is such a one, which passes by those before it. */
  async next(isWanted: (frame: Frame) => boolean = () => true): Promise<Frame> {
    while (true) {
      const at = this.#frames.findIndex(isWanted)
      if (at >= 0) return this.#frames.splice(at, 1)[0]
      if (this.#closed !== undefined) assert.fail(`closed: ${JSON.stringify(this.#closed)}`)
      await this.#arrived.promise
    }
  }

  /** The next frame about this id. */
  about(id: string): Promise<Frame> {
    return this.next((frame) => frame.id === id)
  }

  /** What has arrived and not been asked for. */
  get unread(): readonly Frame[] {
    return this.#frames
  }

  /** The answer of a query, `result` or `error`. */
  async query(sql: string, more: Readonly<Record<string, unknown>> = {}): Promise<Frame> {
    this.#ids += 1
    const id = `query ${this.#ids}`
    this.send({ type: 'query', id, sql, ...more })
    return this.about(id)
  }

  /** The first frame about a new subscription, which is `subscribed` unless `error` is expected. */
  async subscribe(
    id: string,
    sql: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Frame> {
    this.send({ type: 'subscribe', id, sql, ...more })
    return this.about(id)
  }

  /** Resolves when the socket is closed. */
  async closed(): Promise<{ readonly code: number; readonly reason: string }> {
    while (this.#closed === undefined) await this.#arrived.promise
    return this.#closed
  }

  #wake(): void {
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }
}

/** Opens a socket that is gone with the test, and passes its `welcome` by. */
export async function openSocket(
  t: Pick<TestContext, 'after'>,
  port: number,
  options: ClientOptions = {},
): Promise<SocketClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/socket`, 'percolite.v1', options)
  const client = new SocketClient(socket)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  client.welcome = await client.next()
  assert.equal(client.welcome.type, 'welcome')
  return client
}
