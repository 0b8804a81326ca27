// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache'
import type { Timestamp } from '../../../../storage/storage.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import type { SubscribedQuery } from '../matching/subscribed-query.ts'
import type { ChangeFrame } from './change-frames.ts'

/** Bytes that an entry takes in addition to its frame. */
const ENTRY_BYTES = 256

/**
 * What commits had for the subscriptions that read history by themselves: those that come back
 * together, or were slow at the same time, read the same commits one after the other, and the first of
 * them finds the changes out for all. Commits of several frames are not kept.
 */
export class FrameCache {
  readonly #frames = new LRUCache<string, readonly ChangeFrame[]>({
    maxSize: SERVER_LIMITS.frameCacheBytes,
    sizeCalculation: (frames) => ENTRY_BYTES + (frames[0]?.frame.bytes ?? 0),
  })

  /** All frames of the commit, perhaps none; undefined when that is not known. */
  get(query: SubscribedQuery, commitTs: Timestamp): readonly ChangeFrame[] | undefined {
    return this.#frames.get(nameOf(query, commitTs))
  }

  add(query: SubscribedQuery, commitTs: Timestamp, frames: readonly ChangeFrame[]): void {
    if (frames.length <= 1) this.#frames.set(nameOf(query, commitTs), frames)
  }
}

function nameOf(query: SubscribedQuery, commitTs: Timestamp): string {
  return `${query.number} ${commitTs}`
}
