// SPDX-License-Identifier: Apache-2.0
import { type Cell, FAMILIES, type Family } from './cell.ts'
import type { SetCell } from './mutation.ts'
import { cellOfNotes, type Note } from './note.ts'
import { PackedReader, PackedWriter } from './sqlite-packed-buffer.ts'
import type { StepsBatch } from './sqlite-write-batch.ts'

/** A group that goes to the redo log is not made larger than this, by `encodedBytesMax`. */
export const REDO_GROUP_BYTES_MAX = 512 * 1024

/** All records of a generation together; it is sealed long before. */
export const GENERATION_BYTES_MAX = 8 * 1024 * 1024

/** So many cells are moved at once: about as long as the main thread needs to make the next group. */
export const FLUSHED_CELLS = 64
/** After large groups, and when everybody waits for it. */
export const FLUSHED_CELLS_MAX = 1024

/** What the notes of a group need beside their values: one row, with one cell. */
const NOTE_ROW_BYTES_MAX = 64

export const RECORD_BYTES_MAX = REDO_GROUP_BYTES_MAX + NOTE_ROW_BYTES_MAX

/** A record, and how many cells it has. */
export type EncodedRecord = { readonly packed: Uint8Array<ArrayBuffer>; readonly cells: number }

/**
 * The cells of plain batches as a record of the redo log, the notes of all in one cell. It is stored
 * (`docs/storage-format.md`), so a change of it raises the version of the format; integers and floating-point
 * numbers are big-endian:
 *
 *     of each row    key: length u32, bytes
 *                    cells: count u32, then of each  family u8
 *                                                    qualifier: length u32, UTF-8
 *                                                    timestamp f64
 *                                                    value: length u32, bytes
 *
 * `encodedBytesMax` is the sum of what `encodedBytesMax()` says of the batches.
 */
export function encodeRecord(
  batches: readonly StepsBatch[],
  encodedBytesMax: number,
): EncodedRecord {
  const packed = new PackedWriter(encodedBytesMax + NOTE_ROW_BYTES_MAX)
  const notes: Note[] = []
  let cells = 0
  for (const { steps, note } of batches) {
    for (const { row, otherwise } of steps) {
      cells += otherwise.length
      if (otherwise.length > 0) writeRow(packed, row, otherwise as readonly SetCell[])
    }
    if (note !== undefined) notes.push(note)
  }
  const [first, ...others] = notes
  if (first !== undefined) {
    const { row, mutations } = cellOfNotes([first, ...others])
    writeRow(packed, row, mutations as readonly SetCell[])
    cells += 1
  }
  return { packed: packed.taken(), cells }
}

/** The cells of the row that begins here, in the order in which they are set. The values share its memory. */
export function decodeCells(record: Uint8Array, at: number): Cell[] {
  const packed = new PackedReader(record.subarray(at))
  packed.bytes()
  return packed.list(readCell)
}

/** Of each row of records behind each other: where it begins, and where its key is. */
export function walkRows(
  records: Buffer,
  told: (at: number, keyFrom: number, keyTo: number) => void,
): void {
  for (let at = 0; at < records.length; ) {
    const begin = at
    const keyTo = at + 4 + records.readUInt32BE(at)
    const cells = records.readUInt32BE(keyTo)
    at = keyTo + 4
    for (let cell = 0; cell < cells; cell++) {
      // Behind the family there are the qualifier and the timestamp, and then the value.
      at += 13 + records.readUInt32BE(at + 1)
      at += 4 + records.readUInt32BE(at)
    }
    told(begin, begin + 4, keyTo)
  }
}

function writeRow(packed: PackedWriter, row: Uint8Array, cells: readonly SetCell[]): void {
  packed.bytes(row)
  packed.count(cells.length)
  for (const { family, qualifier, timestamp, value } of cells) {
    packed.byte(FAMILIES.indexOf(family))
    packed.text(qualifier)
    packed.number(timestamp)
    packed.bytes(value)
  }
}

function readCell(packed: PackedReader): Cell {
  const family = FAMILIES[packed.byte()] as Family
  const qualifier = packed.text()
  const timestamp = packed.number()
  return { family, qualifier, timestamp, value: packed.bytes() }
}
