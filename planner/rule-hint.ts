// SPDX-License-Identifier: Apache-2.0
import type { AccessRule } from './access-path.ts'
import type { CandidateKey } from './candidate-key.ts'
import { walkingDirection } from './key-order.ts'
import { boundsOf } from './key-range.ts'

/** A hint decides. Its key is walked whole when no condition bounds it: the statement said so. */
export const ruleHint: AccessRule = {
  name: 'hint',
  choose({ hint, keys, conditions, orderBy }) {
    if (hint === undefined) return { lost: 'the statement names no key' }
    // The primary key is the first candidate of every table.
    const bounds = boundsOf(keys[0] as CandidateKey, conditions)
    const direction = walkingDirection(bounds, orderBy)
    if (direction === undefined) return { lost: 'the key named does not give the ORDER BY' }
    const path = { rule: 'hint', bounds, reverse: direction === 'reverse', mayWalk: true }
    return { path }
  },
}
