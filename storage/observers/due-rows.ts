// SPDX-License-Identifier: Apache-2.0
import { encodePrimaryKey } from '../tables/bytes/key-encoding.ts'
import { ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import type { TableObserver } from '../tables/catalog/catalog.ts'
import { type DueObserver, dueIndexOf, isDue } from '../tables/due-index.ts'
import { scanIndexEntries } from '../tables/rows/index-scan.ts'
import { familiesOf, storedRow } from '../tables/rows/table-rows.ts'
import { columnOf, columnPosition, type TableDefinition } from '../tables/table-definition.ts'
import { BATCH_ROWS_MAX, runBatches } from '../transactions/own-transactions.ts'
import type { SnapshotRow } from '../transactions/records/version.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { DAY_MICROS, nowOf } from '../values/days.ts'
import type { SqlType } from '../values/sql-type.ts'
import { encodeHandedOut, handedOutColumn, handedOutTime } from './notifications/handed-out.ts'
import type { ObserverDependencies } from './observer-parts.ts'

type DueBounds = {
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
async function handOutDue(
  transaction: Transaction,
  { table, observer }: TableObserver,
  { now, rowsMax, signal }: DueBounds,
): Promise<{ readonly rows: number; readonly nextMicros: bigint | undefined }> {
  if (!isDue(observer)) return { rows: 0, nextMicros: undefined }
  const index = dueIndexOf(observer)
  const { position, column } = columnOf(table, observer.due)
  const { type } = column
  const today = nowOf(type, BigInt(now))
  let rows = 0
  for (const batch of scanIndexEntries(transaction, table, index, { limit: rowsMax, signal })) {
    for (const entry of await batch) {
      const time = entry.row[position] as bigint
      if (time > today) return { rows, nextMicros: microsOf(type, time) }
      const key = encodePrimaryKey(table, entry.primaryKey)
      transaction.delete(entry.key, ROW_COLUMN)
      transaction.put(key, handedOutColumn(observer.id), encodeHandedOut(time))
      transaction.notify(key, observer.id, 'strong')
      rows += 1
    }
  }
  // An observer that is dropped meanwhile must not get notify cells: its table's fence stops this commit.
  if (rows > 0) transaction.dependOnSchema(table.id)
  return { rows, nextMicros: undefined }
}

/**
 * How many rows wait for their time or to be handed out, counted to `rowsMax`, and the earliest time among them in
 * microseconds since 1970.
 */
export async function countDue(
  transaction: Pick<Transaction, 'scanBatches'>,
  { table, observer }: TableObserver,
  rowsMax: number,
): Promise<{ readonly rows: number; readonly next: number | null } | undefined> {
  if (!isDue(observer)) return undefined
  const { position, column } = columnOf(table, observer.due)
  let rows = 0
  let next: number | null = null
  for (const batch of scanIndexEntries(transaction, table, dueIndexOf(observer), {
    limit: rowsMax,
  })) {
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

/** Hands out what is due of one observer, for a caller that looks again and again. */
export class DueRows {
  readonly #deps: ObserverDependencies
  readonly #observerId: number
  /** When to look next, by the monotonic clock. */
  #lookMs = 0
  #rowsMax = BATCH_ROWS_MAX

  constructor(deps: ObserverDependencies, observerId: number) {
    this.#deps = deps
    this.#observerId = observerId
  }

  /** Resolves to the milliseconds after which to look again. Rejects with CellStoreError and the signal's reason. */
  async handOut(signal: AbortSignal): Promise<number> {
    const { clock, randomness, oracle, others } = this.#deps
    const waitMs = this.#lookMs - clock.monotonicMs()
    if (waitMs > 0) return waitMs
    let nextMicros: bigint | undefined
    const next = async (transaction: Transaction) => {
      const found = await this.#found(transaction)
      if (found === undefined) return false
      const handed = await handOutDue(transaction, found, {
        now: oracle.wallClock.micros(),
        rowsMax: this.#rowsMax,
        signal,
      })
      nextMicros = handed.nextMicros
      if (handed.rows === 0) return false
      await transaction.commit()
      const isAll = handed.rows < this.#rowsMax
      this.#rowsMax = BATCH_ROWS_MAX
      return !isAll
    }
    // One row that is written all the time keeps only itself.
    const conflicted = () => {
      this.#rowsMax = Math.max(1, Math.floor(this.#rowsMax / 4))
    }
    await runBatches(this.#deps, { next, conflicted }, signal)
    const lookMs =
      (others === undefined ? LOOK_MS.alone : LOOK_MS.shared) * (0.5 + randomness.fraction())
    const untilNextMs =
      nextMicros === undefined
        ? lookMs
        : Math.max(1, Number(nextMicros) / 1000 - oracle.wallClock.micros() / 1000)
    this.#lookMs = clock.monotonicMs() + Math.min(lookMs, untilNextMs)
    return this.#lookMs - clock.monotonicMs()
  }

  async #found(transaction: Transaction): Promise<TableObserver | undefined> {
    const observers = (await this.#deps.catalog(transaction)).observers()
    const found = observers.find(({ observer }) => observer.id === this.#observerId)
    return found?.observer.state === 'paused' ? undefined : found
  }
}

/** A row that was written a moment ago may be due before the next one that is known. */
const LOOK_MS = { alone: 200, shared: 400 } as const
