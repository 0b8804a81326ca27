// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../../storage/cells/cell.ts'
import { hasPrefix, keyString } from '../../../storage/cells/row-key.ts'
import { ackColumn, decodeAck } from '../../../storage/observers/notifications/acknowledgment.ts'
import { CATALOG_TABLE_PREFIX } from '../../../storage/tables/bytes/catalog-codec.ts'
import { decodeTable } from '../../../storage/tables/bytes/table-codec.ts'
import {
  type ObserverDefinition,
  type TableDefinition,
  tableSpace,
} from '../../../storage/tables/tables.ts'
import type { Counters } from '../sometimes.ts'
import { keyOfRow } from '../workloads/client-transaction.ts'
import { OBSERVED_CELL, seenRowName, WATCHED, WATCHERS } from '../workloads/watched-table.ts'
import { type CommitLog, columnName, type LoggedCommit } from './commit-log.ts'
import type { RecordedTransaction } from './history.ts'
import type { Violations } from './violations.ts'

/**
 * What observers have seen, by the log of what the store took: no change was observed by two committed
 * runs, and the last run of each row saw its last change.
 */
export function checkObservers(
  transactions: readonly RecordedTransaction[],
  log: CommitLog,
  { violations, counters }: { readonly violations: Violations; readonly counters: Counters },
): void {
  const definitions = definitionsIn(log)
  const last = definitions.at(-1)?.table
  if (last === undefined) return
  const report = (what: string) => violations.add('observer', what)
  const space = tableSpace(last.id)
  const watched = new Set(
    [...log.columns.keys()]
      .map((name) => name.slice(0, name.lastIndexOf('#')))
      .filter((text) => hasPrefix(keyOfRow(text), space)),
  )
  for (const observer of last.observers) {
    for (const row of watched) {
      const problem = observer.isWeak
        ? unseenHint(log, transactions, { observer, row, definitions })
        : (runWithoutChange(log, { observer, row, definitions }, counters) ??
          unseenChange(log, { observer, row, definitions }))
      if (problem !== undefined) report(`${observer.name}, row ${nameOf(row)}: ${problem}`)
    }
  }
}

/** In a store at rest no notify cell is left. */
export function checkNotified(rows: readonly Row[], violations: Violations): void {
  for (const { key, cells } of rows) {
    for (const { family, qualifier, timestamp } of cells) {
      if (family !== 'notify') continue
      const what = `row ${nameOf(keyString(key))} is left notified of ${qualifier} at ${timestamp}`
      violations.add('observer', what)
    }
  }
}

/** Whether an observer has still to be told of rows that were there before it, or before its replay. */
export function isBackfilling(log: CommitLog): boolean {
  const observers = definitionsIn(log).at(-1)?.table.observers ?? []
  return observers.some((observer) => !observer.isBackfilled)
}

type Defined = { readonly commitTs: number; readonly table: TableDefinition }

type ObservedRow = {
  readonly observer: ObserverDefinition
  readonly row: string
  readonly definitions: readonly Defined[]
}

/** The versions of the table's definition, in the order of their commits. */
function definitionsIn(log: CommitLog): Defined[] {
  return [...log.columns]
    .filter(([name]) => hasPrefix(keyOfRow(name), CATALOG_TABLE_PREFIX))
    .flatMap(([, commits]) => commits)
    .flatMap(({ commitTs, value }) =>
      value === undefined ? [] : [{ commitTs, table: decodeTable(value) }],
    )
    .filter(({ table }) => table.name === WATCHED)
    .sort((a, b) => a.commitTs - b.commitTs)
}

function observerAt(
  { observer, definitions }: ObservedRow,
  ts: number,
): ObserverDefinition | undefined {
  const table = definitions.findLast(({ commitTs }) => commitTs <= ts)?.table
  return table?.observers.find(({ id }) => id === observer.id)
}

