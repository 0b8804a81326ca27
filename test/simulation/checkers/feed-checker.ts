// SPDX-License-Identifier: Apache-2.0
import { keyString } from '../../../storage/cells/row-key.ts'
import type { FeedCommit } from '../../../storage/storage.ts'
import { isLoggedColumn, isLoggedRow } from '../../../storage/transactions/feed/log-entry.ts'
import type { FeedLine, RowImage } from '../workloads/feed-reader.ts'
import { type CommitLog, columnName } from './commit-log.ts'
import type { Violations } from './violations.ts'

/**
 * The six promises of the feed, against what truly happened: a line has every commit in (from,
 * position], whole, once, ascending, nothing else, and the images beside them are right.
 */
export function checkFeeds(
  lines: readonly FeedLine[],
  log: CommitLog,
  violations: Violations,
): void {
  const truth = commitsIn(log)
  for (const line of lines) {
    const expected = truth.filter(({ at }) => at > line.from && at <= line.position)
    const problem = differenceOf(
      line.commits.map(textOf),
      expected.map(({ text }) => text),
    )
    if (problem !== undefined) {
      violations.add('feed', `(${line.from}, ${line.position}]: ${problem}`)
    }
    for (const image of line.images) checkImage(image, log, violations)
  }
}

function commitsIn(log: CommitLog): Array<{ readonly at: number; readonly text: string }> {
  const commits = new Map<number, Map<string, { columns: string[]; isDelete: boolean }>>()
  for (const [name, logged] of log.columns) {
    const end = name.lastIndexOf('#')
    const [row, column] = [name.slice(0, end), name.slice(end + 1)]
    if (!isLoggedRow(Buffer.from(row, 'latin1')) || !isLoggedColumn(column)) continue
    for (const { commitTs, kind } of logged) {
      if (kind === 'guard') continue
      const rows = commits.get(commitTs) ?? new Map()
      commits.set(commitTs, rows)
      const changed = rows.get(row) ?? { columns: [], isDelete: true }
      changed.columns.push(column)
      changed.isDelete &&= kind === 'delete'
      rows.set(row, changed)
    }
  }
  return [...commits]
    .toSorted(([a], [b]) => a - b)
    .map(([at, rows]) => {
      const changed = [...rows].map(([row, { columns, isDelete }]) => {
        return { key: Buffer.from(row, 'latin1'), columns, isDelete }
      })
      return { at, text: textOf({ commitTs: at, rows: changed }) }
    })
}

function textOf({ commitTs, rows }: FeedCommit): string {
  const changed = rows.map(({ key, columns, isDelete }) => {
    return `${isDelete ? '-' : ''}${keyString(key).slice(1)}#${columns.toSorted().join('+')}`
  })
  return `${commitTs}: ${changed.toSorted().join(' ')}`
}

function differenceOf(told: readonly string[], expected: readonly string[]): string | undefined {
  for (let at = 0; at < Math.max(told.length, expected.length); at += 1) {
    if (told[at] !== expected[at]) return `told ${told[at]} where ${expected[at]} was to be told`
  }
  return undefined
}

function checkImage({ row, asOf, values }: RowImage, log: CommitLog, violations: Violations): void {
  for (const [column, value] of values) {
    const name = columnName(keyString(row), column)
    const seen = (log.columns.get(name) ?? [])
      .filter(({ commitTs, kind }) => kind !== 'guard' && commitTs <= asOf)
      .toSorted((a, b) => a.commitTs - b.commitTs)
      .at(-1)
    const expected = seen?.value
    const isRight =
      value === undefined || expected === undefined
        ? value === expected
        : Buffer.compare(value, expected) === 0
    if (!isRight) violations.add('feed image', `${name.slice(1)} as of ${asOf}`)
  }
}
