// SPDX-License-Identifier: Apache-2.0
import { encodePrimaryKey } from '../tables/bytes/key-encoding.ts'
import { ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import type { TableObserver } from '../tables/catalog/catalog.ts'
import { type DueObserver, dueIndexOf, isDue } from '../tables/due-index.ts'
import { scanIndexEntries } from '../tables/rows/index-scan.ts'
import { familiesOf, storedRow } from '../tables/rows/table-rows.ts'
import { columnOf, columnPosition, type TableDefinition } from '../tables/table-definition.ts'
import type { SnapshotRow } from '../transactions/records/version.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { DAY_MICROS, nowOf } from '../values/days.ts'
import type { SqlType } from '../values/sql-type.ts'
import { encodeHandedOut, handedOutColumn, handedOutTime } from './notifications/handed-out.ts'

type DueBounds = {
  /** A key of the index to begin at; absent: its beginning. */
  readonly start: Uint8Array | undefined
  /** Exclusive; absent: the end of the index. */
  readonly end: Uint8Array | undefined
  /** Microseconds since 1970. */
  readonly now: number
  readonly rowsMax: number
  readonly signal: AbortSignal
}

/**
 * Hands out rows of an observer DUE whose time has come, the earliest first: each loses its entry, and is notified of
 * for the time that it says it was handed out for (O4). The caller commits.
 *
 *     entry 12:00 7, at 12:01       delete 12:00 7, put "due/9" 12:00 in row 7, notify "9"
 *
 * A writer that moves, ends or deletes the row meanwhile writes that entry as well, so one of the two fails: no time is
 * handed out that a row does not have any more. Resolves to how many were handed out, and the time of the next one in
 * microseconds since 1970, undefined where it is not known or there is none.
 */
export async function handOutDue(
  transaction: Transaction,
  { table, observer }: DueOfTable,
  { start, end, now, rowsMax, signal }: DueBounds,
): Promise<HandedOut> {
  const index = dueIndexOf(observer)
  const { position, column } = columnOf(table, observer.due)
  const { type } = column
  const today = nowOf(type, BigInt(now))
  const scan = { limit: rowsMax, signal, ...(start && { start }), ...(end && { end }) }
  // Where an observer is dropped meanwhile its table's fence stops this commit.
  transaction.dependOnSchema(table.id)
  let rows = 0
  let last: Uint8Array | undefined
  for (const batch of scanIndexEntries(transaction, table, index, scan)) {
    for (const entry of await batch) {
      const time = entry.row[position] as bigint
      if (time > today) return { rows, last, nextMicros: microsOf(type, time) }
      last = entry.key
      const key = encodePrimaryKey(table, entry.primaryKey)
      transaction.delete(entry.key, ROW_COLUMN)
      transaction.put(key, handedOutColumn(observer.id), encodeHandedOut(time))
      transaction.notify(key, observer.id, 'strong')
      rows += 1
    }
  }
  return { rows, last, nextMicros: undefined }
}

export type DueOfTable = { readonly table: TableDefinition; readonly observer: DueObserver }

export type HandedOut = {
  readonly rows: number
  /** The key of the last one's entry. */
  readonly last: Uint8Array | undefined
  readonly nextMicros: bigint | undefined
}

/**
 * How many rows wait for their time or to be handed out, counted to `rowsMax`, and the earliest time among them in
 * microseconds since 1970. Counts from `start` on, a key of the index.
 */
export async function countDue(
  transaction: Pick<Transaction, 'scanBatches'>,
  { table, observer }: TableObserver,
  { start, rowsMax }: { readonly start: Uint8Array | undefined; readonly rowsMax: number },
): Promise<{ readonly rows: number; readonly next: number | null } | undefined> {
  if (!isDue(observer)) return undefined
  const { position, column } = columnOf(table, observer.due)
  let rows = 0
  let next: number | null = null
  const scan = { limit: rowsMax, ...(start && { start }) }
  for (const batch of scanIndexEntries(transaction, table, dueIndexOf(observer), scan)) {
    for (const { row } of await batch) {
      next ??= Number(microsOf(column.type, row[position] as bigint))
      rows += 1
    }
  }
  return { rows, next }
}

/** When a row is due that has this value. */
function microsOf(type: SqlType, time: bigint): bigint {
  return type === 'DATE' ? time * DAY_MICROS : time
}

/** Whether the row has the time that it was handed out for, so that nobody has changed it since. */
export function isHandedOut(
  table: TableDefinition,
  observer: DueObserver,
  stored: SnapshotRow | null | undefined,
): boolean {
  // One that is gone may have the column still.
  if (!stored?.columns.get(ROW_COLUMN)) return false
  const handedOut = handedOutTime(stored.columns, observer.id)
  const due = columnPosition(table, observer.due)
  const { row } = storedRow(table, familiesOf(table, [due]), stored, [due])
  return handedOut !== undefined && row[due] === handedOut
}
