// SPDX-License-Identifier: Apache-2.0
import { orAborted, sleep } from './backoff.ts'
import { clientError } from './errors.ts'
import { SocketConnection, type SocketOptions } from './socket-connection.ts'

/** The socket that all subscriptions and observers of a database share; opened when it is needed. */
export class SharedSocket {
  readonly #options: SocketOptions
  #opening: Promise<SocketConnection> | undefined
  #connection: SocketConnection | undefined
  #isClosed = false
  #opened = Promise.withResolvers<void>()

  constructor(options: SocketOptions) {
    this.#options = options
  }

  /** The connection that there is, or a new one. Throws as `SocketConnection.open`, and `client_closed`. */
  async open(signal: AbortSignal): Promise<SocketConnection> {
    signal.throwIfAborted()
    if (this.#isClosed) throw closed()
    if (this.#connection?.isOpen) return this.#connection
    // Whoever gives up waiting for it leaves it to the others.
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return await orAborted(this.#opening, signal)
  }

  /**
   * Resolves after `ms`, or as soon as somebody else has opened it, since the server is there again, or
   * it was closed. Rejects with the signal's reason when it is aborted first.
   */
  async openedWithin(ms: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController()
    void this.#opened.promise.then(() => waking.abort())
    await sleep(ms, AbortSignal.any([signal, waking.signal])).catch(() => undefined)
    signal.throwIfAborted()
  }

  /** All who use it are told `client_closed`, and nobody can open it again. */
  close(): void {
    this.#isClosed = true
    this.#connection?.close(closed())
    this.#opened.resolve()
  }

  async #open(): Promise<SocketConnection> {
    const connection = await SocketConnection.open(this.#options)
    if (this.#isClosed) {
      connection.close(closed())
      throw closed()
    }
    this.#connection = connection
    this.#opened.resolve()
    this.#opened = Promise.withResolvers()
    return connection
  }
}

function closed() {
  return clientError('client_closed')
}
