// SPDX-License-Identifier: Apache-2.0
import { SERVER_LIMITS } from '../../../limits.ts'
import type { SubscriptionFrame } from './subscription-frame.ts'

/** What stands around the list in its frame, with the longest `id`. */
const AROUND_BYTES = 1024
const ITEMS_BYTES_MAX = SERVER_LIMITS.sentFrameBytesMax - AROUND_BYTES

/** A part of a list, as a frame of its own. */
export type ListFrame = {
  readonly frame: SubscriptionFrame
  /** Where to continue after it: the position of the first item that is in none so far. */
  readonly next: number
}

/**
 * Cuts a list of texts into frames of `sentFrameBytesMax` at most, unless one item alone is longer. A
 * frame is handed out when it is known that more follows, or by `end`.
 */
export class ListFrames {
  readonly #frameOf: (items: string, isLast: boolean) => SubscriptionFrame
  #items = ''
  #bytes = 0

  constructor(frameOf: (items: string, isLast: boolean) => SubscriptionFrame) {
    this.#frameOf = frameOf
  }

  /** The frame that was full before this item, if it was; `index` is that of the item. */
  add(item: string, index: number): ListFrame | undefined {
    const bytes = Buffer.byteLength(item) + 1
    const isFull = this.#items !== '' && this.#bytes + bytes > ITEMS_BYTES_MAX
    const full = isFull ? { frame: this.#frameOf(this.#items, false), next: index } : undefined
    if (isFull) this.#bytes = 0
    this.#items = isFull || this.#items === '' ? item : `${this.#items},${item}`
    this.#bytes += bytes
    return full
  }

  /** The last frame; undefined when no item was added. */
  end(): SubscriptionFrame | undefined {
    return this.#items === '' ? undefined : this.#frameOf(this.#items, true)
  }
}
