// SPDX-License-Identifier: Apache-2.0

import type { WireKeySample } from './bigtable-messages.ts'

/** What is walked in about a second. A smaller range is not worth the calls that claim it and say that it is done. */
const RANGE_BYTES_MIN = 16 * 1024 * 1024

/** Pure: of sampled keys those that divide the table into ranges of at least `RANGE_BYTES_MIN`. */
export function splitPointsOf(samples: readonly WireKeySample[]): Uint8Array[] {
  const points: Uint8Array[] = []
  let begins = 0
  for (const { rowKey, offsetBytes = '0' } of samples) {
    const bytes = Number(offsetBytes)
    if (rowKey === undefined || rowKey.length === 0 || bytes - begins < RANGE_BYTES_MIN) continue
    points.push(rowKey)
    begins = bytes
  }
  return points
}
