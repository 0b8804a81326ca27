// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { endOfPrefix } from '../cells/row-key.ts'
import { tableSpace } from '../tables/bytes/key-encoding.ts'
import type { TableObserver } from '../tables/catalog/catalog.ts'
import { reading } from '../transactions/own-transactions.ts'
import { notifyQualifier } from '../transactions/records/notify-cell.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { scanDeadLetters } from './dead-letter.ts'
import { countDue } from './due-rows.ts'
import { ObserverCounters } from './observer-counters.ts'
import type { ObserverDependencies } from './observer-parts.ts'
import {
  countedRowsMax,
  deadLettersShownMax,
  type ObserverDeadLetter,
  type ObserverStatus,
} from './observers.ts'

type WorkFigures = {
  readonly counters: ObserverCounters
  readonly running: number
  readonly waiting: number
  /** Of an observer DUE: before this key of its index nothing waits. */
  readonly handedOut: Uint8Array | undefined
}

/** The status of an observer: what is in the store, and what this process has run of it. */
export async function readObserverStatus(
  deps: ObserverDependencies,
  found: TableObserver,
  own: {
    readonly work: WorkFigures | undefined
    readonly cyclesWith: readonly string[]
  },
): Promise<ObserverStatus> {
  const { table, observer } = found
  const { runs, retries, conflicts, failures, lastError } =
    own.work?.counters ?? new ObserverCounters()
  const { rows, oldest } = await readPending(deps, found)
  // What was handed out and is not collected yet is not walked over at each question.
  const start = observer.state === 'paused' ? undefined : own.work?.handedOut
  const { letters, due } = await reading(deps, async (transaction) => ({
    letters: await countDeadLetters(transaction, found),
    due: await countDue(transaction, found, { start, rowsMax: countedRowsMax }),
  }))
  const now = deps.oracle.lastSeen()
  const since = Math.min(oldest ?? now, due?.next ?? now)
  return {
    observer: observer.name,
    table: table.name,
    isWeak: observer.isWeak,
    state: observer.state,
    isBackfilling: !observer.isBackfilled,
    pending: rows,
    oldestPending: oldest ?? null,
    due,
    lagMs: Math.max(0, (now - since) / 1000),
    running: own.work?.running ?? 0,
    waiting: own.work?.waiting ?? 0,
    runs,
    retries,
    conflicts,
    failures,
    deadLetters: letters.count,
    deadLettersShown: letters.shown,
    lastError,
    cyclesWith: own.cyclesWith,
  }
}

async function countDeadLetters(
  transaction: Transaction,
  { observer }: TableObserver,
): Promise<{ readonly count: number; readonly shown: readonly ObserverDeadLetter[] }> {
  const shown: ObserverDeadLetter[] = []
  let count = 0
  for await (const letter of scanDeadLetters(transaction, observer)) {
    const { key, error, tries, writtenAt: timestamp } = letter
    count += 1
    if (count <= deadLettersShownMax) shown.push({ key, error, tries, timestamp })
    if (count === countedRowsMax) break
  }
  return { count, shown }
}

/** Of at most `countedRowsMax` rows. */
async function readPending(
  { cellStore }: Pick<ObserverDependencies, 'cellStore'>,
  { table, observer }: TableObserver,
): Promise<{ readonly rows: number; readonly oldest: Timestamp | undefined }> {
  const start = tableSpace(table.id)
  let rows = 0
  let oldest: Timestamp | undefined
  for await (const { cells } of cellStore.scanRows({
    start,
    end: endOfPrefix(start) as Uint8Array,
    filter: [{ family: 'notify', qualifier: notifyQualifier(observer.id) }],
    limit: countedRowsMax,
  })) {
    rows += 1
    const timestamp = cells.at(-1)?.timestamp
    if (timestamp !== undefined) oldest = Math.min(oldest ?? timestamp, timestamp)
  }
  return { rows, oldest }
}
