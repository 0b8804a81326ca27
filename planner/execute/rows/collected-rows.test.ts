// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import type { SqlValue } from '../../../storage/storage.ts'
import { CollectedRows, rowCountOf } from './collected-rows.ts'
import type { RowWriter } from './execution-context.ts'

const COLUMNS = [{ name: 'id', type: 'INTEGER' }] as const

/** Keeps what it was given, call by call. */
class RecordingWriter implements RowWriter {
  readonly given: SqlValue[][][] = []
  bytes = 0

  get rowCount(): number {
    return this.given.flat().length
  }

  write(rows: readonly SqlValue[][]): void {
    this.given.push([...rows])
  }
}

function collected(count: number, newRowWriter?: () => RowWriter, bytesOfRow = 40) {
  const rows = new CollectedRows(COLUMNS, newRowWriter === undefined ? {} : { newRowWriter })
  for (let id = 0; id < count; id += 1) rows.add([BigInt(id)], bytesOfRow)
  assert.equal(rows.count, count)
  return { ...rows.result, rowsAffected: 0 }
}

test('without a writer all rows are held, in their order', () => {
  const result = collected(250)
  assert.equal(result.written, undefined)
  assert.deepEqual(
    result.rows.flat(),
    Array.from({ length: 250 }, (_, id) => BigInt(id)),
  )
})

test('rows go to the writer by hundreds, and those behind them are held', () => {
  for (const [count, handed] of [
    [99, []],
    [100, [100]],
    [250, [100, 100]],
  ] as const) {
    const writer = new RecordingWriter()
    const result = collected(count, () => writer)
    assert.deepEqual(
      writer.given.map((rows) => rows.length),
      handed,
    )
    const ids = [...writer.given.flat(), ...result.rows].flat()
    assert.deepEqual(
      ids,
      Array.from({ length: count }, (_, id) => BigInt(id)),
    )
    assert.equal(result.written, handed.length === 0 ? undefined : writer)
    assert.equal(rowCountOf(result), count)
  }
})

test('rows that are long are held for who can write them in turns', () => {
  const newWriter = () => assert.fail('a writer was made')
  const result = collected(250, newWriter, 1024 * 1024)
  assert.equal(result.rows.length, 250)
  assert.equal(result.bytes, 250 * 1024 * 1024)
})

test('an answer that is short asks for no writer', () => {
  const newWriter = () => assert.fail('a writer was made')
  assert.equal(collected(99, newWriter).rows.length, 99)
})
