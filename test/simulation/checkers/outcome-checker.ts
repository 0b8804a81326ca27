// SPDX-License-Identifier: Apache-2.0
import { keyString, systemRowKey } from '../../../storage/cells/row-key.ts'
import { IDENTITY_PREFIX } from '../../../storage/tables/catalog/identity-row.ts'
import { INDEX_BUILD_PREFIX } from '../../../storage/tables/catalog/index-progress.ts'
import { isSharedLogRow } from '../../../storage/transactions/feed/shared-log-row.ts'
import {
  OUTCOME_COLUMN,
  outcomePath,
} from '../../../storage/transactions/records/transaction-id.ts'
import type { Counters } from '../sometimes.ts'
import { sameWrite } from '../workloads/client-transaction.ts'
import { type CommitLog, columnName } from './commit-log.ts'
import type { RecordedTransaction } from './history.ts'
import type { Violations } from './violations.ts'

/**
 * What clients were told of their transactions, against what happened: an acknowledged one is there,
 * one that was reported as rolled back is not, none is there in part, the answer to an unknown outcome
 * was right, timestamps are unique and follow real time.
 */
export function checkOutcomes(
  transactions: readonly RecordedTransaction[],
  log: CommitLog,
  { violations, counters }: { readonly violations: Violations; readonly counters: Counters },
): void {
  const report = (what: string) => violations.add('outcome', what)
  const written = commitsByStart(log)
  const known = new Set<number>()
  const stamps = new Map<number, RecordedTransaction>()
  for (const transaction of transactions) {
    const { startTs, isAsOf } = transaction
    if (startTs === undefined) continue
    if (!isAsOf) {
      checkStamps(transaction, startTs, { stamps, commitTs: log.commitTs.get(startTs) }, violations)
      known.add(startTs)
    }
    const isWriter = transaction.writesValues && !isAsOf && !transaction.readOnly
    const commitTs = isWriter ? log.commitTs.get(startTs) : undefined
    if (isWriter) checkTold(transaction, commitTs, report)
    if (commitTs !== undefined) {
      const problem = wholeness(transaction, written.get(startTs) ?? new Set(), log)
      if (problem !== undefined) report(`${transaction} is there in part: ${problem}`)
    }
    const truth = commitTs === undefined ? 'rolled back' : 'committed'
    if (transaction.outcome === 'unknown') {
      counters.count(`commit outcome unknown, in truth ${truth}`)
    }
    if (transaction.outcome === 'lost') counters.count(`client lost by a crash, in truth ${truth}`)
  }
  checkDefinitions(transactions, log, violations)
  for (const startTs of log.commitTs.keys()) {
    const isExpected = known.has(startTs) || isOwnWork(written.get(startTs))
    if (!isExpected) report(`a transaction that nobody began at ${startTs} committed`)
  }
}

/**
 * The store itself builds indexes and notifies observers of older rows, and each transaction of that
 * writes how far it has come; it puts away what observers cannot do, and takes blocks of numbers.
 */
function isOwnWork(columns: ReadonlySet<string> | undefined): boolean {
  return [...(columns ?? [])].some((column) => OWN_ROWS.some((prefix) => column.startsWith(prefix)))
}

const OWN_ROWS = [
  INDEX_BUILD_PREFIX,
  IDENTITY_PREFIX,
  systemRowKey('observer-backfill/'),
  systemRowKey('dead-letter/'),
].map(keyString)

function checkTold(
  transaction: RecordedTransaction,
  commitTs: number | undefined,
  report: (what: string) => void,
): void {
  const { outcome, settled } = transaction
  if (outcome === 'committed' && commitTs !== transaction.commitTs) {
    report(`${transaction} was acknowledged at ${transaction.commitTs}, but is at ${commitTs}`)
  }
  if (outcome === 'rolledBack' && commitTs !== undefined) {
    report(`${transaction} was reported as rolled back, but committed at ${commitTs}`)
  }
  if (settled?.kind === 'committed' && commitTs !== settled.commitTs) {
    report(`${transaction} is said to be committed at ${settled.commitTs}, but is at ${commitTs}`)
  }
  if (settled?.kind === 'rolledBack' && commitTs !== undefined) {
    report(`${transaction} is said to be rolled back, but committed at ${commitTs}`)
  }
  if (outcome === 'committed' && settled?.kind === 'rolledBack') {
    report(`${transaction} was acknowledged, and then said to be rolled back`)
  }
}

