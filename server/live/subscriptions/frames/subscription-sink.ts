// SPDX-License-Identifier: Apache-2.0
import type { FrameBatch } from './frame-batch.ts'
import type { SubscriptionFrame } from './subscription-frame.ts'

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
