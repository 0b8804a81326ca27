// SPDX-License-Identifier: Apache-2.0
import { bufferOf, hasPrefix, systemRowKey } from '../../cells/row-key.ts'
import { intact } from '../../invariant.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'
import type { Hint } from '../records/notify-cell.ts'
import type { ChangedRow, FeedCommit } from './change-feed.ts'

/**
 * What the log keeps of a commit: which rows it changed, in which columns, and whether it deleted them.
 * Their values are where they always are, in the versions at commitTs and before it, which garbage
 * collection leaves as long as it leaves the entry.
 *
 *     01                                    the version of this format
 *     50   00 0B  01 00 00 00 07 10 62 …    put, and the row key with its length
 *          00 01  01 30                     one column, "0"
 *     58   …                                a row that was deleted
 *     50   00 0B  01 00 00 00 07 10 62 …    a row without columns is not changed, but hinted
 *          00 00
 *
 * Where entries of several commits stand in one cell, each begins with
 *
 *     02   00 06 49 AD D4 49 30 08          the version of this format, and commitTs
 *          00 00 00 14                      how many bytes its rows have, which follow as above
 */
const FORMAT = 0x01
const NOTE_FORMAT = 0x02
const NOTE_HEAD_BYTES = 1 + 8 + 4
const PUT = 0x50
const DELETE = 0x58

const TABLE_SPACE = 0x01
const CATALOG_PREFIX = systemRowKey('catalog/')

/** Whether changes of this row are logged: rows of tables and of the catalog, not index entries. */
export function isLoggedRow(key: Uint8Array): boolean {
  return key[0] === TABLE_SPACE || hasPrefix(key, CATALOG_PREFIX)
}

/** The rows that a transaction changed, as in the feed; guards change none. */
export function changedRowsOf(rows: readonly BufferedRow[]): ChangedRow[] {
  const changed: ChangedRow[] = []
  for (const { key, writes } of rows) {
    if (!isLoggedRow(key)) continue
    const columns: string[] = []
    let isDelete = true
    for (const [column, { kind }] of writes) {
      if (kind === 'guard' || !isLoggedColumn(column)) continue
      columns.push(column)
      isDelete &&= kind === 'delete'
    }
    if (columns.length > 0) changed.push({ key, columns, isDelete })
  }
  return changed
}

/**
 * Rows that a commit gives a hint of (`records/notify-cell.ts`), in the form of changed ones: without columns. Where
 * processes share the store, those that did not give a hint learn of it from the log.
 */
export function hintedRowsOf(hints: readonly Hint[]): ChangedRow[] {
  return hints.map(({ row }) => ({ key: row, columns: [], isDelete: false }))
}

/** The columns of SQL rows are numbers; others are the store's own, as observers' acknowledgments. */
export function isLoggedColumn(column: string): boolean {
  const first = column.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}

export function encodeLogEntry(rows: readonly ChangedRow[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + rowsBytes(rows))
  bytes[0] = FORMAT
  writeRows(bytes, 1, rows)
  return bytes
}

/** Throws on violations of J9: an entry that cannot be read is damage. */
export function decodeLogEntry(value: Uint8Array): ChangedRow[] {
  const bytes = bufferOf(value)
  intact(bytes[0] === FORMAT, 'J9', { damaged: 'log entry', format: bytes[0] })
  return readRows(bytes.subarray(1))
}

/** An entry with its commitTs and its length, so that any number of them can be concatenated. */
export function encodeLogNote({ commitTs, rows }: FeedCommit): Uint8Array {
  const length = rowsBytes(rows)
  const bytes = Buffer.allocUnsafe(NOTE_HEAD_BYTES + length)
  bytes[0] = NOTE_FORMAT
  bytes.writeUInt32BE(Math.floor(commitTs / 2 ** 32), 1)
  bytes.writeUInt32BE(commitTs % 2 ** 32, 5)
  bytes.writeUInt32BE(length, 9)
  writeRows(bytes, NOTE_HEAD_BYTES, rows)
  return bytes
}

/** The entries in concatenated values. Throws on violations of J9. */
export function decodeLogNotes(value: Uint8Array): FeedCommit[] {
  const bytes = bufferOf(value)
  const commits: FeedCommit[] = []
  for (let at = 0; at < bytes.length; ) {
    const rowsAt = at + NOTE_HEAD_BYTES
    const isWhole = bytes[at] === NOTE_FORMAT && rowsAt <= bytes.length
    intact(isWhole, 'J9', { damaged: 'log note', format: bytes[at], length: bytes.length })
    const commitTs = bytes.readUInt32BE(at + 1) * 2 ** 32 + bytes.readUInt32BE(at + 5)
    const end = rowsAt + bytes.readUInt32BE(at + 9)
    intact(end <= bytes.length, 'J9', { damaged: 'log note', commitTs, length: bytes.length })
    commits.push({ commitTs, rows: readRows(bytes.subarray(rowsAt, end)) })
    at = end
  }
  return commits
}

export function isLogNote(value: Uint8Array): boolean {
  return value[0] === NOTE_FORMAT
}

function writeRows(bytes: Buffer, from: number, rows: readonly ChangedRow[]): void {
  let at = from
  for (const { key, columns, isDelete } of rows) {
    bytes[at] = isDelete ? DELETE : PUT
    at = bytes.writeUInt16BE(key.length, at + 1)
    bytes.set(key, at)
    at = bytes.writeUInt16BE(columns.length, at + key.length)
    for (const column of columns) {
      bytes[at] = column.length
      at += 1
      for (let position = 0; position < column.length; position += 1) {
        bytes[at] = column.charCodeAt(position) // A digit or two.
        at += 1
      }
    }
  }
}

function readRows(bytes: Buffer): ChangedRow[] {
  const rows: ChangedRow[] = []
  let at = 0
  const take = (count: number): number => {
    const from = at
    at += count
    intact(at <= bytes.length, 'J9', { damaged: 'log entry', length: bytes.length })
    return from
  }
  while (at < bytes.length) {
    const kind = bytes[take(1)]
    intact(kind === PUT || kind === DELETE, 'J9', { damaged: 'log entry', kind })
    const keyLength = bytes.readUInt16BE(take(2))
    const keyAt = take(keyLength)
    const columnCount = bytes.readUInt16BE(take(2))
    const columns: string[] = []
    while (columns.length < columnCount) {
      const length = bytes[take(1)] as number
      const columnAt = take(length)
      columns.push(bytes.toString('latin1', columnAt, columnAt + length))
    }
    rows.push({
      key: bytes.subarray(keyAt, keyAt + keyLength),
      columns,
      isDelete: kind === DELETE,
    })
  }
  return rows
}

function rowsBytes(rows: readonly ChangedRow[]): number {
  let bytes = 0
  for (const { key, columns } of rows) {
    bytes += 1 + 2 + key.length + 2
    for (const column of columns) bytes += 1 + column.length
  }
  return bytes
}
