// SPDX-License-Identifier: Apache-2.0
import { type AccessRule, pathAlong } from './access-path.ts'
import { bestOf } from './rule-key-prefix.ts'

/** A SCAN without WHERE says itself that it walks the table. A DELETE has to say it by a hint. */
export const ruleWholeKey: AccessRule = ({ statement, hasWhere, candidates }) => {
  if (hasWhere || statement === 'DELETE') return undefined
  const best = bestOf(candidates)
  return best && pathAlong(best, 'whole key', true)
}
