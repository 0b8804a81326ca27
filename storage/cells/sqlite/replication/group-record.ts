// SPDX-License-Identifier: Apache-2.0
import { crc32 } from 'node:zlib'
import type { StreamPosition } from '../../store-replication.ts'
import { decodeGroup } from '../groups/group-encoding.ts'
import { STREAM_BYTES } from '../groups/group-numbers.ts'
import { decodeLarge } from '../groups/large-batch.ts'
import type { WriteBatch } from '../groups/write-batch.ts'
import { stepsOfRecord } from '../redo/redo-thread.ts'

/** One group as it was carried out: `batches` in the writer's encoding, a record of the redo log, or a large batch. */
export type GroupKind = 'batches' | 'redo' | 'large'

export type GroupRecord = StreamPosition & {
  readonly kind: GroupKind
  /** The bytes as they went to the writer thread: several for a large batch. */
  readonly parts: readonly Uint8Array[]
}

const KINDS: readonly GroupKind[] = ['batches', 'redo', 'large']

/** Length of the content, its checksum, number, kind, parts, stream. */
const HEADER_BYTES = 4 + 4 + 8 + 1 + 4 + STREAM_BYTES

/**
 * A record as it stands in the files of groups and goes over the wire; integers and floating-point numbers are
 * big-endian:
 *
 *     length u32 of what follows the checksum, CRC-32 u32 of the same
 *     number f64, kind u8, parts u32, stream 16 bytes
 *     of each part   length u32, bytes
 */
export function encodeRecordOf({ number, stream, kind, parts }: GroupRecord): Buffer[] {
  const lengths = parts.map(({ length }) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(length)
    return bytes
  })
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeDoubleBE(number, 8)
  header[16] = KINDS.indexOf(kind)
  header.writeUInt32BE(parts.length, 17)
  header.set(Buffer.from(stream, 'hex'), 21)
  const content = parts.flatMap((part, at) => [lengths[at] as Buffer, part as Buffer])
  let sum = crc32(header.subarray(8))
  for (const bytes of content) sum = crc32(bytes, sum)
  const length = content.reduce((total, bytes) => total + bytes.length, HEADER_BYTES - 8)
  header.writeUInt32BE(length)
  header.writeUInt32BE(sum, 4)
  return [header, ...content]
}

/** A record that begins at `at`, and where the next one does; undefined where it is cut off or damaged. */
export function decodeRecordAt(
  bytes: Buffer,
  at: number,
): { readonly record: GroupRecord; readonly end: number } | undefined {
  if (bytes.length - at < HEADER_BYTES) return undefined
  const end = at + 8 + bytes.readUInt32BE(at)
  if (end > bytes.length || end < at + HEADER_BYTES) return undefined
  if (crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32BE(at + 4)) return undefined
  const kind = KINDS[bytes[at + 16] as number]
  if (kind === undefined) return undefined
  const stream = bytes.toString('hex', at + 21, at + HEADER_BYTES)
  const parts: Buffer[] = []
  let from = at + HEADER_BYTES
  for (let left = bytes.readUInt32BE(at + 17); left > 0; left -= 1) {
    const until = from + 4 + bytes.readUInt32BE(from)
    parts.push(bytes.subarray(from + 4, until))
    from = until
  }
  return { record: { number: bytes.readDoubleBE(at + 8), stream, kind, parts }, end }
}

/** How long the record at `at` is, by its first bytes; undefined where they are not there. */
export function lengthOfRecordAt(bytes: Buffer, at: number): number | undefined {
  return bytes.length - at < 4 ? undefined : 8 + bytes.readUInt32BE(at)
}

/** All records of a frame, in their order. Throws RangeError where one is cut off or damaged. */
export function decodeFrame(frame: Buffer): GroupRecord[] {
  const records: GroupRecord[] = []
  for (let at = 0; at < frame.length; ) {
    const found = decodeRecordAt(frame, at)
    if (found === undefined) throw new RangeError(`a record is damaged at byte ${at}`)
    records.push(found.record)
    at = found.end
  }
  return records
}

/** What the group changes, as the batches that the writer applies in one transaction. */
export function batchesOf({ kind, parts }: GroupRecord): readonly WriteBatch[] {
  if (kind === 'large') return [decodeLarge(parts)]
  const [only] = parts
  if (only === undefined) return []
  return kind === 'redo' ? [stepsOfRecord(only)] : decodeGroup(only)
}

/** The rows that a group may have changed. */
export function rowsOf(batches: readonly WriteBatch[]): Uint8Array[] {
  return batches.flatMap((batch) =>
    batch.kind === 'increment' ? [batch.row] : batch.steps.map(({ row }) => row),
  )
}
