// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import type { Clock } from '../../storage/storage.ts'
import { SERVER_LIMITS } from '../limits.ts'
import { Room } from '../room.ts'
import type { SubscriptionFrame } from './subscription-frame.ts'
import type { SubscriptionSink } from './subscription-sink.ts'

const NEWLINE = Buffer.from('\n')

/** Bytes that wait in the stream before it asks for no more, which is not yet when there is no room. */
const WAITING_BYTES = 64 * 1024

/** The frames of one subscription as the body of an HTTP answer, one in each line. */
export class ChangeLines implements SubscriptionSink {
  readonly body: Readable
  /** Resolves with the first line. */
  readonly began: Promise<void>
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #room = new Room(() => this.hasRoom)
  readonly #begin: () => void
  #takenAtMs: number

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.began = promise
    this.#begin = resolve
    this.#clock = clock
    this.#takenAtMs = clock.monotonicMs()
    this.body = new Readable({ highWaterMark: WAITING_BYTES, read: () => this.#taken() })
  }

  get hasRoom(): boolean {
    return this.body.readableLength < SERVER_LIMITS.socketUnsentBytesMax
  }

  send(frame: SubscriptionFrame): void {
    if (this.body.destroyed) return
    if (this.body.readableLength === 0) this.#takenAtMs = this.#clock.monotonicMs()
    for (const part of frame.parts()) this.body.push(part)
    this.body.push(NEWLINE)
    this.#begin()
  }

  together(send: () => void): void {
    send()
  }

  room(signal: AbortSignal): Promise<void> {
    return this.#room.wait(signal)
  }

  end(): void {
    if (!this.body.destroyed) this.body.push(null)
  }

  /** For how long the client has taken nothing, though something waits. */
  stuckMs(): number {
    return this.body.readableLength === 0 ? 0 : this.#clock.monotonicMs() - this.#takenAtMs
  }

  #taken(): void {
    this.#takenAtMs = this.#clock.monotonicMs()
    this.#room.taken()
  }
}
