// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import { PackedReader } from '../groups/packed-buffer.ts'
import type { StepsBatch } from '../groups/write-batch.ts'
import type { PlainBatch } from './plain-batch.ts'
import {
  decodeCell,
  encodeRecord,
  RECORD_BYTES_MAX,
  type RecordedCell,
  walkCells,
} from './record.ts'

/** Of the first row of a record. */
function cellsOfRow(packed: Uint8Array): RecordedCell[] {
  const records = new PackedReader(packed)
  const cells: RecordedCell[] = []
  walkCells(records, 0, (family, qualifier, at, timestampAt) => {
    const cell = decodeCell(records, at)
    assert.deepEqual([cell.family, cell.qualifier], [family, qualifier])
    records.moveTo(timestampAt)
    assert.equal(records.number(), cell.timestamp)
    cells.push(cell)
  })
  return cells
}

const FORMAT = new URL('../../../../docs/storage-format.md', import.meta.url)

test('the record in docs/storage-format.md is what is stored, and is read again', () => {
  const row = Buffer.from('010000000710626f620000', 'hex')
  const cells = [
    { family: 'write', qualifier: '0', timestamp: 8, value: Buffer.from('W') },
    { family: 'notify', qualifier: '9', timestamp: 7, value: Buffer.alloc(0) },
  ] as const
  const set = cells.map((cell) => ({ kind: 'setCell', ...cell }) as const)
  const batch: PlainBatch = { steps: [{ row, otherwise: set }] }
  const record = encodeRecord([batch], new ArrayBuffer(200))
  const hex = Buffer.from(record).toString('hex').toUpperCase()
  const documented = readFileSync(FORMAT, 'utf8').replaceAll(/`|\n/g, ' ')
  assert.ok(documented.includes((hex.match(/../g) ?? []).join(' ')), hex)
  assert.deepEqual(cellsOfRow(record), cells)
  // A server before this one may have left a record with `80` in the family, which erases.
  const erasing = Uint8Array.from(record)
  const families = [record.indexOf(2, 19), record.indexOf(5, 19)]
  for (const at of families) erasing[at] = (erasing[at] as number) | 0x80
  const erased = cells.map((cell) => ({ ...cell, value: undefined }))
  assert.deepEqual(cellsOfRow(erasing), erased)
})

test('notes stand in one cell, and the smallest batches with the longest notes fit as well', () => {
  const noted = (timestamp: number, value: Uint8Array): StepsBatch & { readonly steps: [] } => {
    return { kind: 'steps', steps: [], note: { timestamp, value } }
  }
  const batches = [noted(1, Buffer.from('first;')), noted(2 ** 53 - 1, Buffer.alloc(100_000, 'x'))]
  const bytes = batches.reduce((sum, batch) => sum + encodedBytesMax(batch), 0)
  const packed = encodeRecord(batches, new ArrayBuffer(bytes))
  assert.ok(packed.length < RECORD_BYTES_MAX)
  const [note] = cellsOfRow(packed)
  assert.equal(note?.timestamp, 2 ** 53 - 1)
  assert.equal(note?.value?.length, 100_006)
  const one = noted(2 ** 53 - 1, new Uint8Array())
  assert.equal(
    cellsOfRow(encodeRecord([one], new ArrayBuffer(encodedBytesMax(one) + 64))).length,
    1,
  )
})
