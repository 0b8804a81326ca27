// SPDX-License-Identifier: Apache-2.0

import { isPrimaryOf, type LockedColumn } from '../../transactions/records/lock.ts'
import { compareText } from '../../values/sql-value.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { type CommittedInterval, cellOfInterval, problemAt, type RowImage } from './row-image.ts'

/**
 * What the records of one row say about each other. Pure: a row image is atomic, so whatever is
 * wrong in it is wrong, also while the store is being written.
 */
export function checkHistory(image: RowImage): ConsistencyProblem[] {
  return [...checkIntervals(image), ...checkDecisions(image), ...checkLocks(image)]
}

/**
 * I4: of two writers of a column one committed before the other began. Guards count like writes.
 *
 *     write@8 -> 7, write@6 -> 5     disjoint
 *     write@8 -> 5, write@6 -> 4     the one that began at 5 did not see what was committed at 6
 */
function checkIntervals({ key, intervals }: RowImage): ConsistencyProblem[] {
  const problems: ConsistencyProblem[] = []
  const newestFirst = intervals.toSorted(
    (a, b) => compareText(a.column, b.column) || b.commitTs - a.commitTs,
  )
  for (const [at, interval] of newestFirst.entries()) {
    const { column, startTs, commitTs } = interval
    if (commitTs <= startTs) {
      const message = `It was committed at ${commitTs}, not after its start at ${startTs}.`
      problems.push(problemAt(key, cellOfInterval(interval), 'I4', message))
    }
    const older = newestFirst[at + 1]
    if (older?.column === column && older.commitTs >= startTs) {
      const message = `Its transaction began at ${startTs}, before the older version was committed at ${older.commitTs}.`
      problems.push(problemAt(key, cellOfInterval(interval), 'I4', message))
    }
  }
  return problems
}

/** I3: a transaction is decided once, and a decision takes the lock's place. */
function checkDecisions({ key, intervals, locks, rollbacks }: RowImage): ConsistencyProblem[] {
  const problems: ConsistencyProblem[] = []
  const committed = new Map(intervals.map((interval) => [nameOf(interval), interval]))
  for (const { column, startTs } of rollbacks) {
    const interval = committed.get(nameOf({ column, startTs }))
    if (interval === undefined) continue
    const message = `Its transaction, begun at ${startTs}, is committed and rolled back.`
    problems.push(problemAt(key, cellOfInterval(interval), 'I3', message))
  }
  const rolledBack = new Set(rollbacks.map(nameOf))
  for (const { column, lock } of locks) {
    const name = nameOf({ column, startTs: lock.startTs })
    if (!committed.has(name) && !rolledBack.has(name)) continue
    const decision = committed.has(name) ? 'committed' : 'rolled back'
    const message = `The lock stands although its transaction is ${decision} in this very column.`
    problems.push(problemAt(key, cellOfLock({ column, lock }), 'I3', message))
  }
  return problems
}

function checkLocks({ key, intervals, locks }: RowImage): ConsistencyProblem[] {
  const problems: ConsistencyProblem[] = []
  const newest = newestByColumn(intervals)
  const locked = new Set<string>()
  for (const locking of locks) {
    const { column, lock } = locking
    const found = (rule: string, message: string) =>
      problems.push(problemAt(key, cellOfLock(locking), rule, message))
    if (!isOfOneGroup(locking, locks)) {
      found('I1', 'Another lock of its transaction in this row names another primary.')
    }
    if (locked.has(column)) found('I4', 'The column has more than one lock.')
    locked.add(column)
    const version = newest.get(column)
    if (version !== undefined && version.commitTs >= lock.startTs) {
      if (version.startTs !== lock.startTs) {
        found(
          'I4',
          `A version was committed at ${version.commitTs}, after the lock's transaction began.`,
        )
      }
    }
    if (lock.content.kind === 'guard' && isPrimaryOf(lock, { row: key, column })) {
      found('I7', 'The primary lock is a guard, which leaves no write record to decide by.')
    }
  }
  return problems
}

/** Whether all locks of this transaction in the row name the same primary. */
function isOfOneGroup({ lock }: LockedColumn, locks: readonly LockedColumn[]): boolean {
  return locks.every(
    (other) => other.lock.startTs !== lock.startTs || isPrimaryOf(other.lock, lock.primary),
  )
}

/** The last of each column that was committed. */
export function newestByColumn(
  intervals: readonly CommittedInterval[],
): ReadonlyMap<string, CommittedInterval> {
  const newest = new Map<string, CommittedInterval>()
  for (const interval of intervals) {
    const known = newest.get(interval.column)
    if (known === undefined || known.commitTs < interval.commitTs) {
      newest.set(interval.column, interval)
    }
  }
  return newest
}

export function cellOfLock({ column, lock }: LockedColumn) {
  return { family: 'lock', qualifier: column, timestamp: lock.startTs } as const
}

/** Of a transaction's writing in a column of a row. */
export function nameOf({ column, startTs }: { readonly column: string; readonly startTs: number }) {
  return `${startTs} ${column}`
}
