// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { numberBytes, replacePlainRow } from '../../cells/plain-row.ts'
import { endOfPrefix, systemRowKey } from '../../cells/row-key.ts'
import type { HistoryGap, HistoryId } from './store-history.ts'

/**
 * Rows without transactions, one cell each in the family `data`, qualifier `0`:
 *
 *     00 "history/current"   id (16 bytes), from (8 bytes)
 *     00 "history/1"         after (8 bytes), until (8 bytes): the gaps, numbered as they were made
 */
export const HISTORY_PREFIX = systemRowKey('history/')
export const CURRENT_ROW = systemRowKey('history/current')
export const CURRENT_BYTES = 24
export const GAP_BYTES = 16

const ID_BYTES = 16

export type CurrentHistory = { readonly id: HistoryId; readonly from: Timestamp }

/** What the rows say. While a history is being renewed the last gap may end above `current.from`. */
export type FoundHistory = {
  readonly current: CurrentHistory | undefined
  /** Ascending. */
  readonly gaps: readonly HistoryGap[]
}

/** Rejects with CellStoreError, and with RangeError where a value is too short. */
export async function readHistoryRows(cellStore: CellStore): Promise<FoundHistory> {
  const end = endOfPrefix(HISTORY_PREFIX) as Uint8Array
  const scan = { start: HISTORY_PREFIX, end, filter: [{ family: 'data', newest: 1 }] } as const
  return foundIn(await Array.fromAsync(cellStore.scanRows(scan)))
}

/** Pure: the same of the rows themselves. Throws RangeError where a value is too short. */
function foundIn(rows: readonly Row[]): FoundHistory {
  let current: CurrentHistory | undefined
  const gaps: HistoryGap[] = []
  for (const { key, cells } of rows) {
    const value = cells[0]?.value
    if (value === undefined) continue
    if (Buffer.compare(key, CURRENT_ROW) === 0) current = decodeCurrent(value)
    else gaps.push(decodeGap(value))
  }
  return { current, gaps: gaps.sort((a, b) => a.after - b.after) }
}

/** Makes the current history unless there is one. */
export async function putFirstHistory(cellStore: CellStore, first: CurrentHistory): Promise<void> {
  await replacePlainRow(cellStore, CURRENT_ROW, undefined, encodeCurrent(first))
}

/** Replaces the current history, unless another process has done so before. */
export async function replaceHistory(
  cellStore: CellStore,
  { from, to }: { readonly from: CurrentHistory; readonly to: CurrentHistory },
): Promise<void> {
  await replacePlainRow(cellStore, CURRENT_ROW, encodeCurrent(from), encodeCurrent(to))
}

/** Writes a gap under its number, unless there is one. */
export async function putGap(cellStore: CellStore, number: number, gap: HistoryGap): Promise<void> {
  await replacePlainRow(cellStore, systemRowKey(`history/${number}`), undefined, encodeGap(gap))
}

export function encodeCurrent({ id, from }: CurrentHistory): Uint8Array {
  return Buffer.concat([Buffer.from(id, 'hex'), numberBytes(from)])
}

/** Throws RangeError. */
export function decodeCurrent(value: Uint8Array): CurrentHistory {
  const bytes = Buffer.from(value)
  return {
    id: bytes.toString('hex', 0, ID_BYTES),
    from: Number(bytes.readBigInt64BE(ID_BYTES)),
  }
}

export function encodeGap({ after, until }: HistoryGap): Uint8Array {
  return Buffer.concat([numberBytes(after), numberBytes(until)])
}

/** Throws RangeError. */
export function decodeGap(value: Uint8Array): HistoryGap {
  const bytes = Buffer.from(value)
  return { after: Number(bytes.readBigInt64BE(0)), until: Number(bytes.readBigInt64BE(8)) }
}
