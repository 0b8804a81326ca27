// SPDX-License-Identifier: Apache-2.0
import type { PastCommit } from './row-history.ts'

/** What the store holds of the runs of one observer for one row. */
export type RunsOfRow = {
  /** The snapshots of the committed runs, ascending. */
  readonly started: readonly number[]
  /** What the runs themselves have counted. */
  readonly counted: number
  /** What the last of them saw; null for a deleted row. */
  readonly seen: unknown
}

/** The commits that changed a row, ascending, and what it is now. */
export type ChangesOfRow = { readonly commits: readonly number[]; readonly amount: unknown }

/**
 * What is promised of a strong observer, at rest: each change was observed by one committed run at most
 * (between two runs there is a change that only the second saw), the last change was seen, and no run
 * was counted twice or got lost. Answers what is wrong.
 */
export function checkRuns(
  { started, counted, seen }: RunsOfRow,
  { commits, amount }: ChangesOfRow,
): string[] {
  const problems: string[] = []
  let previous = 0
  for (const startTs of started) {
    const isNews = commits.some((commitTs) => commitTs > previous && commitTs <= startTs)
    if (!isNews) problems.push(`run ${startTs} saw nothing that run ${previous} had not seen`)
    previous = startTs
  }
  const last = commits.at(-1)
  if (last !== undefined && previous < last) problems.push(`change ${last} was never seen`)
  if (counted !== started.length) problems.push(`${counted} counted of ${started.length} runs`)
  if (started.length > 0 && seen !== amount) problems.push(`saw ${seen}, but it is ${amount}`)
  return problems
}

/** Of each row that ever was, the commits that wrote it, and its column `amount` now. */
export function changesByRow(
  history: ReadonlyArray<PastCommit<{ readonly amount: number }>>,
): Map<unknown, ChangesOfRow> {
  const changes = new Map<unknown, { commits: number[]; amount: unknown }>()
  for (const { commitTs, rows } of history) {
    for (const [key, { after }] of rows) {
      const known = changes.get(key) ?? { commits: [], amount: null }
      known.commits.push(commitTs)
      known.amount = after?.amount ?? null
      changes.set(key, known)
    }
  }
  return changes
}
