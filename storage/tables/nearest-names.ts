// SPDX-License-Identifier: Apache-2.0
import { STORAGE_LIMITS } from '../limits.ts'

/**
 * The names that a user who wrote `wanted` most likely meant, best first: equal but for case, or within an edit
 * distance of a third of its length (at least 1), with something in common. At most `count` of them.
 */
export function nearestNames(wanted: string, names: Iterable<string>, count = 3): string[] {
  // No known name is longer, and the distance takes the product of two lengths.
  if (wanted.length > STORAGE_LIMITS.nameBytesMax) return []
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3))
  const near: Array<{ name: string; distance: number }> = []
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) > distanceMax) continue
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase())
    const isRelated = distance < Math.max(wanted.length, name.length)
    if (distance <= distanceMax && isRelated) near.push({ name, distance })
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return near.slice(0, count).map(({ name }) => name)
}

/**
 * How many characters must be inserted, deleted or replaced, or neighbours swapped, to make `b` of
 * `a` (optimal string alignment).
 */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      let best = Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1)
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (row > 1 && column > 1 && swapped)
        best = Math.min(best, at(beforePrevious, column - 2) + 1)
      current.push(best)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, b.length)
}

function at(distances: readonly number[], index: number): number {
  return distances[index] as number
}
