// SPDX-License-Identifier: Apache-2.0
import { intact } from '../../invariant.ts'
import type { SnapshotColumns } from '../../transactions/records/version.ts'
import { observerOfAck } from './acknowledgment.ts'

/**
 * For which time a row was handed out to an observer DUE: a column of the row beside its SQL columns, as the
 * acknowledgment is. It is written in the transaction that deletes the entry of that time, and is the change that the
 * observer is notified of.
 *
 *     close is observer 9        write "due/9" @31 -> 28 "12:00"        notify "9" @28
 */
const PREFIX = 'due/'

export function handedOutColumn(observerId: number): string {
  return `${PREFIX}${observerId}`
}

/** Of whose handing out a column tells; undefined for other columns. */
export function observerOfHandedOut(column: string): number | undefined {
  if (!column.startsWith(PREFIX)) return undefined
  const id = Number(column.slice(PREFIX.length))
  return handedOutColumn(id) === column ? id : undefined
}

/** Which observer wrote a column of a row, its acknowledgment or this one; undefined for the columns of SQL. */
export function observerOfColumn(column: string): number | undefined {
  return observerOfAck(column) ?? observerOfHandedOut(column)
}

/** `time` is a value of the column of DUE: microseconds, or days, since 1970. */
export function encodeHandedOut(time: bigint): Uint8Array {
  const bytes = Buffer.allocUnsafe(BYTES)
  bytes.writeBigInt64BE(time)
  return bytes
}

/** For which time the row was handed out last; undefined where it never was. Throws on violations of O3. */
export function handedOutTime(columns: SnapshotColumns, observerId: number): bigint | undefined {
  const cell = columns.get(handedOutColumn(observerId))
  return cell && decodeHandedOut(cell.value)
}

/** Throws on violations of O3. */
export function decodeHandedOut(value: Uint8Array): bigint {
  intact(value.length === BYTES, 'O3', { damaged: 'time of DUE', length: value.length })
  return Buffer.from(value.buffer, value.byteOffset, BYTES).readBigInt64BE()
}

const BYTES = 8
