// SPDX-License-Identifier: Apache-2.0
import { compareRowKeys } from '../cells/row-key.ts'
import { encodeIndexKey } from '../tables/bytes/index-key.ts'
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
  /** A key of the index to begin at; absent: its beginning. */
  readonly start: Uint8Array | undefined
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
  { table, observer }: DueOfTable,
  { start, now, rowsMax, signal }: DueBounds,
): Promise<HandedOut> {
  const index = dueIndexOf(observer)
  const { position, column } = columnOf(table, observer.due)
  const { type } = column
  const today = nowOf(type, BigInt(now))
  const scan = { limit: rowsMax, signal, ...(start !== undefined && { start }) }
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
  // An observer that is dropped meanwhile must not get notify cells: its table's fence stops this commit.
  if (rows > 0) transaction.dependOnSchema(table.id)
  return { rows, last, nextMicros: undefined }
}

type HandedOut = {
  readonly rows: number
  /** The key of the last one's entry. */
  readonly last: Uint8Array | undefined
  readonly nextMicros: bigint | undefined
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

/**
 * Hands out what is due of one observer, for a caller that looks again and again. Entries of rows that were handed out
 * stay as old versions until they are collected, so a look begins where the last one ended. What was committed later
 * with a time of before is found from the beginning of the index, for which a tenth of the time is taken.
 */
export class DueRows {
  readonly #deps: ObserverDependencies
  readonly #observerId: number
  /** When to look next, by the monotonic clock. */
  #lookMs = 0
  /** When to look from the beginning next. */
  #wholeMs = 0
  /** Before this key there was no entry at the last look. */
  #handedOut: Uint8Array | undefined
  #rowsMax = BATCH_ROWS_MAX

  constructor(deps: ObserverDependencies, observerId: number) {
    this.#deps = deps
    this.#observerId = observerId
  }

  /** Resolves to the milliseconds after which to look again. Rejects with CellStoreError and the signal's reason. */
  async handOut(signal: AbortSignal): Promise<number> {
    const { clock, randomness, oracle, others } = this.#deps
    const beganMs = clock.monotonicMs()
    if (beganMs < this.#lookMs) return this.#lookMs - beganMs
    const isWhole = beganMs >= this.#wholeMs
    let start = isWhole ? undefined : this.#handedOut
    let nextMicros: bigint | undefined
    const next = async (transaction: Transaction) => {
      const found = await this.#found(transaction)
      if (found === undefined) return false
      const now = oracle.wallClock.micros()
      const until = keyOfTime(found, now - LATE_MICROS)
      // The clock was set back since the last look.
      if (start && start === this.#handedOut && compareRowKeys(start, until) > 0) start = until
      const bounds = { start, now, rowsMax: this.#rowsMax, signal }
      const handed = await handOutDue(transaction, found, bounds)
      nextMicros = handed.nextMicros
      if (handed.rows > 0) await transaction.commit()
      const isAll = handed.rows < this.#rowsMax
      this.#rowsMax = BATCH_ROWS_MAX
      start = isAll ? until : handed.last
      return !isAll
    }
    // One row that is written all the time keeps only itself.
    const conflicted = () => {
      this.#rowsMax = Math.max(1, Math.floor(this.#rowsMax / 4))
    }
    await runBatches(this.#deps, { next, conflicted }, signal)
    this.#handedOut = start
    const nowMs = clock.monotonicMs()
    if (isWhole) this.#wholeMs = nowMs + (nowMs - beganMs) * WHOLE_EVERY
    const lookMs =
      (others === undefined ? LOOK_MS.alone : LOOK_MS.shared) * (0.5 + randomness.fraction())
    const untilNextMs =
      nextMicros === undefined
        ? lookMs
        : Math.max(1, Number(nextMicros) / 1000 - oracle.wallClock.micros() / 1000)
    this.#lookMs = nowMs + Math.min(lookMs, untilNextMs)
    return this.#lookMs - nowMs
  }

  async #found(transaction: Transaction): Promise<DueOfTable | undefined> {
    const observers = (await this.#deps.catalog(transaction)).observers()
    const found = observers.find(({ observer }) => observer.id === this.#observerId)
    if (found === undefined || found.observer.state === 'paused') return undefined
    const { table, observer } = found
    return isDue(observer) ? { table, observer } : undefined
  }
}

type DueOfTable = { readonly table: TableDefinition; readonly observer: DueObserver }

/** Where the entries of rows begin that are due at this moment. */
function keyOfTime({ table, observer }: DueOfTable, micros: number): Uint8Array {
  const { type } = columnOf(table, observer.due).column
  return encodeIndexKey(table, dueIndexOf(observer), [nowOf(type, BigInt(micros))])
}

/** A row that was written a moment ago may be due before the next one that is known. */
const LOOK_MS = { alone: 200, shared: 400 } as const
/** Most of those who have written a time that is over by now have committed it after so long. */
const LATE_MICROS = 1_000_000
/** Looks from the beginning come after so many times what the last one took. */
const WHOLE_EVERY = 9
