// SPDX-License-Identifier: Apache-2.0
import type { AccessRule } from './access-path.ts'
import { walkingDirection } from './key-order.ts'
import { boundsNothing, boundsOf, type KeyBounds } from './key-range.ts'

/**
 * Of the keys that the conditions bound and that give the ORDER BY, the one with the most fixed
 * columns, then one with a range on the next; the primary key, being the first, wins a tie.
 */
export const ruleKeyPrefix: AccessRule = {
  name: 'key prefix',
  choose({ keys, conditions, orderBy }) {
    let best: { readonly bounds: KeyBounds; readonly reverse: boolean } | undefined
    for (const key of keys) {
      const bounds = boundsOf(key, conditions)
      const direction = boundsNothing(bounds) ? undefined : walkingDirection(bounds, orderBy)
      if (direction === undefined) continue
      if (best === undefined || boundedBy(bounds) > boundedBy(best.bounds)) {
        best = { bounds, reverse: direction === 'reverse' }
      }
    }
    if (best === undefined) return { lost: 'no condition bounds its first column' }
    return { path: { rule: 'key prefix', ...best, mayWalk: false } }
  },
}

function boundedBy({ points, range }: KeyBounds): number {
  return points.length * 2 + (range.length > 0 ? 1 : 0)
}
