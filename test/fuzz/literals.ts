// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import type { SqlType } from '../../storage/values/sql-type.ts'

const quoted = (text: string) => `'${text.toWellFormed().replaceAll("'", "''")}'`

const JSON_TEXTS = [
  '{}',
  '[]',
  '{"a": [1, null]}',
  '"x"',
  '-0',
  '1e400',
  '{"__proto__": 1}',
  '{',
  '',
]
/** Values of each type as the dialect writes them, some of them beyond its range. */
export const LITERALS: Readonly<Record<SqlType, fc.Arbitrary<string>>> = {
  TEXT: fc.oneof(
    fc.constantFrom("'bob'", "'joe'", "''", "'a%'", "'\u{10ffff}'", "'\u0000'", "'\uffff'"),
    fc.string({ unit: 'binary', maxLength: 6 }).map(quoted),
  ),
  INTEGER: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('0', '1', '-1', '2', '10', '64') },
    { weight: 2, arbitrary: fc.constantFrom('9223372036854775807', '-9223372036854775807') },
    { weight: 1, arbitrary: fc.constantFrom('9223372036854775808', '99999999999999999999') },
    { weight: 3, arbitrary: fc.integer().map(String) },
  ),
  DECIMAL: fc.oneof(
    fc.constantFrom('0.00', '-0.5', '12.50', '1e30', '99999999999999999999.99', "'7.5'", "'x'"),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map((units) => `${units}.25`),
  ),
  REAL: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom('0.0', '-0.0', '.5', '1.5', '5e-324', '1e-400', '0.1'),
    },
    { weight: 1, arbitrary: fc.constantFrom('1e308', '-1e308', '1e999') },
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toExponential()),
  ),
  BOOLEAN: fc.constantFrom('TRUE', 'FALSE'),
  BYTES: fc.oneof(
    fc.constantFrom("x''", "x'00'", "x'ff'", "x'00ff'"),
    fc.uint8Array({ maxLength: 5 }).map((bytes) => `x'${Buffer.from(bytes).toString('hex')}'`),
  ),
  DATE: fc.constantFrom("'2026-01-31'", "'0001-01-01'", "'9999-12-31'", "'2024-02-30'", "''"),
  TIMESTAMP: fc.constantFrom(
    "'2026-01-31T12:00:00Z'",
    "'2026-01-31'",
    "'0001-01-01T00:00:00Z'",
    "'9999-12-31T23:59:59.999999Z'",
    "'9999-12-31T23:59:59.999999-23:59'",
    "'2024-02-30'",
    'now()',
  ),
  JSON: fc.constantFrom(...JSON_TEXTS).map(quoted),
}
export const TYPES = Object.keys(LITERALS) as SqlType[]
