// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Family } from '../../cell.ts'
import type { Increment, RowStep } from '../../cell-store.ts'
import type { Mutation } from '../../mutation.ts'
import type { Note } from '../../note.ts'
import type { CellSelector, RowFilter } from '../../row-filter.ts'
import { PackedReader, PackedWriter } from './packed-buffer.ts'
import type { WriteBatch } from './write-batch.ts'

/**
 * A group as one buffer that is transferred to the writer thread. A message would copy objects and small byte arrays
 * one by one, each with the whole slab that Node allocated it from. The layout is only used between threads and never
 * stored.
 */
export function encodeGroup(
  batches: readonly WriteBatch[],
  bytesMax: number,
): Uint8Array<ArrayBuffer> {
  // In addition to the batches there is only their number.
  // Not from the pool, because a message takes the whole memory.
  const packed = new PackedWriter(Buffer.allocUnsafeSlow(bytesMax + 4).buffer)
  packed.count(batches.length)
  for (const batch of batches) {
    if (batch.kind === 'steps') {
      packed.byte(0)
      packed.count(batch.steps.length)
      for (const step of batch.steps) writeStep(packed, step)
      if (packed.isThere(batch.note)) {
        packed.number(batch.note.timestamp)
        packed.bytes(batch.note.value)
      }
    } else {
      packed.byte(1)
      packed.bytes(batch.row)
      packed.count(batch.increments.length)
      for (const increment of batch.increments) writeIncrement(packed, increment)
    }
  }
  return packed.taken()
}

/** The batches of an encoded group. Their values share the buffer's memory. */
export function decodeGroup(group: Uint8Array): WriteBatch[] {
  return new PackedReader(group).list(readBatch)
}

function readBatch(packed: PackedReader): WriteBatch {
  if (packed.byte() === 0) {
    const steps = packed.list(readStep)
    const note = packed.wasThere() ? readNote(packed) : undefined
    return { kind: 'steps', steps, note }
  }
  return { kind: 'increment', row: packed.bytes(), increments: packed.list(readIncrement) }
}

function readNote(packed: PackedReader): Note {
  const timestamp = packed.number()
  return { timestamp, value: packed.bytes() }
}

/** An upper bound on the encoded bytes of a batch. */
export function encodedBytesMax(batch: WriteBatch): number {
  if (batch.kind === 'increment') {
    const { row, increments } = batch
    return increments.reduce((sum, one) => sum + columnBytesMax(one) + 16, row.length + 16)
  }
  let bytes = 16 + (batch.note === undefined ? 0 : batch.note.value.length + 16)
  for (const { row, when, ifMatched, otherwise } of batch.steps) {
    bytes += row.length + 20
    for (const selector of when) bytes += selectorBytesMax(selector)
    for (const mutation of ifMatched) bytes += mutationBytesMax(mutation)
    for (const mutation of otherwise) bytes += mutationBytesMax(mutation)
  }
  return bytes
}

function writeStep(packed: PackedWriter, { row, when, ifMatched, otherwise }: RowStep): void {
  packed.bytes(row)
  packed.count(when.length)
  for (const selector of when) writeSelector(packed, selector)
  // Without a condition it never matches, so `ifMatched` need not be sent.
  packed.count(when.length === 0 ? 0 : ifMatched.length)
  if (when.length > 0) for (const mutation of ifMatched) writeMutation(packed, mutation)
  packed.count(otherwise.length)
  for (const mutation of otherwise) writeMutation(packed, mutation)
}

function readStep(packed: PackedReader): RowStep {
  const row = packed.bytes()
  const when: RowFilter = packed.list(readSelector)
  const ifMatched = packed.list(readMutation)
  return { row, when, ifMatched, otherwise: packed.list(readMutation) }
}

function writeMutation(packed: PackedWriter, mutation: Mutation): void {
  packed.byte(mutation.kind === 'setCell' ? 0 : 1)
  writeColumn(packed, mutation)
  if (mutation.kind === 'setCell') {
    packed.number(mutation.timestamp)
    packed.bytes(mutation.value)
  } else {
    writeTimestamps(packed, mutation.timestamps)
  }
}

function readMutation(packed: PackedReader): Mutation {
  const isSetCell = packed.byte() === 0
  const family = readFamily(packed)
  const qualifier = packed.text()
  if (isSetCell) {
    const timestamp = packed.number()
    return { kind: 'setCell', family, qualifier, timestamp, value: packed.bytes() }
  }
  return { kind: 'deleteFromColumn', family, qualifier, timestamps: readTimestamps(packed) }
}

function writeSelector(packed: PackedWriter, selector: CellSelector): void {
  const { family, qualifier, timestamps, newest, values } = selector
  packed.byte(FAMILIES.indexOf(family))
  if (packed.isThere(qualifier)) packed.text(qualifier)
  writeTimestamps(packed, timestamps)
  if (packed.isThere(newest)) packed.number(newest)
  if (packed.isThere(values?.start)) packed.bytes(values.start)
  if (packed.isThere(values?.end)) packed.bytes(values.end)
}

function readSelector(packed: PackedReader): CellSelector {
  const family = readFamily(packed)
  const qualifier = packed.wasThere() ? packed.text() : undefined
  const timestamps = readTimestamps(packed)
  const newest = packed.wasThere() ? packed.number() : undefined
  const start = packed.wasThere() ? packed.bytes() : undefined
  const end = packed.wasThere() ? packed.bytes() : undefined
  return {
    family,
    timestamps,
    ...(qualifier === undefined ? {} : { qualifier }),
    ...(newest === undefined ? {} : { newest }),
    ...(start === undefined ? {} : { values: end === undefined ? { start } : { start, end } }),
  }
}

function writeIncrement(packed: PackedWriter, increment: Increment): void {
  writeColumn(packed, increment)
  packed.bigint(increment.by)
}

function readIncrement(packed: PackedReader): Increment {
  const family = readFamily(packed)
  return { family, qualifier: packed.text(), by: packed.bigint() }
}

function writeColumn(packed: PackedWriter, column: { family: Family; qualifier: string }): void {
  packed.byte(FAMILIES.indexOf(column.family))
  packed.text(column.qualifier)
}

function readFamily(packed: PackedReader): Family {
  return FAMILIES[packed.byte()] as Family
}

function writeTimestamps(packed: PackedWriter, timestamps: CellSelector['timestamps']): void {
  const from = timestamps?.from
  const until = timestamps?.until
  if (packed.isThere(from)) packed.number(from)
  if (packed.isThere(until)) packed.number(until)
}

function readTimestamps(packed: PackedReader): { from?: number; until?: number } {
  const from = packed.wasThere() ? packed.number() : undefined
  const until = packed.wasThere() ? packed.number() : undefined
  if (from === undefined) return until === undefined ? {} : { until }
  return until === undefined ? { from } : { from, until }
}

function columnBytesMax({ qualifier }: { readonly qualifier: string }): number {
  return 3 * qualifier.length + 5
}

function mutationBytesMax(mutation: Mutation): number {
  const bytes = columnBytesMax(mutation) + 24
  return mutation.kind === 'setCell' ? bytes + mutation.value.length : bytes
}

function selectorBytesMax({ qualifier = '', values }: CellSelector): number {
  return 3 * qualifier.length + (values?.start.length ?? 0) + (values?.end?.length ?? 0) + 64
}
