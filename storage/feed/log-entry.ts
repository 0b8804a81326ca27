// SPDX-License-Identifier: Apache-2.0
import { hasPrefix, systemRowKey } from '../cell-store/row-key.ts'
import { invariant } from '../invariant.ts'
import type { BufferedRow } from '../transaction/write-buffer.ts'
import type { ChangedRow } from './change-feed.ts'

/**
 * What the log keeps of a commit: which rows it changed, in which columns, and whether it deleted them.
 * Their values are where they always are, in the versions at commitTs and before it, which garbage
 * collection leaves as long as it leaves the entry.
 *
 *     01                                    the version of this format
 *     50   00 0B  01 00 00 00 07 10 62 …    put, and the row key with its length
 *          00 01  01 30                     one column, "0"
 *     58   …                                a row that was deleted
 */
const FORMAT = 0x01
const PUT = 0x50
const DELETE = 0x58

const TABLE_SPACE = 0x01
const CATALOG_PREFIX = systemRowKey('catalog/')

/** Whether changes of this row are news: rows of tables and of the catalog, not index entries. */
export function isLoggedRow(key: Uint8Array): boolean {
  return key[0] === TABLE_SPACE || hasPrefix(key, CATALOG_PREFIX)
}

/** The rows that a transaction changed, as the feed tells them; guards change none. */
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

/** The columns of SQL rows are numbers; others are the store's own, as observers' acknowledgments. */
export function isLoggedColumn(column: string): boolean {
  const first = column.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}

export function encodeLogEntry(rows: readonly ChangedRow[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(rows.reduce((sum, row) => sum + rowBytes(row), 1))
  bytes[0] = FORMAT
  let at = 1
  for (const { key, columns, isDelete } of rows) {
    bytes[at] = isDelete ? DELETE : PUT
    at = bytes.writeUInt16BE(key.length, at + 1)
    bytes.set(key, at)
    at = bytes.writeUInt16BE(columns.length, at + key.length)
    for (const column of columns) {
      bytes[at] = column.length
      at += 1
      for (let place = 0; place < column.length; place += 1) {
        bytes[at] = column.charCodeAt(place) // A digit or two.
        at += 1
      }
    }
  }
  return bytes
}

/** Violations of J9: an entry that cannot be read is damage. */
export function decodeLogEntry(value: Uint8Array): ChangedRow[] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  invariant(bytes[0] === FORMAT, 'J9', { damaged: 'log entry', format: bytes[0] })
  const rows: ChangedRow[] = []
  let at = 1
  const take = (count: number): number => {
    const from = at
    at += count
    invariant(at <= bytes.length, 'J9', { damaged: 'log entry', length: bytes.length })
    return from
  }
  while (at < bytes.length) {
    const kind = bytes[take(1)]
    invariant(kind === PUT || kind === DELETE, 'J9', { damaged: 'log entry', kind })
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

function rowBytes({ key, columns }: ChangedRow): number {
  return columns.reduce((sum, column) => sum + 1 + column.length, 1 + 2 + key.length + 2)
}
