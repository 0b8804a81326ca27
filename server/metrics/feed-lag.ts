// SPDX-License-Identifier: Apache-2.0
import type { Storage, Timestamp } from '../../storage/storage.ts'

/**
 * How far the feed of changes is behind `timestamp`, in milliseconds: it waits for the oldest commit
 * whose outcome is still open. 0 when there is none.
 */
export async function feedLagMs(
  { feed }: Pick<Storage, 'feed'>,
  timestamp: Timestamp,
): Promise<number> {
  return Math.max(0, timestamp - (await feed.resolved())) / 1000
}
