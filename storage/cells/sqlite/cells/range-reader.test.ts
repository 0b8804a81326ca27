// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import fc from 'fast-check'
import type { Chunk } from '../../embedded-cell-store.ts'
import type { RowFilter } from '../../row-filter.ts'
import { prepareSchema } from '../schema.ts'
import { statementTexts } from '../statements.ts'
import { SqliteRangeReader } from './range-reader.ts'
import { SqliteRowReader } from './row-reader.ts'

/** Versions of column "0" of each row: some fit beside others in a walk, some are more than a walk sees. */
const VERSIONS = [1, 2, 1, 0, 70, 1, 1, 9, 64, 63, 1, 0, 200, 1, 1, 1, 65, 3, 1, 130]

const keyOf = (row: number) => Buffer.from([1, row])

/** Row r has column "0" at 1 to VERSIONS[r], and one cell each of the columns "/" and "1" around it. */
function filledReader(): SqliteRangeReader {
  const database = new SqliteDatabase(':memory:')
  prepareSchema(database)
  const set = database.prepare(statementTexts('write').setCell)
  VERSIONS.forEach((versions, row) => {
    for (const qualifier of ['/', '1']) set.run(keyOf(row), qualifier, 500, Buffer.from('other'))
    for (let at = 1; at <= versions; at++) {
      // Every fifth value is too long for the list, and is read by itself.
      set.run(keyOf(row), '0', at, Buffer.alloc(at % 5 === 0 ? 8_200 : 3, at))
    }
  })
  return new SqliteRangeReader(database, new SqliteRowReader(database))
}

/** Such as `4@70x3`: row 4 at timestamp 70, three bytes; each chunk of `rowsMax` rows. */
function rowsInChunks(
  reader: SqliteRangeReader,
  how: { readonly reverse: boolean; readonly rowsMax: number; readonly until: number },
): string[] {
  const { reverse, rowsMax, until } = how
  const filter: RowFilter = [{ family: 'write', qualifier: '0', timestamps: { until }, newest: 1 }]
  const found: string[] = []
  let rest: Chunk['rest'] = { start: keyOf(0), end: undefined }
  while (rest !== undefined) {
    const { start, end } = rest
    const bounds = end === undefined ? { start } : { start, end }
    const chunk: Chunk = reader.readChunk({ ...bounds, reverse, filter, rowsMax, bytesMax: 1e6 })
    for (const { key, cells } of chunk.rows) {
      for (const { timestamp, value } of cells) {
        assert.equal(value[0], timestamp)
        found.push(`${key[1]}@${timestamp}x${value.length}`)
      }
    }
    rest = chunk.rest
  }
  return found
}

function expectedRows(until: number): string[] {
  return VERSIONS.flatMap((versions, row) => {
    const newest = Math.min(versions, until - 1)
    return newest < 1 ? [] : [`${row}@${newest}x${newest % 5 === 0 ? 8_200 : 3}`]
  })
}

test('a range of rows with few and with many versions has the newest of each, in either direction', () => {
  const reader = filledReader()
  for (const until of [1, 2, 9, 66, 1_000]) {
    const expected = expectedRows(until)
    for (const rowsMax of [1, 2, 3, 7, 20, 512]) {
      const forward = rowsInChunks(reader, { reverse: false, rowsMax, until })
      assert.deepEqual(forward, expected, `until ${until}, ${rowsMax} rows at a time`)
      const backward = rowsInChunks(reader, { reverse: true, rowsMax, until })
      assert.deepEqual(backward, expected.toReversed(), `until ${until}, ${rowsMax} back`)
    }
  }
})

test('keys and values of any bytes and lengths are read as they were written', () => {
  const bytes = (max: number) =>
    fc.array(fc.constantFrom(0x00, 0x01, 0x20, 0x2d, 0x61, 0x80, 0xc3, 0xff), { maxLength: max })
  const value = fc.oneof(
    bytes(40).map((list) => Uint8Array.from(list)),
    fc.constantFrom(8_191, 8_192, 8_193).map((length) => Buffer.alloc(length, 0xe4)),
  )
  const cell = fc.record({
    // Few keys of many versions make it go on by steps.
    key: fc.oneof(bytes(4), bytes(1)).map((list) => Buffer.from([1, ...list]).toString('hex')),
    timestamp: fc.integer({ min: 1, max: 60 }),
    value,
  })
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 300, size: 'max' }), fc.boolean(), (cells, reverse) => {
      const database = new SqliteDatabase(':memory:')
      prepareSchema(database)
      const set = database.prepare(statementTexts('write').setCell)
      const newest = new Map<string, { timestamp: number; value: string }>()
      for (const { key, timestamp, value } of cells) {
        set.run(Buffer.from(key, 'hex'), '0', timestamp, value)
        const hex = Buffer.from(value).toString('hex')
        if (timestamp < 50 && timestamp >= (newest.get(key)?.timestamp ?? 0)) {
          newest.set(key, { timestamp, value: hex })
        }
      }
      const timestamps = { until: 50 }
      const filter: RowFilter = [{ family: 'write', qualifier: '0', timestamps, newest: 1 }]
      const reader = new SqliteRangeReader(database, new SqliteRowReader(database))
      const start = Buffer.from([1])
      const chunk = reader.readChunk({ start, reverse, filter, rowsMax: 512, bytesMax: 1e9 })
      const read = chunk.rows.map(({ key, cells: [only] }) => [
        Buffer.from(key).toString('hex'),
        { timestamp: only?.timestamp, value: Buffer.from(only?.value ?? []).toString('hex') },
      ])
      const expected = [...newest].toSorted(([a], [b]) => (a < b ? -1 : 1))
      assert.deepEqual(read, reverse ? expected.toReversed() : expected)
      database.close()
    }),
    { numRuns: 150 },
  )
})
