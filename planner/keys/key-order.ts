// SPDX-License-Identifier: Apache-2.0
import type { KeyBounds } from './key-range.ts'

/** One column of an ORDER BY, by its position among the table's columns. */
export type OrderColumn = { readonly column: number; readonly descending: boolean }

/**
 * How the rows within the bounds must be walked to come in this order: along the key, against it, or
 * not at all (undefined). Columns fixed to one value order nothing and may be named or left out:
 *
 *     key (customer, time DESC), customer = :c       ORDER BY time DESC   forward
 *                                                    ORDER BY time        reverse
 */
export function walkingDirection(
  bounds: KeyBounds,
  orderBy: readonly OrderColumn[],
): 'forward' | 'reverse' | undefined {
  const parts = bounds.key.order
  const fixed = fixedColumns(bounds)
  const named = new Set<number>()
  let direction: 'forward' | 'reverse' | undefined
  let position = 0
  for (const { column, descending } of orderBy) {
    if (fixed.has(column) || named.has(column)) continue
    named.add(column)
    while (fixed.has(parts[position]?.column ?? -1)) position += 1
    const part = parts[position]
    // After the last column of the key no two rows are left to put in order.
    if (part === undefined) continue
    if (part.column !== column) return undefined
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
export function groupsFollow(bounds: KeyBounds, groupBy: readonly number[]): boolean {
  const fixed = fixedColumns(bounds)
  const wanted = new Set(groupBy.filter((column) => !fixed.has(column)))
  for (const { column } of bounds.key.order) {
    if (wanted.size === 0) return true
    if (!fixed.has(column) && !wanted.delete(column)) return false
  }
  // Behind the last column of the key every row is alone with its values.
  return true
}

/** The columns that have one value, the same for all rows within the bounds. */
export function fixedColumns({ key, points }: KeyBounds): ReadonlySet<number> {
  const fixed = new Set<number>()
  points.forEach((conditions, index) => {
    const column = key.bounding[index]?.column
    if (column !== undefined && conditions.some((condition) => !condition.several)) {
      fixed.add(column)
    }
  })
  return fixed
}
