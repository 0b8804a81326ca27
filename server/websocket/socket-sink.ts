// SPDX-License-Identifier: Apache-2.0
import { Room } from '../room.ts'
import type { SubscriptionFrame } from '../subscriptions/subscription-frame.ts'
import type { SubscriptionSink } from '../subscriptions/subscription-sink.ts'
import type { SocketOutbox } from './socket-outbox.ts'

/** The frames of one subscription on a socket that it shares with others. */
export class SocketSink implements SubscriptionSink {
  readonly #outbox: SocketOutbox
  readonly #id: string
  readonly #resumed = new Room(() => !this.#isPaused)
  #isPaused = false

  constructor(outbox: SocketOutbox, id: string) {
    this.#outbox = outbox
    this.#id = id
  }

  get hasRoom(): boolean {
    return !this.#isPaused && this.#outbox.hasRoom
  }

  send(frame: SubscriptionFrame): void {
    this.#outbox.send(frame.parts(this.#id))
  }

  together(send: () => void): void {
    this.#outbox.together(send)
  }

  async room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (!this.hasRoom) {
      await this.#resumed.wait(signal)
      await this.#outbox.room(signal)
    }
  }

  /** The client wants no more of this subscription for now, though it reads the others. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#resumed.taken()
  }
}
