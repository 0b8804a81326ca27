// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../cells/cell.ts'
import type { CellStore } from '../cells/cell-store.ts'
import type { RowFilter } from '../cells/row-filter.ts'
import { endOfPrefix, keyAfter } from '../cells/row-key.ts'
import { encodeEntries } from '../tables/bytes/index-entry.ts'
import { tableSpace } from '../tables/bytes/key-encoding.ts'
import { familyColumn, ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import type { TableObserver } from '../tables/catalog/catalog.ts'
import type { CatalogWrites } from '../tables/catalog/catalog-writes.ts'
import { endBackfill } from '../tables/catalog/observer-changes.ts'
import { dueIndexOf, isDue } from '../tables/due-index.ts'
import { familiesOf, storedRow } from '../tables/rows/table-rows.ts'
import { columnPosition, type IndexDefinition } from '../tables/table-definition.ts'
import type { Settle } from '../transactions/percolator/lock-resolver.ts'
import { decodeLock } from '../transactions/records/lock.ts'
import { decodeWriteRecord } from '../transactions/records/write-record.ts'
import type { Transaction } from '../transactions/transaction.ts'
import {
  forgetBackfillPosition,
  readBackfillPosition,
  writeBackfillPosition,
} from './backfill-position.ts'
import { handedOutColumn } from './notifications/handed-out.ts'

/**
 * One transaction of the notifying of rows that were there before their observer, or before what a REPLAY goes back to.
 * Later writers notify the observer themselves, so what is missing are notify cells of rows as this snapshot sees them:
 *
 *     write "0" @25 -> 21                      in the row
 *     notify "7" @60 "21"                      set by the transaction that began at 60
 *
 * The cell stands at 60 and not at 21: a run that was acknowledged before the REPLAY may still be about to
 * clear what it has seen, up to its own start, which is before 60.
 */
export type BackfillTransaction = CatalogWrites &
  Pick<Transaction, 'scanRows' | 'notifyOfOlder' | 'dependOnSchema'>

export type BackfillDependencies = { readonly cellStore: CellStore; readonly settle: Settle }

/**
 * Notifies the observer, which is not backfilled at the transaction's snapshot, of the next rows. Resolves to whether
 * those were the last ones. The caller commits. Rejects as reads do.
 */
export async function backfillBatch(
  deps: BackfillDependencies,
  transaction: BackfillTransaction,
  found: TableObserver,
  bounds: { readonly rowsMax: number; readonly signal: AbortSignal },
): Promise<'moved' | 'ended'> {
  const { table, observer } = found
  if (isDue(observer)) {
    return await dueBackfillBatch(transaction, found, { ...bounds, index: dueIndexOf(observer) })
  }
  const space = tableSpace(table.id)
  const last = await readBackfillPosition(transaction, observer)
  const start = last === undefined ? space : keyAfter(last)
  const tableEnd = endOfPrefix(space) as Uint8Array
  // What stands in other families does not concern this observer.
  const positions = observer.columns.map((id) => columnPosition(table, id))
  const columns = familiesOf(table, positions).map(familyColumn)
  const lastSeen = await settleRows(transaction, { start, end: tableEnd, columns }, bounds)
  const end = lastSeen === undefined ? tableEnd : keyAfter(lastSeen)
  const { startTs } = transaction
  const filter = changesFilter(columns, startTs)
  const scan = { start, end, filter, limit: RAW_ROWS_MAX, signal: bounds.signal }
  const rows = await Array.fromAsync(deps.cellStore.scanRows(scan))
  // Where an observer is dropped meanwhile its table's fence stops this commit.
  transaction.dependOnSchema(table.id)
  for (const row of rows) {
    const change = await newestChange(deps.settle, row, startTs)
    if (change === undefined || !isToBeTold(found, change)) continue
    transaction.notifyOfOlder(row.key, observer.id, change.startTs)
  }
  return await reached(
    transaction,
    found,
    rows.length === RAW_ROWS_MAX ? rows.at(-1)?.key : lastSeen,
  )
}

/**
 * The same for an observer DUE: the next rows get their entries, after a REPLAY those that have changed since. What was
 * handed out since the observer was made, or the REPLAY, is not handed out again.
 */
async function dueBackfillBatch(
  transaction: BackfillTransaction,
  found: TableObserver,
  bounds: {
    readonly index: IndexDefinition
    readonly rowsMax: number
    readonly signal: AbortSignal
  },
): Promise<'moved' | 'ended'> {
  const { table, observer } = found
  const { index, rowsMax, signal } = bounds
  const last = await readBackfillPosition(transaction, observer)
  const space = tableSpace(table.id)
  const families = familiesOf(
    table,
    observer.columns.map((id) => columnPosition(table, id)),
  )
  const scan = {
    start: last === undefined ? space : keyAfter(last),
    end: endOfPrefix(space) as Uint8Array,
    columns: [...families.map(familyColumn), handedOutColumn(observer.id)],
    limit: rowsMax,
    signal,
  }
  // Where an observer is dropped meanwhile its table's fence stops this commit.
  transaction.dependOnSchema(table.id)
  let rows = 0
  let lastRead: Uint8Array | undefined
  for await (const stored of transaction.scanRows(scan)) {
    rows += 1
    lastRead = stored.key
    if (!stored.columns.get(familyColumn(families[0] as number))) continue
    const { row, commitTs } = storedRow(table, families, stored)
    const handedOutTs = stored.columns.get(handedOutColumn(observer.id))?.commitTs ?? 0
    if (handedOutTs > (observer.epoch ?? 0)) continue
    if ((commitTs ?? 0) < (observer.replayFrom ?? 0)) continue
    for (const { key, value } of encodeEntries(table, index, row)) {
      transaction.put(key, ROW_COLUMN, value)
    }
  }
  return await reached(transaction, found, rows === rowsMax ? lastRead : undefined)
}

/** Notes the last row that was read; undefined where there are no more. */
async function reached(
  transaction: BackfillTransaction,
  found: TableObserver,
  lastRead: Uint8Array | undefined,
): Promise<'moved' | 'ended'> {
  if (lastRead === undefined) {
    forgetBackfillPosition(transaction, found.observer)
    await endBackfill(transaction, found)
    return 'ended'
  }
  writeBackfillPosition(transaction, found.observer, lastRead)
  return 'moved'
}

/**
 * Reads rows as the snapshot sees them, only in order that the locks and latches among them are settled, and between
 * them too. Resolves to the last row; undefined if the range has been read to its end.
 */
async function settleRows(
  transaction: Pick<Transaction, 'scanRows'>,
  range: {
    readonly start: Uint8Array
    readonly end: Uint8Array
    readonly columns: readonly string[]
  },
  { rowsMax, signal }: { readonly rowsMax: number; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  let rows = 0
  for await (const { key } of transaction.scanRows({ ...range, limit: rowsMax, signal })) {
    rows += 1
    if (rows === rowsMax) return key
  }
  return undefined
}

function changesFilter(columns: readonly string[], readTs: Timestamp): RowFilter {
  const timestamps = { until: readTs + 1 }
  return columns.flatMap((qualifier) => [
    { family: 'write', qualifier, timestamps, newest: 1 },
    { family: 'lock', qualifier, timestamps },
  ])
}

type Change = {
  readonly startTs: Timestamp
  readonly commitTs: Timestamp
  /** A delete ends the row, whichever of its columns one looks at. */
  readonly isDelete: boolean
}

/** The newest change of the row that the snapshot sees; its locks have been settled, but may still stand. */
async function newestChange(
  settle: Settle,
  { cells }: Row,
  readTs: Timestamp,
): Promise<Change | undefined> {
  let newest: Change | undefined
  for (const cell of cells) {
    const change =
      cell.family === 'write' ? changeOfWrite(cell) : await changeOfLock(settle, cell, readTs)
    if (change === undefined) continue
    if (newest === undefined || change.commitTs > newest.commitTs) newest = change
  }
  return newest
}

function changeOfWrite({ timestamp, value }: Cell): Change {
  const { startTs, content } = decodeWriteRecord(value)
  return { startTs, commitTs: timestamp, isDelete: content.kind === 'delete' }
}

async function changeOfLock(
  settle: Settle,
  { timestamp, value }: Cell,
  readTs: Timestamp,
): Promise<Change | undefined> {
  const lock = decodeLock(timestamp, value)
  if (lock.content.kind === 'guard') return undefined
  const resolution = await settle(lock)
  if (resolution.kind !== 'committed' || resolution.commitTs > readTs) return undefined
  const isDelete = lock.content.kind === 'delete'
  return { startTs: lock.startTs, commitTs: resolution.commitTs, isDelete }
}

/** CREATE OBSERVER tells of the rows that are there, REPLAY of what has changed, be it deleted. */
function isToBeTold(
  { observer: { replayFrom } }: TableObserver,
  { commitTs, isDelete }: Change,
): boolean {
  return replayFrom === undefined ? !isDelete : commitTs >= replayFrom
}

const RAW_ROWS_MAX = 1_000
