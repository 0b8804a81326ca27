// SPDX-License-Identifier: Apache-2.0
import { shownName } from '../../../parser/parser.ts'
import { scheduleTimesOf } from '../../../planner/planner.ts'
import type { Transaction } from '../../../storage/storage.ts'
import {
  keyColumns,
  readScheduleProgress,
  type ScheduleDefinition,
  type TableDefinition,
  type TableSchedule,
  writeScheduleProgress,
} from '../../../storage/tables/tables.ts'
import { ALL_LIMITS } from '../../limits.ts'
import type { ObserverTransaction } from './define-observer.ts'

/** What a transaction has done for a schedule; times are microseconds since 1970. */
export type ScheduleRun = {
  /** Those for which there is a row now, ascending. */
  readonly times: readonly number[]
  /** Whether times have passed that nobody was there for. */
  readonly isLate: boolean
  /** What it waits for; undefined when it has been dropped. */
  readonly next: number | undefined
}

/**
 * Inserts the rows of a schedule whose times have come, and moves it on to the next time, all in this transaction: of
 * two processes that do it at once one fails (O5). The caller commits where there are times.
 *
 *     next 03:00 Monday, at 03:00:01 Monday       row (nightly, 03:00 Monday), next 03:00 Tuesday
 *     next 03:00 Monday, at noon on Wednesday     LATEST: row (nightly, 03:00 Wednesday); ALL: three rows
 *
 * A row that is there already, as somebody has inserted it by hand, is the row of its time.
 */
export async function runSchedule(
  { table, schedule }: TableSchedule,
  {
    transaction,
    tx,
    now,
  }: {
    readonly transaction: Transaction
    /** Statements of the same transaction. */
    readonly tx: Pick<ObserverTransaction, 'query'>
    readonly now: number
  },
): Promise<ScheduleRun> {
  const progress = await readScheduleProgress(transaction, schedule)
  if (progress === undefined || progress.next > now) {
    return { times: [], isLate: false, next: progress?.next }
  }
  const { times, isLate } = dueTimes(schedule, progress.next, now)
  const texts = times.map((time) => new Date(time / 1_000).toISOString())
  await tx.query(insertText(table, times.length), [schedule.name, ...texts])
  const next = scheduleTimesOf(schedule).after(now)
  await transaction.statement(async () =>
    writeScheduleProgress(transaction, schedule, { next, last: times.at(-1) as number }),
  )
  return { times, isLate, next }
}

/** The times from `from` to `now` for which there are rows. */
function dueTimes(
  schedule: ScheduleDefinition,
  from: number,
  now: number,
): { readonly times: readonly number[]; readonly isLate: boolean } {
  const known = scheduleTimesOf(schedule)
  if (known.after(from) > now) return { times: [from], isLate: false }
  const max = schedule.missed === 'all' ? ALL_LIMITS.scheduleMissedMax : 1
  const times = known.between(from, now, max)
  // Where the rules of a zone have changed meanwhile, there may be none.
  return { times: times.length === 0 ? [from] : times, isLate: true }
}

function insertText(table: TableDefinition, rows: number): string {
  const [name, time] = keyColumns(table).map((column) => shownName(column.name))
  const values = Array.from({ length: rows }, (_, row) => `($1, $${row + 2})`)
  return `INSERT INTO ${shownName(table.name)} (${name}, ${time}) VALUES ${values.join(', ')} ON CONFLICT DO NOTHING`
}
