// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { planError } from '../../test/sql-session.ts'
import { arbitraryValue } from '../../test/storage/arbitrary-values.ts'
import type { PlanError } from '../plan-error.ts'
import { valueFromJson, valueFromText, valueToJson } from './json-value.ts'
import {
  DATE_MAX,
  DATE_MIN,
  TIMESTAMP_MAX,
  TIMESTAMP_MIN,
  timestampFromText,
  timestampToText,
} from './timestamp-text.ts'

const text = fc.string({ unit: 'binary' })
const VALUES: Readonly<Record<SqlType, fc.Arbitrary<SqlValue>>> = {
  TEXT: text,
  INTEGER: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 1n - 2n ** 53n, 0n),
  ),
  DECIMAL: arbitraryValue('DECIMAL'),
  REAL: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  BOOLEAN: fc.boolean(),
  BYTES: fc.uint8Array(),
  DATE: fc.bigInt({ min: DATE_MIN, max: DATE_MAX }),
  TIMESTAMP: fc.bigInt({ min: TIMESTAMP_MIN, max: TIMESTAMP_MAX }),
  JSON: fc
    .jsonValue({ depthSize: 'medium', stringUnit: 'binary' })
    .map((value) => (value === null ? null : JSON.stringify(value))),
}

for (const [type, values] of Object.entries(VALUES) as Array<[SqlType, fc.Arbitrary<SqlValue>]>) {
  test(`${type} over the wire and back is the same value`, () => {
    fc.assert(
      fc.property(
        values,
        fc.constantFrom('number' as const, 'string' as const),
        (value, integers) => {
          const wire = JSON.parse(JSON.stringify(valueToJson(type, value, { integers })))
          const back = valueFromJson(type, wire)
          assert.deepEqual(back, value)
        },
      ),
    )
  })
}

test('an INTEGER is a number within 2^53−1 and a decimal string beyond', () => {
  assert.equal(valueToJson('INTEGER', 9_007_199_254_740_991n), 9_007_199_254_740_991)
  assert.equal(valueToJson('INTEGER', 9_007_199_254_740_992n), '9007199254740992')
  assert.equal(valueToJson('INTEGER', -9_007_199_254_740_992n), '-9007199254740992')
  assert.equal(valueToJson('INTEGER', 7n, { integers: 'string' }), '7')
  assert.equal(valueFromJson('INTEGER', 7), 7n)
  assert.equal(valueFromJson('INTEGER', '7'), 7n)
})

test('an INTEGER names the number that is none, and what one with a fraction is', () => {
  for (const [json, shown] of [
    [1.5, '1.5'],
    [true, 'true'],
    ['78119.51', 'a string ("78119.51")'],
  ] as const) {
    assert.throws(
      () => valueFromJson('INTEGER', json),
      ({ message, hint }: PlanError) => {
        const words = `INTEGER wants a whole number, or its digits as a string, not ${shown}.`
        assert.equal(message, words)
        assert.equal(/REAL.*DECIMAL/.test(hint ?? ''), json !== true)
        return true
      },
    )
  }
})

test('a value of the wrong form is refused with the code that says how', () => {
  const refused: ReadonlyArray<readonly [SqlType, unknown, string]> = [
    ['INTEGER', 1.5, 'type_mismatch'],
    ['INTEGER', 2 ** 53, 'out_of_range'],
    ['INTEGER', '9223372036854775808', 'out_of_range'],
    ['INTEGER', '0x10', 'type_mismatch'],
    ['INTEGER', '', 'type_mismatch'],
    ['INTEGER', true, 'type_mismatch'],
    ['REAL', '1.5', 'type_mismatch'],
    ['REAL', Number.POSITIVE_INFINITY, 'out_of_range'],
    ['TEXT', 1, 'type_mismatch'],
    ['TEXT', '\ud800', 'type_mismatch'],
    ['BOOLEAN', 0, 'type_mismatch'],
    ['BYTES', 'not base64!', 'type_mismatch'],
    ['BYTES', 'YQ=', 'type_mismatch'],
    ['BYTES', [1, 2], 'type_mismatch'],
    ['TIMESTAMP', 0, 'type_mismatch'],
    ['TIMESTAMP', '2026-02-30', 'type_mismatch'],
    ['JSON', { a: ['\udfff'] }, 'type_mismatch'],
    ['JSON', { '\ud800': 1 }, 'type_mismatch'],
    ['JSON', [Number.POSITIVE_INFINITY], 'out_of_range'],
    ['JSON', JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)), 'limit_exceeded'],
  ]
  for (const [type, json, code] of refused) {
    assert.throws(() => valueFromJson(type, json), planError(code), `${type} of ${typeof json}`)
  }
})

test('minus zero is zero, and base64 may come without padding', () => {
  assert.ok(Object.is(valueFromJson('REAL', -0), 0))
  assert.deepEqual(valueFromJson('BYTES', 'YQ'), new Uint8Array([97]))
  assert.deepEqual(valueFromJson('BYTES', ''), new Uint8Array())
})

test('JSON null is NULL, at the top only', () => {
  assert.equal(valueFromJson('JSON', null), null)
  assert.equal(valueFromText('JSON', 'null', {}), null)
  assert.equal(valueFromJson('JSON', [null]), '[null]')
  assert.equal(valueFromJson('JSON', 'null'), '"null"')
})

test('a TIMESTAMP is read with any offset and up to six digits, and written in UTC with six', () => {
  const read: ReadonlyArray<readonly [string, string]> = [
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000000Z'],
    ['2026-01-31t12:00:00.5z', '2026-01-31T12:00:00.500000Z'],
    ['2026-01-31 13:30:00.123456+01:30', '2026-01-31T12:00:00.123456Z'],
    ['2026-01-31T23:59-00:01', '2026-02-01T00:00:00.000000Z'],
    ['2026-01-31T12:00:00+0100', '2026-01-31T11:00:00.000000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
  ]
  for (const [given, written] of read) {
    const micros = timestampFromText(given)
    assert.notEqual(micros, undefined, given)
    assert.equal(timestampToText(micros as bigint), written)
  }
  const refused = [
    '2026-01-31T12:00:00',
    '2026-01-31T12:00:00.1234567Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:60Z',
    '2026-13-01',
    '2025-02-29',
    '2026-00-10',
    '2026-01-31T12:00:00+24:00',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '0000-06-01',
    ' 2026-01-31',
    'yesterday',
  ]
  for (const given of refused) assert.equal(timestampFromText(given), undefined, given)
})
