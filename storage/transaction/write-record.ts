// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { InvariantViolation, invariant } from '../invariant.ts'

/**
 * A committed version: the cell stands at the commit timestamp and says which transaction wrote it
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

/** What a write leaves behind; a lock carries it before the commit, the write record after it. */
export type WrittenContent =
  | { readonly kind: 'inline'; readonly value: Uint8Array }
  | { readonly kind: 'data'; readonly byteLength: number }
  | { readonly kind: 'delete' }

// The first eight bytes are the startTs, so that "the record of this transaction" is a value range.
const START_TS_BYTES = 8
const KIND_BYTE = { inline: 0x49, data: 0x50, delete: 0x58 } as const

export function encodeStartTs(startTs: Timestamp): Uint8Array {
  const bytes = Buffer.alloc(START_TS_BYTES)
  bytes.writeUInt32BE(Math.floor(startTs / 2 ** 32), 0)
  bytes.writeUInt32BE(startTs % 2 ** 32, 4)
  return bytes
}

export function decodeStartTs(bytes: Uint8Array): Timestamp {
  invariant(bytes.length >= START_TS_BYTES, 'I5', { damaged: 'timestamp', length: bytes.length })
  const view = viewOf(bytes)
  const startTs = view.getUint32(0) * 2 ** 32 + view.getUint32(4)
  invariant(Number.isSafeInteger(startTs), 'I5', { damaged: 'timestamp', startTs })
  return startTs
}

export function encodeWriteRecord(record: WriteRecord): Uint8Array {
  return Buffer.concat([encodeStartTs(record.startTs), encodeContent(record.content)])
}

export function decodeWriteRecord(bytes: Uint8Array): WriteRecord {
  return { startTs: decodeStartTs(bytes), content: decodeContent(bytes.subarray(START_TS_BYTES)) }
}

/** One byte for the kind, then the inline value, or the length of the data cell as u32be, or nothing. */
export function encodeContent(content: WrittenContent): Uint8Array {
  switch (content.kind) {
    case 'inline':
      return Buffer.concat([Uint8Array.of(KIND_BYTE.inline), content.value])
    case 'data': {
      const bytes = Buffer.alloc(5)
      bytes.writeUInt8(KIND_BYTE.data, 0)
      bytes.writeUInt32BE(content.byteLength, 1)
      return bytes
    }
    case 'delete':
      return Uint8Array.of(KIND_BYTE.delete)
  }
}

export function decodeContent(bytes: Uint8Array): WrittenContent {
  switch (bytes[0]) {
    case KIND_BYTE.inline:
      return { kind: 'inline', value: bytes.subarray(1) }
    case KIND_BYTE.data:
      invariant(bytes.length === 5, 'I5', { damaged: 'data reference', length: bytes.length })
      return { kind: 'data', byteLength: viewOf(bytes).getUint32(1) }
    case KIND_BYTE.delete:
      invariant(bytes.length === 1, 'I5', { damaged: 'deletion', length: bytes.length })
      return { kind: 'delete' }
    default:
      throw new InvariantViolation('I5', { damaged: 'record kind', byte: bytes[0] })
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
