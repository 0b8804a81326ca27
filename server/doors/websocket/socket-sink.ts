// SPDX-License-Identifier: Apache-2.0
import { Room } from '../../guard/budgets/room.ts'
import type { FrameBatch, SubscriptionSink } from '../../live/subscriptions/frames/frame-batch.ts'
import type { SubscriptionFrame } from '../../live/subscriptions/frames/subscription-frame.ts'
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

  get isWritable(): boolean {
    return !this.#isPaused && this.#outbox.isWritable
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  get unsentBytes(): number {
    return this.#outbox.unsentBytes
  }

  send(frame: SubscriptionFrame): void {
    this.#outbox.send(frame.parts(this.#id))
  }

  sendBatch(batch: FrameBatch): void {
    if (this.#outbox.isClear) {
      this.#outbox.sendEncoded(batch.encoded(this.#id, textFramesOf))
    } else {
      for (const { frame } of batch.frames) this.send(frame)
    }
  }

  async room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (!this.isWritable) {
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

function textFramesOf(frames: readonly SubscriptionFrame[], id: string): Buffer {
  return Buffer.concat(
    frames.flatMap((frame) => {
      const parts = frame.parts(id)
      return [textFrameHead(parts.reduce((sum, { length }) => sum + length, 0)), ...parts]
    }),
  )
}

const FINAL_TEXT = 0x81
const SHORT_MAX = 125
const MEDIUM_MAX = 0xffff

/**
 * The head of a text frame of `bytes` bytes, as a server sends it: unmasked, whole, uncompressed
 * (RFC 6455, 5.2). Throws RangeError beyond 65,535 bytes.
 */
export function textFrameHead(bytes: number): Buffer {
  if (bytes <= SHORT_MAX) return Buffer.from([FINAL_TEXT, bytes])
  if (bytes > MEDIUM_MAX) throw new RangeError('Long frames are sent in pieces.')
  return Buffer.from([FINAL_TEXT, 126, bytes >> 8, bytes & 0xff])
}
