// SPDX-License-Identifier: Apache-2.0
import { eitherSignal, orAborted, sleep } from '../backoff.ts'
import { clientError } from '../errors.ts'
import { ReconnectPace } from './reconnect-pace.ts'
import { SocketConnection, type SocketOptions, type SocketUse } from './socket-connection.ts'

export type OpenOptions = {
  /** It lost a connection: it waits until the next attempt is due, which all who wait share. */
  readonly isReturning?: boolean
  /**
   * A connection of its own, because what is asked for may be what the server closed the last one for, and
   * would do so again.
   */
  readonly isAlone?: boolean
}

/**
 * The sockets that all subscriptions and observers of a database share: one, and another one where the
 * server allows no more on it. They are opened when they are needed and closed when they are not.
 */
export class SharedSocket {
  readonly #options: SocketOptions
  readonly #pace = new ReconnectPace()
  readonly #connections = new Set<SocketConnection>()
  #opening: Promise<SocketConnection> | undefined
  #isClosed = false
  #hasOpened = false
  #opened = Promise.withResolvers<void>()

  constructor(options: SocketOptions) {
    this.#options = options
  }

  /**
   * A connection with room for the use, which it is given: to be asked for in the same turn, or given back.
   * Throws as `SocketConnection.open`, and `client_closed`.
   */
  async open(
    use: SocketUse,
    signal: AbortSignal,
    { isReturning = false, isAlone = false }: OpenOptions = {},
  ): Promise<SocketConnection> {
    while (true) {
      signal.throwIfAborted()
      if (this.#isClosed) throw closed()
      const found = isAlone ? undefined : this.#withRoomFor(use)
      if (found !== undefined) {
        found.take(use)
        return found
      }
      const { waitMs } = this.#pace
      if ((isReturning || this.#hasOpened) && waitMs > 0) {
        await this.#openedWithin(waitMs, signal)
        continue
      }
      if (isAlone) {
        const own = await orAborted(this.#open(isAlone), signal)
        own.take(use)
        return own
      }
      // A use that stops waiting leaves the socket to the others, which may have filled it before its turn.
      this.#opening ??= this.#open(isAlone).finally(() => {
        this.#opening = undefined
      })
      const opened = await orAborted(this.#opening, signal)
      // Where even a new one has no room, the server says what is wrong.
      if (!opened.isUsed) {
        opened.take(use)
        return opened
      }
    }
  }

  /** Something was told or done that will not have to be again. */
  progressed(): void {
    this.#pace.progressed()
  }

  /** Whether there has been one: then the server is away, and not a wrong address. */
  get hasOpened(): boolean {
    return this.#hasOpened
  }

  /** How many sockets are open. */
  get count(): number {
    return this.#connections.size
  }

  /** All its users get `client_closed`, and it cannot be opened again. */
  close(): void {
    this.#isClosed = true
    for (const connection of [...this.#connections]) connection.close(closed())
    this.#opened.resolve()
  }

  #withRoomFor(use: SocketUse): SocketConnection | undefined {
    for (const connection of this.#connections) {
      if (connection.isOpen && connection.hasCapacityFor(use)) return connection
    }
    return undefined
  }

  /**
   * Resolves after `ms`, or as soon as another use has opened one, since the server is there again, or it was closed,
   * or the page has come back: to the network, or to whoever looks at it. Rejects with the signal's reason when it is
   * aborted first.
   */
  async #openedWithin(ms: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController()
    const wake = () => waking.abort()
    void this.#opened.promise.then(wake)
    for (const event of ['online', 'visibilitychange']) {
      const back = () => {
        this.#pace.hurry()
        wake()
      }
      ;(globalThis as Page).addEventListener?.(event, back, { signal: waking.signal })
    }
    await sleep(ms, eitherSignal(waking.signal, signal)).catch(() => undefined)
    wake()
    signal.throwIfAborted()
  }

  async #open(isAlone: boolean): Promise<SocketConnection> {
    let connection: SocketConnection
    this.#pace.trying()
    try {
      connection = await SocketConnection.open(this.#options, isAlone)
    } catch (error) {
      this.#pace.lost(0)
      throw error
    }
    if (this.#isClosed) {
      connection.close(closed())
      throw closed()
    }
    this.#hasOpened = true
    this.#connections.add(connection)
    connection.onEnd = (lostAfterMs) => {
      this.#connections.delete(connection)
      if (lostAfterMs !== undefined) this.#pace.lost(lostAfterMs)
    }
    this.#opened.resolve()
    this.#opened = Promise.withResolvers()
    return connection
  }
}

/** Of a page, where both events come by in the end. */
type Page = Partial<Pick<EventTarget, 'addEventListener'>>

function closed() {
  return clientError('client_closed')
}
