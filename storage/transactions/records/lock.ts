// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import { bufferOf, compareRowKeys } from '../../cells/row-key.ts'
import { intact } from '../../invariant.ts'
import { decodeNotify } from './notify-cell.ts'
import {
  contentBytes,
  decodeContent,
  decodeStartTs,
  type WrittenContent,
  writeContent,
  writeStartTs,
} from './write-record.ts'

/**
 * The mark of a transaction under way on one column (Percolator 2.2): the cell's timestamp is the transaction's
 * startTs. One of its locks is the primary, named by all the others; whether the primary has become a write record
 * decides for all of them.
 */
export type Lock = {
  readonly startTs: Timestamp
  readonly primary: ColumnAddress
  /** The run of a process that owns the transaction, as 32 hexadecimal digits; see `liveness.ts`. */
  readonly incarnation: string
  /** The time of the owner's last heartbeat, in oracle microseconds. */
  readonly wallMicros: number
  /** `guard` locks carry no value and do not hide the column from readers. */
  readonly content: WrittenContent | { readonly kind: 'guard' }
}

export type ColumnAddress = { readonly row: Uint8Array; readonly column: string }

/** A column of a row with the lock that one transaction has, or wants to have, on it. */
export type LockedColumn = { readonly column: string; readonly lock: Lock }

/**
 * All columns of one row that one transaction writes or guards. They are locked, committed and
 * rolled back by one mutation of the row, so they appear and disappear together (I1). Columns are in
 * byte order; the first is the anchor that predicates test for the whole group.
 */
export type RowGroup = {
  readonly row: Uint8Array
  readonly columns: readonly [LockedColumn, ...LockedColumn[]]
  /** The observers that its prewrite notified. */
  readonly notified?: readonly number[] | undefined
}

const GUARD_BYTE = 0x47
const INCARNATION_BYTES = 16
/** Where the primary's row begins: after the wall time, the incarnation and the row's length. */
const ROW_AT = 8 + INCARNATION_BYTES + 2

/**
 * The bytes of a lock: `wallMicros` u64be, incarnation (16 bytes), primary row length u16be and row, primary column
 * length u8 and column, then the content as in a write record, or the byte 47 for a guard.
 */
export function encodeLock(lock: Lock): Uint8Array {
  const { primary, content, incarnation } = lock
  const { row } = primary
  const columnBytes = Buffer.byteLength(primary.column)
  const columnAt = ROW_AT + row.length
  const contentAt = columnAt + 1 + columnBytes
  const length = contentAt + (content.kind === 'guard' ? 1 : contentBytes(content))
  const bytes = Buffer.allocUnsafe(length)
  writeStartTs(bytes, lock.wallMicros)
  bytes.write(incarnation, 8, 'hex')
  bytes.writeUInt16BE(row.length, ROW_AT - 2)
  bytes.set(row, ROW_AT)
  bytes[columnAt] = columnBytes
  bytes.write(primary.column, columnAt + 1)
  if (content.kind === 'guard') bytes[contentAt] = GUARD_BYTE
  else writeContent(bytes, contentAt, content)
  return bytes
}

export function decodeLock(startTs: Timestamp, bytes: Uint8Array): Lock {
  const buffer = bufferOf(bytes)
  intact(buffer.length > ROW_AT, 'I6', { damaged: 'lock', length: buffer.length })
  const columnAt = ROW_AT + buffer.readUInt16BE(ROW_AT - 2)
  intact(buffer.length > columnAt, 'I6', { damaged: 'lock', length: buffer.length })
  const contentAt = columnAt + 1 + (buffer[columnAt] as number)
  const content = buffer.subarray(contentAt)
  const isGuard = content.length === 1 && content[0] === GUARD_BYTE
  const column = buffer.toString('utf8', columnAt + 1, contentAt)
  // Decoding replaces damage by U+FFFD, and another column would be another primary.
  intact(!column.includes('\ufffd'), 'I6', { damaged: 'primary column', column })
  return {
    startTs,
    wallMicros: decodeStartTs(buffer),
    incarnation: buffer.toString('hex', 8, 8 + INCARNATION_BYTES),
    primary: {
      row: buffer.subarray(ROW_AT, columnAt),
      column,
    },
    content: isGuard ? { kind: 'guard' } : decodeContent(content),
  }
}

/** The row group that these cells of one row and one transaction are (`rowGroupOf`); undefined without a lock. */
export function rowGroupOfCells(row: Uint8Array, cells: readonly Cell[]): RowGroup | undefined {
  const [first, ...rest] = cells
    .filter((cell) => cell.family === 'lock')
    .map((cell) => ({
      column: cell.qualifier,
      lock: decodeLock(cell.timestamp, cell.value),
    }))
  if (first === undefined) return undefined
  const notified = cells
    .filter((cell) => cell.family === 'notify')
    .map((cell) => decodeNotify(cell).observerId)
  return { row, columns: [first, ...rest], notified }
}

export function isPrimaryOf(lock: Lock, address: ColumnAddress): boolean {
  return (
    lock.primary.column === address.column && compareRowKeys(lock.primary.row, address.row) === 0
  )
}
