// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { DamagedRecord, intact } from '../../invariant.ts'

/**
 * A committed version: the cell's timestamp is the commit timestamp, and its value says which transaction wrote it
 * (Percolator 2.2). Write records are written once and never changed (I4).
 *
 *     write "0" @8 -> startTs 7, put, inline "3"       the value is in the record itself
 *     write "0" @8 -> startTs 7, put, 70000 bytes      the value is the cell data "0" @7
 *     write "0" @8 -> startTs 7, delete                the column is absent from 8 on
 */
export type WriteRecord = {
  readonly startTs: Timestamp
  readonly content: WrittenContent
}

/** The content of a write; the lock carries it before the commit, the write record after it. */
export type WrittenContent =
  | { readonly kind: 'inline'; readonly value: Uint8Array }
  | { readonly kind: 'data'; readonly byteLength: number }
  | { readonly kind: 'delete' }

// The first eight bytes are the startTs, so that "the record of this transaction" is a value range.
const START_TS_BYTES = 8
/** Where the content begins. */
export const RECORD_CONTENT_AT = START_TS_BYTES
const KIND_BYTE = { inline: 0x49, data: 0x50, delete: 0x58 } as const

export function encodeStartTs(startTs: Timestamp): Uint8Array {
  const bytes = Buffer.allocUnsafe(START_TS_BYTES)
  writeStartTs(bytes, startTs)
  return bytes
}

export function decodeStartTs(bytes: Uint8Array): Timestamp {
  intact(bytes.length >= START_TS_BYTES, 'I5', { damaged: 'timestamp', length: bytes.length })
  const startTs = uint32At(bytes, 0) * 2 ** 32 + uint32At(bytes, 4)
  intact(Number.isSafeInteger(startTs), 'I5', { damaged: 'timestamp', startTs })
  return startTs
}

export function encodeWriteRecord(record: WriteRecord): Uint8Array {
  const bytes = Buffer.allocUnsafe(START_TS_BYTES + contentBytes(record.content))
  writeStartTs(bytes, record.startTs)
  writeContent(bytes, START_TS_BYTES, record.content)
  return bytes
}

export function decodeWriteRecord(bytes: Uint8Array): WriteRecord {
  return { startTs: decodeStartTs(bytes), content: decodeContent(bytes, START_TS_BYTES) }
}

/** Bytes of the record's value that are in the data cell. */
export function bytesElsewhere(record: Uint8Array): number {
  return record[START_TS_BYTES] === KIND_BYTE.data ? uint32At(record, START_TS_BYTES + 1) : 0
}

/** The number of bytes that `writeContent` writes. */
export function contentBytes(content: WrittenContent): number {
  switch (content.kind) {
    case 'inline':
      return 1 + content.value.length
    case 'data':
      return 5
    case 'delete':
      return 1
  }
}

/** Writes one byte for the kind, then the inline value, or the length of the data cell as u32be, or nothing. */
export function writeContent(bytes: Buffer, at: number, content: WrittenContent): void {
  bytes[at] = KIND_BYTE[content.kind]
  if (content.kind === 'inline') bytes.set(content.value, at + 1)
  else if (content.kind === 'data') bytes.writeUInt32BE(content.byteLength, at + 1)
}

/** Writes startTs as u64be into the first eight bytes. */
export function writeStartTs(bytes: Buffer, startTs: Timestamp): void {
  bytes.writeUInt32BE(Math.floor(startTs / 2 ** 32), 0)
  bytes.writeUInt32BE(startTs % 2 ** 32, 4)
}

/** The content in the bytes from `at` to the end. */
export function decodeContent(bytes: Uint8Array, at = 0): WrittenContent {
  const length = bytes.length - at
  switch (bytes[at]) {
    case KIND_BYTE.inline:
      return { kind: 'inline', value: bytes.subarray(at + 1) }
    case KIND_BYTE.data:
      intact(length === 5, 'I5', { damaged: 'data reference', length })
      return { kind: 'data', byteLength: uint32At(bytes, at + 1) }
    case KIND_BYTE.delete:
      intact(length === 1, 'I5', { damaged: 'deletion', length })
      return { kind: 'delete' }
    default:
      throw new DamagedRecord('I5', { damaged: 'record kind', byte: bytes[at] })
  }
}

/** Byte by byte: every read decodes a record, and a DataView for it would cost more than the rest. */
function uint32At(bytes: Uint8Array, at: number): number {
  const [a, b] = [bytes[at] as number, bytes[at + 1] as number]
  const [c, d] = [bytes[at + 2] as number, bytes[at + 3] as number]
  return a * 2 ** 24 + ((b << 16) | (c << 8) | d)
}
