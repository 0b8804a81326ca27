// SPDX-License-Identifier: Apache-2.0
import { type CommitLog, columnName, type LoggedCommit } from './commit-log.ts'
import type { Observation, OwnWrites, RecordedTransaction, SeenRow, SeenValue } from './history.ts'
import type { Violations } from './violations.ts'

/**
 * Snapshot isolation by its definition, since the timestamps are known: everything that a
 * transaction read is the newest version committed at or before its startTs, with its own writes on
 * top; and of two transactions that wrote or guarded a column, one ended before the other began.
 */
export function checkSnapshots(
  transactions: readonly RecordedTransaction[],
  log: CommitLog,
  violations: Violations,
): void {
  checkDisjoint(log, violations)
  const rowNames = [...log.columns.keys()].map((name) => name.slice(0, name.lastIndexOf('#')))
  const rows = [...new Set(rowNames)].sort()
  for (const transaction of transactions) {
    const { startTs } = transaction
    if (startTs === undefined) continue
    for (const observation of transaction.observations) {
      const expected =
        observation.kind === 'read'
          ? expectedRows(observation.rows, observation, log, startTs)
          : expectedScan(rows, observation, log, startTs)
      const problem = differenceOf(observation.seen, expected)
      if (problem !== undefined) {
        violations.add('snapshot', `${transaction} ${observation.kind}: ${problem}`)
      }
    }
  }
}

/** First committer wins: the lives of the writers and guards of a column do not overlap. */
function checkDisjoint(log: CommitLog, violations: Violations): void {
  for (const [column, commits] of log.columns) {
    const sorted = commits.toSorted((a, b) => a.commitTs - b.commitTs)
    for (const [index, { startTs, commitTs, kind, value }] of sorted.entries()) {
      const before = sorted[index - 1]
      if (commitTs <= startTs) violations.add('I4', `${column}: ${startTs} commits at ${commitTs}`)
      if (before !== undefined && before.commitTs >= startTs) {
        const both = `[${before.startTs}, ${before.commitTs}] and [${startTs}, ${commitTs}]`
        violations.add('first committer wins', `${column}: ${both} overlap`)
      }
      if (kind === 'put' && value === undefined) {
        violations.add('I5', `${column}: the version at ${commitTs} has no value`)
      }
    }
  }
}

function expectedRows(
  names: readonly string[],
  { columns, own }: { readonly columns: readonly string[]; readonly own: OwnWrites },
  log: CommitLog,
  readTs: number,
): Array<SeenRow | null> {
  return names.map((row) => {
    const seen = new Map<string, SeenValue>()
    for (const column of columns) {
      const write = own.get(row)?.get(column)
      if (write?.kind === 'put') seen.set(column, { value: write.value, commitTs: null })
      else if (write?.kind !== 'delete') {
        const version = newestUpTo(log.columns.get(columnName(row, column)), readTs)
        if (version?.value !== undefined) {
          seen.set(column, { value: version.value, commitTs: version.commitTs })
        }
      }
    }
    return seen.size === 0 ? null : { row, columns: seen }
  })
}

function expectedScan(
  committedRows: readonly string[],
  scan: Extract<Observation, { kind: 'scan' }>,
  log: CommitLog,
  readTs: number,
): SeenRow[] {
  const { start, end, reverse, limit } = scan
  const names = [...new Set([...committedRows, ...scan.own.keys()])]
    .filter((row) => row >= start && row < end)
    .sort()
  const rows = expectedRows(reverse ? names.toReversed() : names, scan, log, readTs)
  return rows.filter((row) => row !== null).slice(0, limit)
}

/** The newest put or delete at or before `readTs`; guards change nothing. */
export function newestUpTo(
  commits: readonly LoggedCommit[] | undefined,
  readTs: number,
): LoggedCommit | undefined {
  let newest: LoggedCommit | undefined
  for (const commit of commits ?? []) {
    if (commit.kind === 'guard' || commit.commitTs > readTs) continue
    if (newest === undefined || commit.commitTs > newest.commitTs) newest = commit
  }
  return newest
}

function differenceOf(
  seen: ReadonlyArray<SeenRow | null>,
  expected: ReadonlyArray<SeenRow | null>,
): string | undefined {
  for (let at = 0; at < Math.max(seen.length, expected.length); at += 1) {
    const [one, other] = [textOfRow(seen[at]), textOfRow(expected[at])]
    if (one !== other) return `saw ${one} where ${other} is right`
  }
  return undefined
}

function textOfRow(row: SeenRow | null | undefined): string {
  if (row == null) return 'nothing'
  const columns = [...row.columns]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([column, { value, commitTs }]) => {
      const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
      return `${column}@${commitTs ?? 'own'}=${text}`
    })
  return `${row.row.slice(1)} {${columns.join(' ')}}`
}
