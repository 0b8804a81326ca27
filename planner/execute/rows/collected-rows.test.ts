// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import type { SqlValue } from '../../../storage/storage.ts'
import { CollectedRows, rowCountOf } from './collected-rows.ts'
import type { RowWriter } from './execution-context.ts'

const COLUMNS = [{ name: 'id', type: 'INTEGER' }] as const
const IDS = Array.from({ length: 250 }, (_, id) => BigInt(id))

class RecordingWriter implements RowWriter {
  readonly given: SqlValue[][] = []
  readonly columnBytes = 40

  get rowCount(): number {
    return this.given.length
  }

  get bytes(): number {
    return 7 * this.given.length
  }

  write(row: SqlValue[]): void {
    this.given.push(row)
  }
}

function collected(newRowWriter?: () => RowWriter): CollectedRows {
  const rows = new CollectedRows(COLUMNS, { newRowWriter })
  for (const id of IDS) rows.add([id])
  assert.equal(rows.count, IDS.length)
  return rows
}

test('without a writer all rows are held, in their order', () => {
  const rows = collected()
  const result = { ...rows.result, rowsAffected: 0 }
  assert.equal(result.written, undefined)
  assert.deepEqual(result.rows.flat(), IDS)
  assert.equal(result.bytes, rows.bytes)
  assert.equal(rowCountOf(result), IDS.length)
})

test('a writer is given each row when it is found, and says what they come to', () => {
  const writer = new RecordingWriter()
  const rows = collected(() => writer)
  const result = { ...rows.result, rowsAffected: 0 }
  assert.deepEqual(writer.given.flat(), IDS)
  assert.deepEqual([result.rows, result.written], [[], writer])
  assert.equal(rows.bytes, 7 * IDS.length)
  assert.equal(rowCountOf(result), IDS.length)
})
