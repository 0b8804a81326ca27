// SPDX-License-Identifier: Apache-2.0
import { reconnectMs, sleep } from '../backoff.ts'
import type { PercoliteError } from '../errors.ts'
import { tell } from '../tell.ts'
import { isProgress } from './reconnect-pace.ts'
import type { SharedSocket } from './shared-socket.ts'
import type { SocketConnection, SocketUse } from './socket-connection.ts'
import {
  closedForAnother,
  isForOneFrame,
  isOfConnection,
  isWorthReconnect,
} from './socket-frame.ts'

export type ReturnOptions = {
  /**
   * Called when the connection was lost, or was away for too long, before each attempt to come back.
   * What it throws is not heeded.
   */
  readonly onReconnect?: (error: PercoliteError, tries: number) => void
  /** Whether a first connection that fails is tried again too, as one that was lost. */
  readonly keepTrying?: boolean
}

/** How a subscription or an observer comes back, over as many connections as it takes. */
export class Returns {
  readonly #socket: SharedSocket
  readonly #use: SocketUse
  readonly #options: ReturnOptions
  #tries = 0
  #hasBegun = false
  #begunAt: number | undefined
  /** The connection was closed because of one frame, and it may have been this one's. */
  #isSuspect = false

  constructor(socket: SharedSocket, use: SocketUse, options: ReturnOptions) {
    this.#socket = socket
    this.#use = use
    this.#options = options
  }

  /** One with room for it. Rejects as `SharedSocket.open`. */
  connection(signal: AbortSignal): Promise<SocketConnection> {
    const options = { isReturning: this.#tries > 0, isAlone: this.#isSuspect }
    return this.#socket.open(this.#use, signal, options)
  }

  begun(): void {
    this.#hasBegun = true
    this.#begunAt = performance.now()
  }

  /** From here on it need not be done again, so the pauses between attempts start again from the shortest. */
  progressed(): void {
    this.#tries = 0
    this.#socket.progressed()
  }

  /**
   * What a lost connection means. What one frame caused ends nothing that has heard from the server, and who has not
   * is asked again on a connection of its own: if that is closed as well, it was the one.
   */
  lost(error: PercoliteError, isHeard: boolean): PercoliteError {
    if (isHeard) this.#isSuspect = false
    if (!isForOneFrame(error) || this.#isSuspect) return error
    this.#isSuspect = !isHeard
    return closedForAnother(error)
  }

  /** Waits until it may be tried again; throws the error where that would not help. */
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    if (isProgress(this.#begunAt)) this.#tries = 0
    this.#begunAt = undefined
    if (!this.mayReturn(error)) throw error
    await this.again(error, signal)
  }

  mayReturn(error: unknown): error is PercoliteError {
    if (!isWorthReconnect(error)) return false
    if (this.#hasBegun || this.#isSuspect || this.#options.keepTrying) return true
    // The client was there before: whatever begins while it is away waits as all else does.
    return error.code === 'rate_limited' || (isOfConnection(error) && this.#socket.hasOpened)
  }

  /** Waits until the next attempt is due. */
  async again(error: PercoliteError, signal: AbortSignal): Promise<void> {
    this.#tries += 1
    tell(this.#options.onReconnect, error, this.#tries)
    // A connection is waited for by all that need one, together.
    if (!isOfConnection(error)) {
      await sleep(reconnectMs(this.#tries, error.retryAfterMs), signal)
    }
  }
}
