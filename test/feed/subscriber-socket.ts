// SPDX-License-Identifier: Apache-2.0
import { WebSocket } from 'ws'
import type { FeedSubscriber } from './feed-subscriber.ts'

const RECONNECT_MS_MAX = 200

/**
 * A socket with some subscribers, which it subscribes anew on each connection. `connect` may be called
 * again when the connection is gone, also with another address.
 */
export class SubscriberSocket {
  readonly subscribers: readonly FeedSubscriber[]
  readonly #breaksInside: () => boolean
  #socket: WebSocket | undefined
  #reconnecting: NodeJS.Timeout | undefined
  #moved = Promise.withResolvers<void>()

  /** `breaksInside` is asked between two frames of a commit whether the connection breaks there. */
  constructor(subscribers: readonly FeedSubscriber[], breaksInside: () => boolean = () => false) {
    this.subscribers = subscribers
    this.#breaksInside = breaksInside
  }

  connect(url: string): void {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/socket`, 'percolite.v1')
    this.#socket = socket
    const subscribe = (subscriber: FeedSubscriber, id: number) => {
      const frame = { type: 'subscribe', id: String(id), ...subscriber.request() }
      socket.send(JSON.stringify(frame))
    }
    socket.on('open', () => this.subscribers.forEach(subscribe))
    socket.on('message', (data) => {
      const { id, ...frame } = JSON.parse(String(data))
      // What was on its way when the connection was given up has not been taken.
      const subscriber = this.#socket === socket ? this.subscribers[Number(id)] : undefined
      subscriber?.take(frame)
      if (subscriber?.isToRestart) subscribe(subscriber, Number(id))
      if (subscriber?.isRefused)
        this.#subscribeLater(socket, () => subscribe(subscriber, Number(id)))
      if (subscriber?.isInsideCommit && this.#breaksInside()) this.breakAndReturn(url, 0)
      this.#wake()
    })
    socket.on('close', () => this.#lost(socket))
    // What follows an error is the close.
    socket.on('error', () => undefined)
  }

  #subscribeLater(socket: WebSocket, subscribe: () => void): void {
    setTimeout(() => {
      if (this.#socket === socket && this.isConnected) subscribe()
    }, RECONNECT_MS_MAX)
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Breaks the connection, wherever in a frame it is. */
  break(): void {
    const socket = this.#socket
    if (socket === undefined) return
    this.#lost(socket)
    socket.terminate()
  }

  /** Breaks it, and comes back a little later. */
  breakAndReturn(url: string, fraction: number): void {
    this.break()
    clearTimeout(this.#reconnecting)
    this.#reconnecting = setTimeout(() => this.connect(url), fraction * RECONNECT_MS_MAX)
  }

  /** Comes back now, if it is away. */
  returnNow(url: string): void {
    clearTimeout(this.#reconnecting)
    if (this.#socket === undefined) this.connect(url)
  }

  /** Reads nothing until `readOn`. */
  stopReading(): void {
    if (this.isConnected) this.#socket?.pause()
  }

  readOn(): void {
    if (this.#socket?.isPaused === true) this.#socket.resume()
  }

  /** Resolves when all of its subscribers know everything up to there. Rejects when it is over. */
  async until(timestamp: number, signal: AbortSignal): Promise<void> {
    const stop = () => this.#wake()
    signal.addEventListener('abort', stop)
    while (this.subscribers.some(({ position = 0 }) => position < timestamp)) {
      if (signal.aborted) throw new Error(this.#saidOf(timestamp))
      await this.#moved.promise
    }
    signal.removeEventListener('abort', stop)
  }

  close(): void {
    clearTimeout(this.#reconnecting)
    this.break()
  }

  #saidOf(timestamp: number): string {
    const waiting = this.subscribers
      .filter(({ position = 0 }) => position < timestamp)
      .map(({ query, position, violations }) => `${query.sql} is at ${position} ${violations}`)
    const state = this.isConnected ? 'connected' : 'not connected'
    return `Nobody was told of ${timestamp}: ${waiting.join(', ')}, ${state}.`
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return
    this.#socket = undefined
    for (const subscriber of this.subscribers) subscriber.disconnected()
    this.#wake()
  }

  #wake(): void {
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }
}
