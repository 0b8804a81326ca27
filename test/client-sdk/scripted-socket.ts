// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on the shape that it expects.
export type Frame = any

/** What comes from the other side, in its order, to be waited for. */
class Incoming<T> {
  readonly #items: T[] = []
  #arrived = Promise.withResolvers<void>()

  push(item: T): void {
    this.#items.push(item)
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }

  async next(): Promise<T> {
    while (this.#items.length === 0) await this.#arrived.promise
    return this.#items.shift() as T
  }
}

/** One connection of a client, as the server of a test sees it. */
export class ScriptedConnection {
  readonly closed: Promise<unknown>
  readonly #socket: WebSocket
  readonly #frames = new Incoming<Frame>()

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = once(socket, 'close')
    socket.on('message', (data) => this.#frames.push(JSON.parse(String(data))))
  }

  /** The next frame of the client. */
  next(): Promise<Frame> {
    return this.#frames.next()
  }

  send(...frames: readonly Frame[]): void {
    for (const frame of frames) this.#socket.send(JSON.stringify(frame))
  }

  sendBytes(bytes: Buffer): void {
    this.#socket.send(bytes, { binary: true })
  }

  /** Breaks the connection without a word. */
  drop(): void {
    this.#socket.terminate()
  }

  close(code: number, reason = ''): void {
    this.#socket.close(code, reason)
  }
}

/** A WebSocket server that says what a test lets it say, after a welcome with these limits. */
export async function startScriptedSocket(
  context: Pick<TestContext, 'after'>,
  limits: Readonly<Record<string, unknown>> = {},
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/v1/socket' })
  const connections = new Incoming<ScriptedConnection>()
  let connectionCount = 0
  server.on('connection', (socket) => {
    connectionCount += 1
    socket.send(JSON.stringify({ type: 'welcome', version: '0', protocol: 'percolite.v1', limits }))
    connections.push(new ScriptedConnection(socket))
  })
  await once(server, 'listening')
  const stop = async () => {
    for (const socket of server.clients) socket.terminate()
    await new Promise((resolve) => server.close(resolve))
  }
  context.after(stop)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop,
    /** How many have been opened so far. */
    get connectionCount() {
      return connectionCount
    },
    /** The next connection of a client. */
    connection: () => connections.next(),
  }
}

/** Clients come back without a pause: within one their connection may become idle, and be given up. */
export function comeBackAtOnce(context: TestContext): void {
  context.mock.method(Math, 'random', () => 0)
}

// What a server says about the rows `id TEXT PRIMARY KEY, n INTEGER`.

export const COLUMNS = [
  { name: 'id', type: 'TEXT' },
  { name: 'n', type: 'INTEGER' },
]
export const KEY = [{ name: 'id', type: 'TEXT' }]

export const subscribed = (id: string, timestamp: number) => ({
  type: 'subscribed',
  id,
  timestamp,
  columns: COLUMNS,
  key: KEY,
})
export const wireRow = (id: string, n: number) => ({ key: [id], row: { id, n } })
export const insert = (id: string, n: number) => ({ op: 'insert', ...wireRow(id, n) })
export const change = (
  id: string,
  commitTimestamp: number,
  changes: readonly Frame[],
  last = true,
) => ({
  type: 'change',
  id,
  commitTimestamp,
  changes,
  last,
})

// The same in the mode `result`, as the list of these rows.

export const listed = (id: string, timestamp: number, more: object = {}) => ({
  type: 'subscribed',
  id,
  timestamp,
  history: 'h',
  mode: 'result',
  columns: COLUMNS,
  ...more,
})
export const snapshotEnd = (id: string, timestamp: number, digest: string) => ({
  type: 'snapshotEnd',
  id,
  timestamp,
  digest,
})
export const patch = (
  id: string,
  timestamp: number,
  splice: readonly Frame[],
  digest: string | undefined,
) => ({ type: 'patch', id, timestamp, splice, last: digest !== undefined, digest })

export const problem = (id: string, code: string, status: number) => ({
  type: 'error',
  id,
  code,
  status,
  title: code,
  detail: `It is ${code}.`,
  retryable: false,
})

/** What an iterator gives next, which has not come to its end. */
export async function given<T>(next: Promise<IteratorResult<T, undefined>>): Promise<T> {
  const { done, value } = await next
  assert.ok(!done, 'there is a next one')
  return value as T
}
