// SPDX-License-Identifier: Apache-2.0
import { addCounts, type WordCounts } from '../pages/document.ts'
import { UNKNOWN_STEPS } from './rank.ts'

/** A page of a cluster, when that was decided, and what links make of it; null while nothing leads to it. */
export type Member = {
  readonly url: string
  readonly at: number
  readonly rank: number | null
  readonly anchor_words: WordCounts | null
}

/** The page that stands for a cluster, and what the links to all copies make of it; `pages` is their number. */
export type Cluster = {
  readonly url: string
  readonly at: number
  readonly anchor_words: WordCounts
  readonly rank: number
  readonly pages: number
}

/** What every page has that nothing leads to. */
const UNLINKED = UNKNOWN_STEPS.at(-1) as number

/**
 * The page with the highest rank stands for all of them, and of equals the one whose url comes first. A
 * link to any copy counts for it. Returns undefined when there is none.
 */
export function clusterOf(members: readonly Member[]): Cluster | undefined {
  const rankOf = ({ rank }: Member) => rank ?? UNLINKED
  const [first] = members.toSorted((a, b) => rankOf(b) - rankOf(a) || (a.url < b.url ? -1 : 1))
  if (first === undefined) return undefined
  const { url, at } = first
  const anchor_words = addCounts(members.map((member) => member.anchor_words ?? []))
  const rank = members.reduce((sum, member) => sum + rankOf(member) - UNLINKED, UNLINKED)
  return { url, at, anchor_words, rank, pages: members.length }
}
