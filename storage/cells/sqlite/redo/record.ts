// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Family } from '../../cell.ts'
import type { CellAddress } from '../../cell-order.ts'
import type { RowStep } from '../../cell-store.ts'
import { cellOfNotes, type Note } from '../../note.ts'
import { PackedReader, PackedWriter } from '../groups/packed-buffer.ts'
import type { StepsBatch } from '../groups/write-batch.ts'
import { type PlainBatch, RECORD_GROUP_BYTES_MAX } from './plain-batch.ts'

/** What the notes of a group need in addition to their values: one row, with one cell. */
const NOTE_ROW_BYTES_MAX = 64

export const RECORD_BYTES_MAX = RECORD_GROUP_BYTES_MAX + NOTE_ROW_BYTES_MAX

/** One record of the log; ids ascend. */
export type RedoRecord = { readonly id: number; readonly packed: Uint8Array }

/** A cell, or a tombstone: one without a value, where the record of an older server erases what is at its address. */
export type RecordedCell = CellAddress & { readonly value: Uint8Array | undefined }

/** With the family of a tombstone. */
const TOMBSTONE = 0x80

const TIMESTAMP_BYTES = 8

/**
 * The cells of plain batches as a record of the redo log, the notes of all in one cell. It is stored
 * (`docs/storage-format.md`), so a change of it raises the version of the format; integers and floating-point numbers
 * are big-endian:
 *
 *     of each row    key: length u32, bytes
 *                    cells: count u32, then of each  family u8, qualifier: length u32, UTF-8
 *                                                    timestamp f64
 *                                                    value: length u32, bytes
 *
 * It is written into `memory`, which has `RECORD_BYTES_MAX` bytes, or as many as `encodedBytesMax` says of the batches
 * and the row of their notes needs.
 */
export function encodeRecord(batches: readonly PlainBatch[], memory: ArrayBufferLike): Uint8Array {
  const packed = new PackedWriter(memory)
  const notes: Note[] = []
  const write = ({ row, otherwise }: PlainBatch['steps'][number]) => {
    packed.bytes(row)
    packed.count(otherwise.length)
    for (const { family, qualifier, timestamp, value } of otherwise) {
      packed.byte(FAMILIES.indexOf(family))
      packed.text(qualifier)
      packed.number(timestamp)
      packed.bytes(value)
    }
  }
  for (const { steps, note } of batches) {
    for (const step of steps) if (step.otherwise.length > 0) write(step)
    if (note !== undefined) notes.push(note)
  }
  const [first, ...others] = notes
  if (first !== undefined) {
    const { row, mutations } = cellOfNotes([first, ...others])
    write({ row, otherwise: mutations })
  }
  return packed.taken()
}

/** Calls `found` for each row of a record, with its first offset, the one after it, and how many cells it has. */
export function walkRows(
  record: Buffer,
  found: (from: number, end: number, cells: number) => void,
): void {
  for (let at = 0; at < record.length; ) {
    const from = at
    const keyEnd = at + 4 + record.readUInt32BE(at)
    const cells = record.readUInt32BE(keyEnd)
    at = keyEnd + 4
    for (let cell = 0; cell < cells; cell++) {
      // After the family there are the qualifier and the timestamp, and then the value.
      at += 13 + record.readUInt32BE(at + 1)
      at += 4 + record.readUInt32BE(at)
    }
    found(from, at, cells)
  }
}

/** Calls `found` for each cell of the row that begins here, with the offsets of the cell and of its timestamp. */
export function walkCells(
  records: PackedReader,
  row: number,
  found: (family: Family, qualifier: string, cell: number, timestamp: number) => void,
): void {
  records.moveTo(row)
  records.skipBytes()
  for (let left = records.count(); left > 0; left -= 1) {
    const cell = records.at
    const family = FAMILIES[records.byte() & ~TOMBSTONE] as Family
    const qualifier = records.text()
    const timestamp = records.at
    records.skip(TIMESTAMP_BYTES)
    records.skipBytes()
    const next = records.at
    found(family, qualifier, cell, timestamp)
    records.moveTo(next)
  }
}

/** The cell that begins here. Its value is a copy, because the memory of a memtable is used again. */
export function decodeCell(records: PackedReader, at: number): RecordedCell {
  records.moveTo(at)
  const byte = records.byte()
  const family = FAMILIES[byte & ~TOMBSTONE] as Family
  const qualifier = records.text()
  const timestamp = records.number()
  const value = Buffer.from(records.bytes())
  return { family, qualifier, timestamp, value: byte < TOMBSTONE ? value : undefined }
}

/** What a record changes, as a batch. It has cells only, the notes among them. Throws RangeError on a tombstone. */
export function stepsOfRecord(record: Uint8Array): StepsBatch {
  const bytes = Buffer.from(record)
  const packed = new PackedReader(bytes)
  const steps: RowStep[] = []
  walkRows(bytes, (from) => {
    packed.moveTo(from)
    const row = Buffer.from(packed.bytes())
    const addresses: number[] = []
    walkCells(packed, from, (_family, _qualifier, cell) => addresses.push(cell))
    const otherwise = addresses.map((at) => {
      const { value, ...address } = decodeCell(packed, at)
      if (value === undefined) throw new RangeError('a group has no tombstones')
      return { kind: 'setCell', ...address, value } as const
    })
    steps.push({ row, when: [], ifMatched: [], otherwise })
  })
  return { kind: 'steps', steps }
}
