// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { arbitraryValue, KEY_TYPES } from '../../../test/storage/arbitrary-values.ts'
import { sizeOf, tableOf } from '../../../test/storage/table-of.ts'
import { InvariantViolation } from '../../invariant.ts'
import { Decimal } from '../../values/decimal.ts'
import type { SqlType, SqlValue } from '../../values/sql-type.ts'
import { compareText, compareValues } from '../../values/sql-value.ts'
import type { TableDefinition } from '../table-definition.ts'
import { readKeyComponent } from './key-component.ts'
import {
  compareRowKeys,
  decodePrimaryKey,
  encodeKeyComponent,
  encodePrimaryKey,
  encodePrimaryKeyBound,
  encodeTextPrefix,
  endOfPrefix,
  tableSpace,
} from './key-encoding.ts'

type Column = { readonly type: SqlType; readonly descending: boolean }

const arbitraryColumn = fc.record({
  type: fc.constantFrom(...KEY_TYPES),
  descending: fc.boolean(),
})
const arbitraryColumns = fc.array(arbitraryColumn, { minLength: 1, maxLength: 4 })

function keyedBy(columns: readonly Column[], id = 7): TableDefinition {
  return tableOf(
    columns.map(({ type }, index) => ({ id: index + 1, name: `k${index}`, type, notNull: true })),
    {
      id,
      primaryKey: columns.map(({ descending }, index) => ({ columnId: index + 1, descending })),
    },
  )
}

function arbitraryTuple(columns: readonly Column[]): fc.Arbitrary<SqlValue[]> {
  return fc.tuple(...columns.map(({ type }) => arbitraryValue(type)))
}