/** Nobody writes by a definition of a table that has been replaced when the write commits. */
function checkDefinitions(
  transactions: readonly RecordedTransaction[],
  log: CommitLog,
  violations: Violations,
): void {
  const spans = transactions.flatMap((transaction) => {
    const { startTs = 0, schema, isAsOf } = transaction
    const commitTs = isAsOf ? undefined : log.commitTs.get(startTs)
    return commitTs === undefined ? [] : [{ transaction, schema, startTs, commitTs }]
  })
  const changes = spans.filter(({ schema }) => schema === 'changes')
  for (const { transaction, schema, startTs, commitTs } of spans) {
    if (schema !== 'depends') continue
    const change = changes.find((one) => startTs < one.commitTs && one.commitTs < commitTs)
    if (change === undefined) continue
    const what = `${transaction} committed at ${commitTs}, after a change at ${change.commitTs}`
    violations.add('definition', what)
  }
}

/** Every timestamp is its own, and later than all that anybody was told before it was asked for. */
function checkStamps(
  transaction: RecordedTransaction,
  startTs: number,
  { stamps, commitTs }: { stamps: Map<number, RecordedTransaction>; commitTs: number | undefined },
  violations: Violations,
): void {
  for (const stamp of commitTs === undefined ? [startTs] : [startTs, commitTs]) {
    const other = stamps.get(stamp)
    if (other !== undefined) {
      violations.add('timestamps', `${stamp} was given to ${transaction} and to ${other}`)
    }
    stamps.set(stamp, transaction)
  }
  const { acknowledgedBefore, begunBefore } = transaction
  if (startTs <= acknowledgedBefore) {
    const what = `${transaction} began after a commit at ${acknowledgedBefore} was acknowledged`
    violations.add('real time', what)
  }
  if (startTs <= begunBefore) {
    violations.add('real time', `${transaction} began after a transaction at ${begunBefore}`)
  }
}

/** Each column that the client wrote was committed with what it wrote, and no other was. */
function wholeness(
  transaction: RecordedTransaction,
  columns: Set<string>,
  log: CommitLog,
): string | undefined {
  for (const [row, writes] of transaction.writes) {
    for (const [qualifier, write] of writes) {
      const column = columnName(row, qualifier)
      if (!columns.delete(column)) return `${column.slice(1)} is missing`
      const commit = log.columns.get(column)?.find(({ startTs }) => startTs === transaction.startTs)
      if (commit?.kind !== write.kind || !sameWrite(write, commit.value)) {
        return `${column.slice(1)} is not what it wrote`
      }
    }
  }
  if (transaction.keepsOutcome && transaction.id !== undefined) {
    const outcomeRow = keyString(systemRowKey(outcomePath(transaction.id)))
    if (!columns.delete(columnName(outcomeRow, OUTCOME_COLUMN))) return 'its outcome is missing'
  }
  const [extra] = columns
  return extra === undefined ? undefined : `${extra.slice(1)} was not written by it`
}

/** Without the notes for the feed, which is compared with all of this. */
function commitsByStart(log: CommitLog): Map<number, Set<string>> {
  const byStart = new Map<number, Set<string>>()
  for (const [column, commits] of log.columns) {
    if (isSharedLogRow(Buffer.from(column, 'latin1'))) continue
    for (const { startTs } of commits) {
      const columns = byStart.get(startTs) ?? new Set<string>()
      byStart.set(startTs, columns.add(column))
    }
  }
  return byStart
}
