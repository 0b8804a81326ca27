// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from 'node:util'
import type { ReceivedChange, ReceivedCommit, SubscriberRecord } from './feed-subscriber.ts'
import { type PastCommit, type RowChange, rowsAt } from './row-history.ts'
import type { WatchedQuery, WatchedRow } from './watched-table.ts'

type History = ReadonlyArray<PastCommit<WatchedRow>>
type Expected = { readonly commitTs: number; readonly changes: ReadonlyMap<string, ReceivedChange> }

/**
 * Compares what subscribers were told with what the store says that happened: from where each began up
 * to `end`, every commit that concerns its query, whole, once, in order, and nothing else.
 */
export class SubscriberChecker {
  readonly #history: History
  readonly #end: number
  readonly #expected = new Map<WatchedQuery, Expected[]>()

  constructor(history: History, end: number) {
    this.#history = history
    this.#end = end
  }

  /** What is wrong, the first of it in words; empty when nothing is. */
  check(record: SubscriberRecord): string[] {
    const { begunAt, violations } = record
    if (begunAt === undefined) return [...violations, 'it never began']
    return [
      ...violations,
      ...this.#checkSnapshot(record, begunAt),
      ...this.checkCommits(record.query, record.commits, begunAt),
    ]
  }

  /** The same of commits alone, behind a position. */
  checkCommits(
    query: WatchedQuery,
    commits: readonly ReceivedCommit[],
    position: number,
  ): string[] {
    const expected = this.#expectedOf(query).filter(({ commitTs }) => commitTs > position)
    const known = new Set(expected.map(({ commitTs }) => commitTs))
    const seen = new Set<number>()
    let previous = position
    for (const { commitTs, changes } of commits.filter(({ commitTs }) => commitTs <= this.#end)) {
      if (seen.has(commitTs)) return [`doubled: ${commitTs}`]
      if (commitTs <= previous) return [`out of order: ${commitTs} behind ${previous}`]
      if (!known.has(commitTs)) return [`invented: ${commitTs}`]
      const missing = expected.find((one) => one.commitTs > previous) as Expected
      if (missing.commitTs !== commitTs) return [`missing: ${missing.commitTs} before ${commitTs}`]
      const problem = compareChanges(missing.changes, changes)
      if (problem !== undefined) return [`${problem} in ${commitTs}`]
      seen.add(commitTs)
      previous = commitTs
    }
    const next = expected.find(({ commitTs }) => commitTs > previous)
    return next === undefined ? [] : [`missing: ${next.commitTs} at the end`]
  }

  /** How many commits there are for a query behind a position. */
  countOf(query: WatchedQuery, position: number): number {
    return this.#expectedOf(query).filter(({ commitTs }) => commitTs > position).length
  }

  #expectedOf(query: WatchedQuery): Expected[] {
    const known = this.#expected.get(query)
    if (known !== undefined) return known
    const expected = this.#history.flatMap(({ commitTs, rows }) => {
      if (commitTs > this.#end) return []
      const changes = new Map(
        [...rows].flatMap(([key, row]) => {
          const change = changeOf(query, key, row)
          return change === undefined ? [] : [[JSON.stringify([key]), change] as const]
        }),
      )
      return changes.size === 0 ? [] : [{ commitTs, changes }]
    })
    this.#expected.set(query, expected)
    return expected
  }

  #checkSnapshot({ query, beginning, snapshot }: SubscriberRecord, begunAt: number): string[] {
    if (beginning === 'now' || !('snapshot' in beginning)) return []
    if (snapshot === undefined) return ['its snapshot never ended']
    const rows = [...rowsAt(this.#history, begunAt)].filter(([, row]) => query.matches(row))
    const wanted = rows
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([key, row]) => ({ key: [key], row: query.project(row) }))
    return isDeepStrictEqual(snapshot, wanted) ? [] : [`wrong snapshot at ${begunAt}`]
  }
}

/** What a commit did to a row, seen through a query: `docs/websocket-protocol.md` has the table. */
function changeOf(
  { matches, project }: WatchedQuery,
  key: unknown,
  { before, after }: RowChange<WatchedRow>,
): ReceivedChange | undefined {
  const matched = before !== undefined && matches(before)
  const isMatch = after !== undefined && matches(after)
  if (!matched && !isMatch) return undefined
  if (!isMatch) return { op: after === undefined ? 'delete' : 'leave', key: [key] }
  const entered = before === undefined ? 'insert' : 'enter'
  return { op: matched ? 'update' : entered, key: [key], row: project(after) }
}

function compareChanges(
  expected: ReadonlyMap<string, ReceivedChange>,
  changes: readonly ReceivedChange[],
): string | undefined {
  const keys = changes.map(({ key }) => JSON.stringify(key))
  const doubled = keys.find((key, place) => keys.indexOf(key) !== place)
  if (doubled !== undefined) return `row ${doubled} twice`
  const torn = [...expected.keys()].find((key) => !keys.includes(key))
  if (torn !== undefined) return `not atomic: row ${torn} is missing`
  const wrong = changes.find(
    (change, place) => !isDeepStrictEqual(change, expected.get(keys[place] as string)),
  )
  return wrong === undefined ? undefined : `wrong row ${JSON.stringify(wrong)}`
}
