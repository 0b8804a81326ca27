// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { canonicalNumber, hasLongExponent, isDoubleExact } from './json-number.ts'

test('all writings of one decimal number have one text', () => {
  const alike: ReadonlyArray<readonly string[]> = [
    ['1', '1.0', '1e0', '10e-1', '0.1E+1', '0.001e3'],
    ['0', '-0', '0.000', '0e99', '-0.0E-7'],
    ['-1250', '-1.25e3', '-12500e-1', '-1250.00'],
    ['1e1000000000', '10e999999999', '0.1E1000000001'],
    ['1425367890123456789', '1425367890123456.789e3'],
  ]
  for (const numbers of alike) assert.equal(new Set(numbers.map(canonicalNumber)).size, 1)
  const first = alike.map(([number = '']) => canonicalNumber(number))
  assert.equal(new Set(first).size, alike.length)
  assert.notEqual(canonicalNumber('1425367890123456789'), canonicalNumber('1425367890123456788'))
  assert.notEqual(canonicalNumber('0.1'), canonicalNumber('0.1000000000000000055511151231257827'))
})

/** A decimal as digits and a power of ten that BigInt can still compute. */
const decimal = fc.record({
  sign: fc.constantFrom('', '-'),
  whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,25}$/)),
  fraction: fc.stringMatching(/^\d{0,25}$/),
  exponent: fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined }),
})
type Decimal = typeof decimal extends fc.Arbitrary<infer T> ? T : never

function written({ sign, whole, fraction, exponent }: Decimal): string {
  const point = fraction === '' ? '' : `.${fraction}`
  return `${sign}${whole}${point}${exponent === undefined ? '' : `e${exponent}`}`
}

/** The number times 10^100, exactly. */
function scaled({ sign, whole, fraction, exponent = 0 }: Decimal): bigint {
  const magnitude = BigInt(whole + fraction) * 10n ** BigInt(100 + exponent - fraction.length)
  return sign === '-' ? -magnitude : magnitude
}

test('two numbers have one text exactly when they are equal as decimals', () => {
  const zeros = fc.nat({ max: 5 })
  fc.assert(
    fc.property(decimal, decimal, zeros, (a, b, more) => {
      const equal = scaled(a) === scaled(b)
      assert.equal(canonicalNumber(written(a)) === canonicalNumber(written(b)), equal)
      const { exponent = 0, whole, fraction } = a
      const longer = { ...a, fraction: fraction + '0'.repeat(more) }
      const shifted = { ...a, whole: whole === '0' ? '0' : whole + '0'.repeat(more) }
      assert.equal(canonicalNumber(written(longer)), canonicalNumber(written(a)))
      if (fraction !== '' || whole === '0') return
      const same = { ...shifted, exponent: exponent - more }
      assert.equal(canonicalNumber(written(same)), canonicalNumber(written(a)))
    }),
    { numRuns: 500 },
  )
})

test('any double as JSON.stringify writes it is exact, and a neighbour in decimals is not', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
      assert.ok(isDoubleExact(JSON.stringify(double)))
    }),
  )
  for (const number of [
    '9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.10000000000000000555',
  ]) {
    assert.ok(!isDoubleExact(number), number)
  }
})

test('an exponent of more than fifteen digits is too long, whatever its sign', () => {
  for (const number of ['1', '1e5', '1E+123456789012345', '1e-123456789012345']) {
    assert.ok(!hasLongExponent(number), number)
  }
  for (const number of ['1e1234567890123456', '1E+1234567890123456', '1e-0000000000000001']) {
    assert.ok(hasLongExponent(number), number)
  }
})
