// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import type { Clock } from '../../../../storage/storage.ts'
import type { Reservation } from '../../../guard/budgets/hold.ts'
import { Room } from '../../../guard/budgets/room.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import type { FrameBatch, SubscriptionSink } from './frame-batch.ts'
import type { SubscriptionFrame } from './subscription-frame.ts'

const NEWLINE = Buffer.from('\n')

/** Bytes that wait in the stream before it asks for no more, which is not yet when there is no room. */
const WAITING_BYTES = 64 * 1024

/** The frames of one subscription as the body of an HTTP answer, one in each line. */
export class ChangeLines implements SubscriptionSink {
  readonly body: Readable
  /** Resolves with the first line. */
  readonly began: Promise<void>
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #room = new Room(() => this.isWritable)
  readonly #begin: () => void
  readonly #reservation: Reservation
  #sentBytes = 0
  /** As of the last look at what was taken. */
  #takenBytes = 0
  #takenAtMs: number

  constructor(clock: Pick<Clock, 'monotonicMs'>, reservation: Reservation) {
    this.#reservation = reservation
    const { promise, resolve } = Promise.withResolvers<void>()
    this.began = promise
    this.#begin = resolve
    this.#clock = clock
    this.#takenAtMs = clock.monotonicMs()
    this.body = new Readable({ highWaterMark: WAITING_BYTES, read: () => this.#taken() })
    this.body.once('close', () => reservation.close())
  }

  get isWritable(): boolean {
    const { readableLength } = this.body
    if (readableLength < WAITING_BYTES) return true
    return readableLength < SERVER_LIMITS.socketUnsentBytesMax && !this.#reservation.isOverdrawn
  }

  /** Who reads the lines can only read them slowly. */
  get isPaused(): boolean {
    return false
  }

  get unsentBytes(): number {
    return this.body.readableLength
  }

  send(frame: SubscriptionFrame): void {
    if (this.body.destroyed) return
    this.#look()
    for (const part of [...frame.parts(), NEWLINE]) {
      this.#sentBytes += part.length
      this.body.push(part)
    }
    this.#reservation.set(this.body.readableLength)
    this.#begin()
  }

  sendBatch({ frames }: FrameBatch): void {
    for (const { frame } of frames) this.send(frame)
  }

  room(signal: AbortSignal): Promise<void> {
    return this.#room.wait(signal)
  }

  #taken(): void {
    this.#reservation.set(this.body.readableLength)
    this.#room.taken()
  }

  end(): void {
    if (!this.body.destroyed) this.body.push(null)
  }

  /** For how long the client has taken nothing, though something waits; as far as was looked. */
  stuckMs(): number {
    this.#look()
    return this.#clock.monotonicMs() - this.#takenAtMs
  }

  /** There is no word of what was taken: the stream only asks for more when little is left. */
  #look(): void {
    const waitingBytes = this.body.readableLength
    const takenBytes = this.#sentBytes - waitingBytes
    if (waitingBytes > 0 && takenBytes === this.#takenBytes) return
    this.#takenBytes = takenBytes
    this.#takenAtMs = this.#clock.monotonicMs()
  }
}
