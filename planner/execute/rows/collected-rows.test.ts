// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import type { SqlValue } from '../../../storage/values/values.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import { newRows, resultOf, rowCountOf } from './collected-rows.ts'
import type { ExecutionContext, RowWriter } from './execution-context.ts'
import { ScanPage } from './scan-page.ts'

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

function collected(newRowWriter?: () => RowWriter): RowWriter {
  const rows = newRows(COLUMNS, { newRowWriter })
  for (const id of IDS) rows.write([id])
  assert.equal(rows.rowCount, IDS.length)
  return rows
}

test('without a writer all rows are held, in their order', () => {
  const rows = collected()
  const result = { ...resultOf(COLUMNS, rows), rowsAffected: 0 }
  assert.equal(result.written, undefined)
  assert.deepEqual(result.rows.flat(), IDS)
  assert.equal(result.bytes, rows.bytes)
  assert.equal(rowCountOf(result), IDS.length)
})

test('a writer is given each row when it is found, and says what they come to', () => {
  const writer = new RecordingWriter()
  const rows = collected(() => writer)
  const result = { ...resultOf(COLUMNS, rows), rowsAffected: 0 }
  assert.deepEqual(writer.given.flat(), IDS)
  assert.deepEqual([result.rows, result.written], [[], writer])
  assert.equal(rows.bytes, 7 * IDS.length)
  assert.equal(rowCountOf(result), IDS.length)
})

test('a page ends after pageExaminedRowsMax rows, although its filter kept none of them', () => {
  const project = () => assert.fail('none is kept')
  const projection = { columns: COLUMNS, reads: new Set<number>(), project, units: 0 }
  const context = { page: { rows: 10, bytes: 1_000 } } as ExecutionContext
  const page = new ScanPage(projection, context, Number.POSITIVE_INFINITY)
  const { pageExaminedRowsMax } = PLANNER_LIMITS
  for (let row = 1; row < pageExaminedRowsMax; row += 1) page.examine()
  assert.equal(page.isFull(), false)
  page.examine()
  assert.equal(page.isFull(), true)
})
