// SPDX-License-Identifier: Apache-2.0
import type { KeyBounds } from './key-range.ts'
import type { KeyTerm } from './key-term.ts'

/** One part of an ORDER BY that a key may have. */
export type OrderTerm = { readonly term: KeyTerm; readonly descending: boolean }

/**
 * How the rows within the bounds must be walked to come in this order: along the key, against it, or
 * not at all (undefined). Columns fixed to one value order nothing and may be named or left out:
 *
 *     key (customer, time DESC), customer = :c       ORDER BY time DESC   forward
 *                                                    ORDER BY time        reverse
 */
export function walkingDirection(
  bounds: KeyBounds,
  orderBy: readonly OrderTerm[],
): 'forward' | 'reverse' | undefined {
  const parts = bounds.key.order
  const fixed = fixedTerms(bounds)
  const named = new Set<KeyTerm>()
  let direction: 'forward' | 'reverse' | undefined
  let position = 0
  for (const { term, descending } of orderBy) {
    if (fixed.has(term) || named.has(term)) continue
    named.add(term)
    while (fixed.has(parts[position]?.term ?? -1)) position += 1
    const part = parts[position]
    // After the last column of the key no two rows are left to put in order.
    if (part === undefined) continue
    if (part.term !== term) return undefined
    const wanted = part.descending === descending ? 'forward' : 'reverse'
    if (direction !== undefined && direction !== wanted) return undefined
    direction = wanted
    position += 1
  }
  return direction ?? 'forward'
}

/**
 * Whether rows with equal values of these columns follow each other on the walk: apart from columns
 * fixed to one value, they are the first ones of the key, in any order.
 */
export function groupsFollow(bounds: KeyBounds, groupBy: readonly KeyTerm[]): boolean {
  const fixed = fixedTerms(bounds)
  const wanted = new Set(groupBy.filter((term) => !fixed.has(term)))
  for (const { term } of bounds.key.order) {
    if (wanted.size === 0) return true
    if (!fixed.has(term) && !wanted.delete(term)) return false
  }
  // Behind the last column of the key every row is alone with its values.
  return true
}

/** What has one value, the same for all rows within the bounds. */
export function fixedTerms({ key, points }: KeyBounds): ReadonlySet<KeyTerm> {
  const fixed = new Set<KeyTerm>()
  points.forEach((conditions, index) => {
    const term = key.bounding[index]?.term
    if (term !== undefined && conditions.some((condition) => !condition.several)) {
      fixed.add(term)
    }
  })
  return fixed
}