/** At most one committed run for each change: in between two there is a change, or a REPLAY. */
function runWithoutChange(
  log: CommitLog,
  observed: ObservedRow,
  counters: Counters,
): string | undefined {
  const { observer, row } = observed
  const changes = changesOf(log, observed)
  let before: number | undefined
  for (const { startTs, value } of ordered(
    log.columns.get(columnName(row, ackColumn(observer.id))),
  )) {
    if (value === undefined) continue
    const ack = decodeAck(value)
    if (ack !== startTs) return `the run of ${startTs} acknowledged ${ack}`
    const definition = observerAt(observed, startTs)
    if (definition === undefined) return `a run at ${startTs}, when there was no such observer`
    const seen = seenUpTo(definition, before)
    const news = changes.filter(({ commitTs }) => commitTs > seen && commitTs <= startTs)
    if (news.length === 0) return `the run of ${startTs} saw no change after ${seen}`
    if (news.length > 1) counters.count('several changes seen by one run')
    if (definition.epoch !== undefined && before !== undefined && before < definition.epoch) {
      counters.count('change observed again after a replay')
    }
    before = ack
  }
  return undefined
}

/** The last change of the row has been seen; CREATE OBSERVER does not tell of rows that are gone. */
function unseenChange(log: CommitLog, observed: ObservedRow): string | undefined {
  const { observer, row, definitions } = observed
  const last = changesOf(log, observed).at(-1)
  if (last === undefined) return undefined
  const acks = ordered(log.columns.get(columnName(row, ackColumn(observer.id))))
  const value = acks.at(-1)?.value
  const seen = seenUpTo(observer, value && decodeAck(value))
  if (last.commitTs <= seen) return undefined
  const created = definitions.find(({ table }) =>
    table.observers.some(({ id }) => id === observer.id),
  )
  const toldSince = Math.max(created?.commitTs ?? 0, observer.epoch ?? 0)
  // A delete may be forgotten before a replay comes to its row.
  if (last.kind === 'delete' && last.commitTs < toldSince) return undefined
  return `the change at ${last.commitTs} was not seen, only what is up to ${seen}`
}

/** After each weak notification that is committed some run begins, and ends well. */
function unseenHint(
  log: CommitLog,
  transactions: readonly RecordedTransaction[],
  observed: ObservedRow,
): string | undefined {
  const { observer, row } = observed
  const runs = log.columns.get(columnName(seenRowName(observer.name, row), '0')) ?? []
  const lastRun = Math.max(0, ...runs.map(({ startTs }) => startTs))
  const hints = transactions
    .filter(({ hinted }) => hinted.has(row))
    .flatMap(({ startTs = 0 }) => log.commitTs.get(startTs) ?? [])
  const changes = changesOf(log, observed).filter(
    ({ startTs }) => observerAt(observed, startTs) !== undefined,
  )
  const last = Math.max(0, ...hints, ...changes.map(({ commitTs }) => commitTs))
  return lastRun > last || last === 0 ? undefined : `the hint at ${last} was not followed by a run`
}

/** By the rule as it is written, and not by the code that is checked. */
function seenUpTo({ epoch = 0, replayFrom = 0 }: ObserverDefinition, ack = 0): number {
  const isForgotten = ack < epoch && ack >= replayFrom
  return isForgotten ? replayFrom - 1 : ack
}

/** What changed in the observed column, in the order of commits. */
function changesOf(log: CommitLog, { observer, row }: ObservedRow): LoggedCommit[] {
  const column = WATCHERS.find(({ name }) => name === observer.name)?.columns[0] ?? ''
  return ordered(log.columns.get(columnName(row, OBSERVED_CELL[column] ?? '')))
}

function ordered(commits: readonly LoggedCommit[] = []): LoggedCommit[] {
  return commits.filter(({ kind }) => kind !== 'guard').toSorted((a, b) => a.commitTs - b.commitTs)
}

function nameOf(row: string): string {
  return Buffer.from(row, 'latin1').toString('hex')
}
