// SPDX-License-Identifier: Apache-2.0
import type { AccessRule } from './access-path.ts'
import { walkingDirection } from './key-order.ts'
import { boundsOf, isFullKey } from './key-range.ts'

/** Every column of a unique key fixed by = or IN: the rows are got by their keys, without a scan. */
export const ruleFullKey: AccessRule = {
  name: 'full primary key',
  choose({ keys, conditions, orderBy }) {
    for (const key of keys) {
      const bounds = boundsOf(key, conditions)
      const direction = isFullKey(bounds) ? walkingDirection(bounds, orderBy) : undefined
      if (direction === undefined) continue
      const reverse = direction === 'reverse'
      return { path: { rule: 'full primary key', bounds, reverse, mayWalk: false } }
    }
    return { lost: 'not every column of it is fixed by = or IN' }
  },
}