function compareTuples(
  columns: readonly Column[],
  a: readonly SqlValue[],
  b: readonly SqlValue[],
): number {
  for (const [index, { type, descending }] of columns.entries()) {
    const order = compareValues(type, a[index] as SqlValue, b[index] as SqlValue)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

suite('one value of a key', () => {
  for (const type of KEY_TYPES) {
    for (const descending of [false, true]) {
      const label = `${type} ${descending ? 'DESC' : 'ASC'}`
      const withNull = fc.option(arbitraryValue(type))
      const { size } = sizeOf(type)

      test(`${label}: the bytes sort as the values do`, () => {
        fc.assert(
          fc.property(withNull, withNull, (a, b) => {
            const order = compareRowKeys(
              encodeKeyComponent(type, a, descending, size),
              encodeKeyComponent(type, b, descending, size),
            )
            const expected = compareValues(type, a, b)
            assert.equal(Math.sign(order), Math.sign(descending ? 0 - expected : expected))
          }),
          { numRuns: 500 },
        )
      })

      test(`${label}: what is written is read back, whatever follows`, () => {
        fc.assert(
          fc.property(withNull, fc.uint8Array({ maxLength: 4 }), (value, rest) => {
            const component = encodeKeyComponent(type, value, descending, size)
            const bytes = Buffer.concat([Uint8Array.of(1), component, rest])
            const read = readKeyComponent(bytes, 1, { type, descending, size })
            assert.deepEqual(read, { value, end: 1 + component.length })
          }),
          { numRuns: 300 },
        )
      })

      test(`${label}: the bytes of one value never begin those of another`, () => {
        fc.assert(
          fc.property(withNull, withNull, (a, b) => {
            fc.pre(compareValues(type, a, b) !== 0)
            const left = Buffer.from(encodeKeyComponent(type, a, descending, size))
            const right = Buffer.from(encodeKeyComponent(type, b, descending, size))
            assert.ok(!left.subarray(0, right.length).equals(right))
          }),
          { numRuns: 300 },
        )
      })
    }
  }

  test('100,000 random DECIMALs and bounds between them sort as the numbers do, whatever follows', () => {
    const random = new SeededRandomness(20_261_129)
    const digits = (count: number): bigint => {
      let units = 0n
      for (let at = random.below(count + 1); at > 0; at -= 1)
        units = units * 10n + BigInt(random.below(10))
      return random.below(2) === 0 ? units : -units
    }
    for (let round = 0; round < 100_000; round += 1) {
      const precision = 1 + random.below(38)
      const size = { precision, scale: random.below(precision + 1) }
      const descending = random.below(2) === 0
      const stored = new Decimal(digits(precision), size.scale)
      // Some are near the stored one, some of the same scale, some beyond the column.
      const near = new Decimal(stored.units * 10n + BigInt(random.below(21) - 10), size.scale + 1)
      const bound = random.below(2) === 0 ? near : new Decimal(digits(45), random.below(45))
      const key = encodeKeyComponent('DECIMAL', stored, descending, size)
      const sought = encodeKeyComponent('DECIMAL', bound, descending, size)
      const follows = Uint8Array.of(0x05, 0x10, 0xfa, 0xef)[random.below(5)]
      const behind = follows === undefined ? key : Buffer.concat([key, Uint8Array.of(follows)])
      const expected = compareValues('DECIMAL', stored, bound) * (descending ? -1 : 1)
      const label = `round ${round}: ${stored} and ${bound} of ${JSON.stringify(size)} ${descending}`
      if (expected === 0) assert.deepEqual(key, sought, label)
      else assert.equal(Math.sign(compareRowKeys(behind, sought)), expected, label)
      const part = { type: 'DECIMAL', descending, size } as const
      assert.deepEqual(readKeyComponent(Buffer.from(behind), 0, part), {
        value: stored,
        end: key.length,
      })
    }
  })

  test('minus zero is written as zero', () => {
    assert.deepEqual(encodeKeyComponent('REAL', -0, false), encodeKeyComponent('REAL', 0, false))
  })

  test('values that no column can hold are refused', () => {
    const refused: Array<[SqlType, SqlValue, string]> = [
      ['TEXT', 'a\ud800', 'type_mismatch'],
      ['TEXT', '\udc00', 'type_mismatch'],
      ['TEXT', 1n, 'type_mismatch'],
      ['INTEGER', 1, 'type_mismatch'],
      ['INTEGER', 2n ** 63n, 'out_of_range'],
      ['TIMESTAMP', -(2n ** 63n) - 1n, 'out_of_range'],
      ['REAL', Number.NaN, 'out_of_range'],
      ['REAL', Number.NEGATIVE_INFINITY, 'out_of_range'],
      ['BYTES', 'a', 'type_mismatch'],
      ['JSON', '{}', 'type_mismatch'],
    ]
    for (const [type, value, code] of refused) {
      assert.throws(() => encodeKeyComponent(type, value, false), { name: 'StorageError', code })
    }
  })
})

suite('a row key', () => {
  test('the bytes sort as the tuples of values do, and are equal only for equal ones', () => {
    const pair = arbitraryColumns.chain((columns) => {
      const tuple = arbitraryTuple(columns)
      // Often the second tuple shares its beginning with the first, so that later columns decide.
      const second = fc
        .tuple(tuple, tuple, fc.nat({ max: columns.length }))
        .map(([a, b, shared]) => [a, [...a.slice(0, shared), ...b.slice(shared)]] as const)
      return second.map(([a, b]) => ({ columns, a, b }))
    })
    fc.assert(
      fc.property(pair, ({ columns, a, b }) => {
        const table = keyedBy(columns)
        const order = compareRowKeys(encodePrimaryKey(table, a), encodePrimaryKey(table, b))
        assert.equal(Math.sign(order), Math.sign(compareTuples(columns, a, b)))
      }),
      { numRuns: 1_000 },
    )
  })

  test('what is written is read back', () => {
    const input = arbitraryColumns.chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        values: arbitraryTuple(columns),
        id: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
      }),
    )
    fc.assert(
      fc.property(input, ({ columns, values, id }) => {
        const table = keyedBy(columns, id)
        assert.deepEqual(decodePrimaryKey(table, encodePrimaryKey(table, values)), values)
      }),
      { numRuns: 500 },
    )
  })

  test('a prefix and its end bound exactly the keys that begin with those values', () => {
    const input = arbitraryColumns.chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        bounding: arbitraryTuple(columns),
        other: arbitraryTuple(columns),
        shared: fc.nat({ max: columns.length }),
        length: fc.nat({ max: columns.length }),
      }),
    )
    fc.assert(
      fc.property(input, ({ columns, bounding, other, shared, length }) => {
        const table = keyedBy(columns)
        const values = [...bounding.slice(0, shared), ...other.slice(shared)]
        const start = encodePrimaryKey(table, bounding.slice(0, length))
        const end = endOfPrefix(start) as Uint8Array
        const key = encodePrimaryKey(table, values)
        const inside = compareRowKeys(key, start) >= 0 && compareRowKeys(key, end) < 0
        const leading = columns.slice(0, length)
        assert.equal(inside, compareTuples(leading, values, bounding) === 0)
      }),
      { numRuns: 1_000 },
    )
  })

  test('the bounds of a text prefix hold exactly the texts that start with it', () => {
    const text = arbitraryValue('TEXT') as fc.Arbitrary<string>
    fc.assert(
      fc.property(text, text, fc.boolean(), fc.boolean(), (prefix, rest, related, descending) => {
        const table = keyedBy([
          { type: 'INTEGER', descending: false },
          { type: 'TEXT', descending },
        ])
        const value = related ? prefix + rest : rest
        const start = encodeTextPrefix(table, [5n], prefix)
        const end = endOfPrefix(start) as Uint8Array
        const key = encodePrimaryKey(table, [5n, value])
        const inside = compareRowKeys(key, start) >= 0 && compareRowKeys(key, end) < 0
        assert.equal(inside, value.startsWith(prefix))
      }),
      { numRuns: 500 },
    )
  })

  test('no table has keys in the space of another', () => {
    const column = { type: 'BYTES', descending: true } as const
    const last = encodePrimaryKey(keyedBy([column], 255), [new Uint8Array()])
    const end = endOfPrefix(tableSpace(255)) as Uint8Array
    assert.ok(compareRowKeys(last, end) < 0)
    assert.ok(compareRowKeys(end, tableSpace(256)) <= 0)
    assert.deepEqual(endOfPrefix(tableSpace(2 ** 32 - 1)), Uint8Array.of(0x02))
  })

  test('4096 bytes are allowed, one more is refused and names limit, size and columns', () => {
    const table = keyedBy([
      { type: 'TEXT', descending: false },
      { type: 'BYTES', descending: true },
    ])
    const room = 4096 - 5 - 3 - 3
    const longest = ['a'.repeat(room - 2), Uint8Array.of(0)]
    assert.equal(encodePrimaryKey(table, longest).length, 4096)
    assert.deepEqual(decodePrimaryKey(table, encodePrimaryKey(table, longest)), longest)
    const longer = ['a'.repeat(room - 1), Uint8Array.of(0)]
    assert.throws(() => encodePrimaryKey(table, longer), {
      code: 'limit_exceeded',
      fields: {
        limit: 'rowKeyBytesMax',
        limitValue: 4096,
        actual: 4097,
        table: 't',
        columns: ['k0', 'k1'],
      },
    })
  })

  test('a bound longer than any key has its place among them, and is none of them', () => {
    const text = fc.tuple(fc.constantFrom('a', 'b', '\0', '😀'), fc.integer({ min: 0, max: 5_000 }))
    const values = fc.array(
      text.map(([character, length]) => character.repeat(length)),
      { minLength: 1, maxLength: 2 },
    )
    fc.assert(
      fc.property(fc.boolean(), values, values, (descending, sought, [stored = '']) => {
        const part = { type: 'TEXT', descending } as const
        const table = keyedBy([part, part])
        const row = [stored.slice(0, 500), 'x']
        const [key, bound] = [encodePrimaryKey(table, row), encodePrimaryKeyBound(table, sought)]
        assert.ok(bound.length <= 4097)
        const whole = Buffer.concat([
          tableSpace(table.id),
          ...sought.map((value) => encodeKeyComponent('TEXT', value, descending)),
        ])
        assert.equal(compareRowKeys(key, bound), Buffer.compare(key, whole))
        const end = endOfPrefix(bound) as Uint8Array
        const isWithin = compareRowKeys(key, bound) >= 0 && compareRowKeys(key, end) < 0
        assert.equal(isWithin, Buffer.from(key.subarray(0, whole.length)).equals(whole))
      }),
    )
    const table = keyedBy([{ type: 'TEXT', descending: false }])
    assert.equal(encodeTextPrefix(table, [], 'a'.repeat(5_000)).length, 4_097)
  })

  test('NULL and a wrong type are refused by the name of the column', () => {
    const table = keyedBy([{ type: 'INTEGER', descending: false }])
    const named = { code: 'type_mismatch', message: /"k0"/ }
    assert.throws(() => encodePrimaryKey(table, [null]), named)
    assert.throws(() => encodePrimaryKey(table, ['1']), named)
  })
})

