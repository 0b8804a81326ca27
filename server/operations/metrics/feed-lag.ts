// SPDX-License-Identifier: Apache-2.0
import type { Storage } from '../../../storage/storage.ts'

/**
 * How far the feed of changes is behind the newest timestamp, in milliseconds: it waits for the oldest commit whose
 * outcome is still open. 0 when there is none.
 */
export async function feedLagMs(storage: Pick<Storage, 'feed' | 'status'>): Promise<number> {
  const { timestamp } = storage.status()
  const { feed } = storage
  return Math.max(0, timestamp - (await feed.resolved())) / 1000
}
