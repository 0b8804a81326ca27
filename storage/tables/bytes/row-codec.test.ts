// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { arbitraryRow, arbitraryTable } from '../../../test/storage/arbitrary-values.ts'
import { encodeRow } from '../../../test/storage/encoded-row.ts'
import { columnsOf, tableOf } from '../../../test/storage/table-of.ts'
import { InvariantViolation } from '../../invariant.ts'
import type { SqlType, SqlValue } from '../../values/sql-type.ts'
import { isIntegerInRange } from '../../values/sql-value.ts'
import { decodeRow } from './row-codec.ts'

const arbitraryTableAndRow = arbitraryTable.chain((table) =>
  fc.record({ table: fc.constant(table), row: arbitraryRow(table) }),
)

suite('a row', () => {
  test('what is written is read back, for any table', () => {
    fc.assert(
      fc.property(arbitraryTableAndRow, ({ table, row }) => {
        const { key, value } = encodeRow(table, row)
        assert.deepEqual(decodeRow(table, key, value), row)
      }),
      { numRuns: 1_000 },
    )
  })

  test('whole numbers around the bounds of each size are read back', () => {
    const table = tableOf(columnsOf('INTEGER'))
    const bounds = [7n, 8n, 15n, 16n, 31n, 32n, 63n].flatMap((bits) => [2n ** bits, -(2n ** bits)])
    const options = bounds.flatMap((bound) => [bound - 1n, bound, bound + 1n])
    for (const integer of options.filter(isIntegerInRange)) {
      const { key, value } = encodeRow(table, [1n, integer])
      assert.deepEqual(decodeRow(table, key, value), [1n, integer])
    }
  })

  test('it is read from the middle of a larger buffer too', () => {
    const table = tableOf(columnsOf('BYTES', 'TEXT', 'REAL'))
    const row = [1n, Uint8Array.of(1, 2), 'x', 0.5]
    const { key, value } = encodeRow(table, row)
    const options = new Uint8Array(value.length + 20)
    options.set(value, 13)
    assert.deepEqual(decodeRow(table, key, options.subarray(13, 13 + value.length)), row)
  })

  test('a long text and long bytes are read back', () => {
    const table = tableOf(columnsOf('TEXT', 'BYTES'))
    const row = [1n, '\u0000é😀'.repeat(100_000), new Uint8Array(300_000).fill(0xff)]
    const { key, value } = encodeRow(table, row)
    assert.deepEqual(decodeRow(table, key, value), row)
  })

  test('minus zero is written as zero', () => {
    const table = tableOf(columnsOf('REAL'))
    const { key, value } = encodeRow(table, [1n, -0])
    assert.deepEqual(decodeRow(table, key, value), [1n, 0])
  })

  test('a column that was added after the row was written is NULL', () => {
    const { key, value } = encodeRow(tableOf(columnsOf('TEXT')), [1n, 'x'])
    assert.deepEqual(decodeRow(tableOf(columnsOf('TEXT', 'INTEGER', 'JSON')), key, value), [
      1n,
      'x',
      null,
      null,
    ])
  })

  test('8 MiB are allowed, one byte more is refused and names limit and size', () => {
    const table = tableOf(columnsOf('TEXT'))
    const overhead = 1 + 1 + 4
    const limit = 8 * 1024 * 1024
    assert.equal(encodeRow(table, [1n, 'x'.repeat(limit - overhead)]).value.length, limit)
    assert.throws(() => encodeRow(table, [1n, 'x'.repeat(limit - overhead + 1)]), {
      code: 'limit_exceeded',
      fields: { limit: 'rowBytesMax', limitValue: limit, actual: limit + 1, table: 't' },
    })
  })

  test('values that their columns cannot hold are refused by the name of the column', () => {
    const refused: Array<[SqlType, SqlValue, string]> = [
      ['TEXT', '\ud83d', 'type_mismatch'],
      ['INTEGER', 2n ** 63n, 'out_of_range'],
      ['INTEGER', 1, 'type_mismatch'],
      ['REAL', Number.POSITIVE_INFINITY, 'out_of_range'],
      ['BOOLEAN', 1n, 'type_mismatch'],
      ['TIMESTAMP', '2026-01-31', 'type_mismatch'],
      ['JSON', true, 'type_mismatch'],
    ]
    for (const [type, value, code] of refused) {
      const named = { code, fields: { type, column: 'c0' } }
      assert.throws(() => encodeRow(tableOf(columnsOf(type)), [1n, value]), named)
    }
  })
})

suite('damaged row values', () => {
  const table = tableOf(columnsOf('INTEGER', 'TEXT', 'REAL'))
  const { key } = encodeRow(table, [1n, null, null, null])
  const cases: Array<[string, string]> = [
    ['it is empty', ''],
    ['the format is unknown', '02'],
    ['a column is unknown', '01 50'],
    ['a column stands twice', '01 20 20'],
    ['columns do not ascend', '01 30 20'],
    ['a column of the key is there', '01 13 01'],
    ['a kind is of another type', '01 28 01 61'],
    ['a kind is unknown', '01 2f'],
    ['an integer is cut short', '01 25 00 00'],
    ['a text is cut short', '01 38 05 61 62'],
    ['a length is cut short', '01 38 80'],
    ['a length is larger than 32 bits', '01 38 ff ff ff ff 7f'],
    ['a length has a needless byte', '01 38 81 00 61'],
    ['a text is not UTF-8', '01 38 02 c3 28'],
    ['a real is NaN', '01 47 7f f8 00 00 00 00 00 00'],
    ['a real is minus zero', '01 47 80 00 00 00 00 00 00 00'],
  ]
  for (const [name, hex] of cases) {
    test(`${name}: a violation of T2`, () => {
      const value = Buffer.from(hex.replaceAll(' ', ''), 'hex')
      const violation = { name: 'InvariantViolation', rule: 'T2' }
      assert.throws(() => decodeRow(table, key, value), violation)
    })
  }

  test('any change of the bytes gives a row of the right types or a violation of T2', () => {
    const input = arbitraryTableAndRow.chain(({ table: definition, row }) => {
      const encoded = encodeRow(definition, row)
      const bytes = fc.uint8Array({ minLength: 1, maxLength: 4 })
      return fc.record({
        definition: fc.constant(definition),
        encoded: fc.constant(encoded),
        at: fc.nat({ max: encoded.value.length }),
        removed: fc.nat({ max: 4 }),
        inserted: bytes,
      })
    })
    let damaged = 0
    fc.assert(
      fc.property(input, ({ definition, encoded, at, removed, inserted }) => {
        const before = encoded.value.subarray(0, at)
        const value = Buffer.concat([before, inserted, encoded.value.subarray(at + removed)])
        try {
          const row = decodeRow(definition, encoded.key, value)
          encodeRow(definition, row) // Refuses values of a wrong type.
        } catch (error) {
          if (!(error instanceof InvariantViolation) || error.rule !== 'T2') throw error
          damaged += 1
        }
      }),
      { numRuns: 2_000 },
    )
    assert.ok(damaged > 200)
  })
})