suite('damaged row keys', () => {
  const integers = keyedBy([{ type: 'INTEGER', descending: false }])
  const cases: Array<[string, SqlType, string]> = [
    ['the space is another', 'INTEGER', '0000000007108000000000000001'],
    ['the table is another', 'INTEGER', '0100000008108000000000000001'],
    ['it ends before the table id', 'INTEGER', '01000000'],
    ['it ends before the value', 'INTEGER', '0100000007'],
    ['it ends within the value', 'INTEGER', '010000000710800000000000'],
    ['bytes follow', 'INTEGER', '010000000710800000000000000100'],
    ['no value begins', 'INTEGER', '0100000007118000000000000001'],
    ['it is NULL', 'INTEGER', '010000000705'],
    ['a boolean is neither', 'BOOLEAN', '01000000071002'],
    ['a text has no end', 'TEXT', '010000000710616200'],
    ['a zero is not escaped', 'TEXT', '01000000071061000162'],
    ['a text is not UTF-8', 'TEXT', '010000000710ff0000'],
    ['a text holds an encoded surrogate', 'TEXT', '010000000710eda0800000'],
    ['a real is NaN', 'REAL', '010000000710fff8000000000000'],
    ['a real is infinite', 'REAL', '010000000710fff0000000000000'],
    ['a real is minus zero', 'REAL', '0100000007107fffffffffffffff'],
  ]
  for (const [name, type, hex] of cases) {
    test(`${name}: a violation of T1`, () => {
      const table = keyedBy([{ type, descending: false }])
      const key = Buffer.from(hex, 'hex')
      assert.throws(() => decodePrimaryKey(table, key), { name: 'InvariantViolation', rule: 'T1' })
    })
  }

  test('any bytes are either the very encoding of their values or a violation of T1', () => {
    const input = arbitraryColumns.chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        key: fc.oneof(
          fc.uint8Array({ maxLength: 30 }).map((rest) => Buffer.concat([tableSpace(7), rest])),
          damagedCopies(arbitraryTuple(columns).map((v) => encodePrimaryKey(keyedBy(columns), v))),
        ),
      }),
    )
    let damaged = 0
    fc.assert(
      fc.property(input, ({ columns, key }) => {
        const table = keyedBy(columns)
        try {
          const values = decodePrimaryKey(table, key)
          assert.deepEqual(Buffer.from(encodePrimaryKey(table, values)), Buffer.from(key))
        } catch (error) {
          if (!(error instanceof InvariantViolation) || error.rule !== 'T1') throw error
          damaged += 1
        }
      }),
      { numRuns: 1_000 },
    )
    assert.ok(damaged > 100)
    assert.throws(() => decodePrimaryKey(integers, new Uint8Array()), { rule: 'T1' })
  })
})

/** Keys with one byte replaced. */
function damagedCopies(keys: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(keys, fc.nat(), fc.oneof(fc.constantFrom(0, 1, 5, 0x10, 0xff), fc.nat({ max: 255 })))
    .map(([key, at, byte]) => {
      const copy = Uint8Array.from(key)
      copy[at % copy.length] = byte
      return copy
    })
}

test('texts with surrogate pairs sort above U+FFFF, where UTF-16 puts them below', () => {
  assert.ok('\u{10000}' < '\uffff')
  assert.ok(compareText('\u{10000}', '\uffff') > 0)
  const encoded = ['\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'].map((text) =>
    encodeKeyComponent('TEXT', text, false),
  )
  assert.deepEqual(encoded.toSorted(compareRowKeys), encoded)
})
