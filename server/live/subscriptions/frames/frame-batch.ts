// SPDX-License-Identifier: Apache-2.0
import type { SubscriptionPlan } from '../../../../planner/planner.ts'
import type { Timestamp } from '../../../../storage/storage.ts'
import type { ChangeFrame } from './change-frames.ts'
import type { SubscriptionFrame } from './subscription-frame.ts'

/** Longer frames go by themselves, so that all subscribers share them, and in pieces. */
const FRAME_BYTES_MAX = 16 * 1024
const BATCH_BYTES_MAX = 64 * 1024

/**
 * Frames of a query that follow each other and are told together. Nearly always they are short and whole
 * commits, seen as one plan: then they are plain, and their bytes are put together once for all
 * subscribers that have one id, and cost each of them one write.
 */
export class FrameBatch {
  readonly frames: readonly ChangeFrame[]
  /** As which all of the frames are seen; undefined when the batch is not plain. */
  readonly plan: SubscriptionPlan | undefined
  #encoded: { readonly id: string; readonly bytes: Buffer } | undefined

  private constructor(frames: readonly ChangeFrame[], plan: SubscriptionPlan | undefined) {
    this.frames = frames
    this.plan = plan
  }

  /** All of the frames, in their order. */
  static allOf(frames: readonly ChangeFrame[]): FrameBatch[] {
    const batches: FrameBatch[] = []
    let plain: ChangeFrame[] = []
    let bytes = 0
    const end = () => {
      if (plain.length > 0) batches.push(new FrameBatch(plain, plain[0]?.plan))
      plain = []
      bytes = 0
    }
    for (const change of frames) {
      const { frame, next, plan } = change
      const isPlain = next === undefined && frame.bytes <= FRAME_BYTES_MAX
      const fits = plan === plain[0]?.plan && bytes + frame.bytes <= BATCH_BYTES_MAX
      if (!isPlain || !fits) end()
      if (isPlain) {
        plain.push(change)
        bytes += frame.bytes
      } else {
        batches.push(new FrameBatch([change], undefined))
      }
    }
    end()
    return batches
  }

  get firstTs(): Timestamp {
    return (this.frames[0] as ChangeFrame).commitTs
  }

  get lastTs(): Timestamp {
    return (this.frames.at(-1) as ChangeFrame).commitTs
  }

  /** What `encode` makes of the frames for this id; remembered for the id that was asked last. */
  encoded(
    id: string,
    encode: (frames: readonly SubscriptionFrame[], id: string) => Buffer,
  ): Buffer {
    if (this.#encoded?.id !== id) {
      const frames = this.frames.map(({ frame }) => frame)
      this.#encoded = { id, bytes: encode(frames, id) }
    }
    return this.#encoded.bytes
  }
}

/** Where the frames of one subscription go: onto a WebSocket, or into the lines of an HTTP answer. */
export interface SubscriptionSink {
  /** False while more waits to be sent than may; the sender asks first. */
  readonly isWritable: boolean
  /** Whether its client wants nothing for now. */
  readonly isPaused: boolean
  /** Bytes that wait to be sent, on a socket together with those of its other frames. */
  readonly unsentBytes: number
  send(frame: SubscriptionFrame): void
  /** All frames of a batch. */
  sendBatch(batch: FrameBatch): void
  /** Resolves when there is room; at once when there is. Rejects with the signal's reason. */
  room(signal: AbortSignal): Promise<void>
}
