// SPDX-License-Identifier: Apache-2.0
import { type AccessRule, type Candidate, pathAlong } from './access-path.ts'
import { boundsNothing } from './key-range.ts'

/**
 * Of the keys that the conditions bound and that give the ORDER BY, the one with the most fixed
 * columns, then one with a range on the next, then one that covers; the first of equals wins, which
 * is the primary key before all indexes.
 */
export const ruleKeyPrefix: AccessRule = ({ candidates }) => {
  const best = bestOf(candidates.filter(({ bounds }) => !boundsNothing(bounds)))
  return best && pathAlong(best, 'key prefix')
}

/** The first of the best among those that give the order. */
export function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined
  for (const candidate of candidates) {
    if (candidate.direction === undefined) continue
    if (best === undefined || isBetter(candidate, best)) best = candidate
  }
  return best
}

function isBetter(a: Candidate, b: Candidate): boolean {
  const [ranksA, ranksB] = [ranksOf(a), ranksOf(b)]
  const place = ranksA.findIndex((rank, index) => rank !== ranksB[index])
  return place >= 0 && (ranksA[place] as number) > (ranksB[place] as number)
}

function ranksOf({ bounds, covering }: Candidate): readonly number[] {
  return [bounds.points.length, bounds.range.length > 0 ? 1 : 0, covering ? 1 : 0]
}
