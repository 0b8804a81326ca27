// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../cells/cell.ts'
import type { CellStore } from '../cells/cell-store.ts'
import type { RowFilter } from '../cells/row-filter.ts'
import { endOfPrefix, keyAfter } from '../cells/row-key.ts'
import { tableSpace } from '../tables/bytes/key-encoding.ts'
import { familyColumn } from '../tables/bytes/row-codec.ts'
import type { TableObserver } from '../tables/catalog/catalog.ts'
import type { CatalogWrites } from '../tables/catalog/catalog-writes.ts'
import { endBackfill } from '../tables/catalog/observer-changes.ts'
import { familiesOf } from '../tables/rows/table-rows.ts'
import { columnPosition } from '../tables/table-definition.ts'
import type { Settle } from '../transactions/percolator/lock-resolver.ts'
import { decodeLock } from '../transactions/records/lock.ts'
import { decodeWriteRecord } from '../transactions/records/write-record.ts'
import type { Transaction } from '../transactions/transaction.ts'
import {
  forgetBackfillPosition,
  readBackfillPosition,
  writeBackfillPosition,
} from './backfill-position.ts'

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
  const lastRead = rows.length === RAW_ROWS_MAX ? rows.at(-1)?.key : lastSeen
  if (lastRead === undefined) {
    forgetBackfillPosition(transaction, observer)
    await endBackfill(transaction, found)
    return 'ended'
  }
  writeBackfillPosition(transaction, observer, lastRead)
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
