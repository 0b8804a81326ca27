// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { placeText } from './cell-text.ts'

/** Pairs that are shown of a row, the newest. */
const PAIRS_MAX = 5

/** A row with its conflicts, and who lost to whom. */
export type ConflictRow = {
  readonly place: string
  /** At most so many, and at least `overcount` less. */
  readonly conflicts: number
  readonly overcount: number
  /** After how many of them the request was not run again. */
  readonly lost: number
  readonly lastAt: number
  /** Of 100, as long as the bar is: the row with the most has all. */
  readonly percent: number
  readonly pairs: readonly Schemas['Conflict'][]
}

/** The hottest rows first; then those of older conflicts that are still listed. */
export function conflictRows({
  hot,
  recent,
}: Pick<Schemas['ConflictList'], 'hot' | 'recent'>): readonly ConflictRow[] {
  const pairs = Map.groupBy(recent, placeText)
  const counted = hot.map((row) => ({ ...row, place: placeText(row) }))
  const known = new Set(counted.map(({ place }) => place))
  const older = [...pairs]
    .filter(([place]) => !known.has(place))
    .map(([place, of]) => ({
      place,
      conflicts: of.length,
      overcount: 0,
      lost: of.filter(({ retried }) => !retried).length,
      lastAt: Math.max(...of.map(({ at }) => at)),
    }))
  const all = [...counted, ...older]
  const most = Math.max(...all.map(({ conflicts }) => conflicts))
  return all.map(({ place, conflicts, overcount, lost, lastAt }) => ({
    ...{ place, conflicts, overcount, lost, lastAt },
    percent: (conflicts / most) * 100,
    pairs: (pairs.get(place) ?? []).slice(0, PAIRS_MAX),
  }))
}

const MET = {
  write: 'a newer version',
  guard: 'a newer guard',
  lock: 'a commit in progress',
  schema: 'a newer definition',
} as const

/** What the loser met, and what became of it. */
export function pairText({ met, attempt, retried }: Schemas['Conflict']): string {
  const run = attempt === 1 ? '' : ` in run ${attempt}`
  return `met ${MET[met]}${run}, ${retried ? 'run again' : 'not run again'}`
}
