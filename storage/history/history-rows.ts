// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../cell-store/cell.ts'
import type { CellStore } from '../cell-store/cell-store.ts'
import type { Mutation } from '../cell-store/mutation.ts'
import { endOfPrefix, systemRowKey } from '../cell-store/row-key.ts'
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

const COLUMN = { family: 'data', qualifier: '0' } as const
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
  const scan = { start: HISTORY_PREFIX, end, filter: [{ ...COLUMN, newest: 1 }] } as const
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

/** Makes the current history unless there is one. It does no harm to send it twice, or late. */
export async function putFirstHistory(cellStore: CellStore, first: CurrentHistory): Promise<void> {
  await cellStore.checkAndMutateRow(CURRENT_ROW, {
    when: [COLUMN],
    ifMatched: [],
    otherwise: [setTo(encodeCurrent(first))],
  })
}

/** Replaces the current history, unless another process has done so before. */
export async function replaceHistory(
  cellStore: CellStore,
  { from, to }: { readonly from: CurrentHistory; readonly to: CurrentHistory },
): Promise<void> {
  const start = encodeCurrent(from)
  const end = Buffer.concat([start, Uint8Array.of(0)])
  await cellStore.checkAndMutateRow(CURRENT_ROW, {
    when: [{ ...COLUMN, newest: 1, values: { start, end } }],
    ifMatched: [setTo(encodeCurrent(to))],
    otherwise: [],
  })
}

/** Notes a gap under its number, unless there is one. */
export async function putGap(cellStore: CellStore, number: number, gap: HistoryGap): Promise<void> {
  await cellStore.checkAndMutateRow(systemRowKey(`history/${number}`), {
    when: [COLUMN],
    ifMatched: [],
    otherwise: [setTo(encodeGap(gap))],
  })
}

export function encodeCurrent({ id, from }: CurrentHistory): Uint8Array {
  return Buffer.concat([Buffer.from(id, 'hex'), encodeTimestamp(from)])
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
  return Buffer.concat([encodeTimestamp(after), encodeTimestamp(until)])
}

/** Throws RangeError. */
export function decodeGap(value: Uint8Array): HistoryGap {
  const bytes = Buffer.from(value)
  return { after: Number(bytes.readBigInt64BE(0)), until: Number(bytes.readBigInt64BE(8)) }
}

function encodeTimestamp(timestamp: Timestamp): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(timestamp))
  return bytes
}

function setTo(value: Uint8Array): Mutation {
  return { ...COLUMN, kind: 'setCell', timestamp: 0, value }
}
