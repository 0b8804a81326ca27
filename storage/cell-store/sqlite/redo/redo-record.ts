// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Family } from '../../cell.ts'
import type { CellPlace } from '../../cell-order.ts'
import { type Mutation, placeErasedBy } from '../../mutation.ts'
import { cellOfNotes, type Note } from '../../note.ts'
import { type PackedReader, PackedWriter } from '../groups/packed-buffer.ts'
import type { StepsBatch } from '../groups/write-batch.ts'

/** A group that goes to the redo log is not made larger than this, by `encodedBytesMax`. */
export const REDO_GROUP_BYTES_MAX = 512 * 1024

/** All records of a generation together; it is sealed long before. */
export const GENERATION_BYTES_MAX = 32 * 1024 * 1024

/** So many cells are moved at once: about as long as the main thread needs to make the next group. */
export const FLUSHED_CELLS = 96
/** After large groups, and when everybody waits for it. */
export const FLUSHED_CELLS_MAX = 1024

/** What the notes of a group need beside their values: one row, with one cell. */
const NOTE_ROW_BYTES_MAX = 64

export const RECORD_BYTES_MAX = REDO_GROUP_BYTES_MAX + NOTE_ROW_BYTES_MAX

/** A cell as a record sets it, or as none where the record erases what stands at its place. */
export type RecordedCell = CellPlace & { readonly value: Uint8Array | undefined }

/** With the family of a place that is erased. */
const ERASED = 0x80

const TIMESTAMP_BYTES = 8

/** Families as the bits of a number. */
export type FamilySet = number
export const ALL_FAMILIES: FamilySet = (1 << FAMILIES.length) - 1

export function familySet(families: readonly { readonly family: Family }[]): FamilySet {
  return families.reduce((set, { family }) => set | (1 << FAMILIES.indexOf(family)), 0)
}

/** To look in the tables for a cell that is erased takes half as long as to put one there. */
export const ERASED_COUNTS_FOR = 0.5

/** A record, and about how many cells it adds to those that are to be moved. */
export type EncodedRecord = { readonly packed: Uint8Array<ArrayBuffer>; readonly cells: number }

/**
 * The cells of plain batches as a record of the redo log, the notes of all in one cell. It is stored
 * (`docs/storage-format.md`), so a change of it raises the version of the format; integers and floating-point
 * numbers are big-endian:
 *
 *     of each row    key: length u32, bytes
 *                    cells: count u32, then of each  family u8, and 80 in it where the cell is erased
 *                                                    qualifier: length u32, UTF-8
 *                                                    timestamp f64
 *                                                    value: length u32, bytes; none of one that is erased
 *
 * `encodedBytesMax` is the sum of what `encodedBytesMax()` says of the batches.
 */
export function encodeRecord(
  batches: readonly StepsBatch[],
  encodedBytesMax: number,
): EncodedRecord {
  const packed = new PackedWriter(encodedBytesMax + NOTE_ROW_BYTES_MAX)
  const notes: Note[] = []
  let [set, erased] = [0, 0]
  const write = (row: Uint8Array, mutations: readonly Mutation[]) => {
    const setHere = writeRow(packed, row, mutations)
    set += setHere
    erased += mutations.length - setHere
  }
  for (const { steps, note } of batches) {
    for (const { row, otherwise } of steps) if (otherwise.length > 0) write(row, otherwise)
    if (note !== undefined) notes.push(note)
  }
  const [first, ...others] = notes
  if (first !== undefined) {
    const { row, mutations } = cellOfNotes([first, ...others])
    write(row, mutations)
  }
  // What is erased is mostly what this record or an earlier one has set, a lock, which is not moved then.
  const cells = Math.max(set - erased, 0) + erased * ERASED_COUNTS_FOR
  return { packed: packed.taken(), cells }
}

/** Tells the cells of the row that begins here, in the order of its mutations: where each and its timestamp begin. */
export function walkCells(
  records: PackedReader,
  at: number,
  told: (family: Family, qualifier: string, cell: number, timestamp: number) => void,
): void {
  records.moveTo(at)
  records.skipBytes()
  for (let left = records.count(); left > 0; left -= 1) {
    const cell = records.at
    const family = FAMILIES[records.byte() & ~ERASED] as Family
    const qualifier = records.text()
    const timestamp = records.at
    records.skip(TIMESTAMP_BYTES)
    records.skipBytes()
    const next = records.at
    told(family, qualifier, cell, timestamp)
    records.moveTo(next)
  }
}

/** The cell that begins here. Its value shares the memory. */
export function decodeCell(records: PackedReader, at: number): RecordedCell {
  records.moveTo(at)
  const byte = records.byte()
  const family = FAMILIES[byte & ~ERASED] as Family
  const qualifier = records.text()
  const timestamp = records.number()
  const value = records.bytes()
  return { family, qualifier, timestamp, value: byte < ERASED ? value : undefined }
}

/** Whether the cell that begins here erases what stands at its place. */
export function isErasedAt(records: PackedReader, at: number): boolean {
  records.moveTo(at)
  return records.byte() >= ERASED
}

/** Where each row begins, of records behind each other, and of which families it has cells. */
export function walkRows(records: Buffer, told: (at: number, families: FamilySet) => void): void {
  for (let at = 0; at < records.length; ) {
    const begin = at
    const keyTo = at + 4 + records.readUInt32BE(at)
    const cells = records.readUInt32BE(keyTo)
    at = keyTo + 4
    let families: FamilySet = 0
    for (let cell = 0; cell < cells; cell++) {
      families |= 1 << ((records[at] as number) & ~ERASED)
      // Behind the family there are the qualifier and the timestamp, and then the value.
      at += 13 + records.readUInt32BE(at + 1)
      at += 4 + records.readUInt32BE(at)
    }
    told(begin, families)
  }
}

/** Of a plain batch. Answers how many cells are set. */
function writeRow(packed: PackedWriter, row: Uint8Array, mutations: readonly Mutation[]): number {
  packed.bytes(row)
  packed.count(mutations.length)
  let cells = 0
  for (const mutation of mutations) {
    if (mutation.kind === 'setCell') {
      writePlace(packed, mutation, 0)
      packed.bytes(mutation.value)
      cells += 1
    } else {
      writePlace(packed, placeErasedBy(mutation) as CellPlace, ERASED)
      packed.count(0)
    }
  }
  return cells
}

function writePlace(
  packed: PackedWriter,
  { family, qualifier, timestamp }: CellPlace,
  flag: number,
): void {
  packed.byte(FAMILIES.indexOf(family) | flag)
  packed.text(qualifier)
  packed.number(timestamp)
}
