// SPDX-License-Identifier: Apache-2.0
import { Room } from '../../server/guard/budgets/room.ts'
import type {
  FrameBatch,
  SubscriptionSink,
} from '../../server/live/subscriptions/frames/frame-batch.ts'
import type { SubscriptionFrame } from '../../server/live/subscriptions/frames/subscription-frame.ts'
import type { Frame } from './socket-client.ts'

/** Keeps the frames of one subscription, and has as much room as a test leaves it. */
export class RecordingSink implements SubscriptionSink {
  readonly frames: Frame[] = []
  readonly #room = new Room(() => this.isWritable)
  #arrived = Promise.withResolvers<void>()
  #framesLeft: number

  /** Room for so many frames. */
  constructor(framesLeft = Number.POSITIVE_INFINITY) {
    this.#framesLeft = framesLeft
  }

  get isWritable(): boolean {
    return this.#framesLeft > 0
  }

  get isPaused(): boolean {
    return false
  }

  get unsentBytes(): number {
    return 0
  }

  get bytes(): number {
    return Buffer.byteLength(JSON.stringify(this.frames))
  }

  send(frame: SubscriptionFrame): void {
    this.#framesLeft -= 1
    this.frames.push(JSON.parse(Buffer.concat(frame.parts()).toString()))
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }

  sendBatch({ frames }: FrameBatch): void {
    for (const { frame } of frames) this.send(frame)
  }

  room(signal: AbortSignal): Promise<void> {
    return this.#room.wait(signal)
  }

  makeRoom(frames: number): void {
    this.#framesLeft += frames
    this.#room.taken()
  }

  /** Resolves when that is so of what has arrived. */
  async until(isSo: (frames: readonly Frame[]) => boolean): Promise<void> {
    while (!isSo(this.frames)) await this.#arrived.promise
  }
}
