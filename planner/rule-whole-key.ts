// SPDX-License-Identifier: Apache-2.0
import type { AccessRule } from './access-path.ts'
import { walkingDirection } from './key-order.ts'
import { boundsOf } from './key-range.ts'

/** A SCAN without WHERE says itself that it walks the table. A DELETE has to say it by a hint. */
export const ruleWholeKey: AccessRule = {
  name: 'whole key',
  choose({ statement, hasWhere, keys, orderBy }) {
    if (hasWhere) return { lost: 'there is a WHERE' }
    if (statement === 'DELETE') return { lost: 'a DELETE of all rows must say USE PRIMARY KEY' }
    for (const key of keys) {
      const bounds = boundsOf(key, [])
      const direction = walkingDirection(bounds, orderBy)
      if (direction === undefined) continue
      return {
        path: { rule: 'whole key', bounds, reverse: direction === 'reverse', mayWalk: true },
      }
    }
    return { lost: 'no key gives the ORDER BY' }
  },
}
