// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createParser, PARSER_LIMITS } from '../../parser/parser.ts'
import { createCatalog } from '../../storage/tables/catalog/catalog.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { planError } from '../../test/sql-session.ts'
import { tableOf } from '../../test/storage/table-of.ts'
import { valueToJson } from '../json/json-value.ts'
import { type PlannedStatement, planStatement } from '../planner.ts'
import { ConstantValues } from './constant-values.ts'
import { matchesPattern } from './like-pattern.ts'
import { bindParameters, type Parameters } from './parameters.ts'
import { WorkMeter } from './work-meter.ts'

const TYPES: ReadonlyArray<readonly [string, SqlType]> = [
  ['id', 'INTEGER'],
  ['n', 'INTEGER'],
  ['r', 'REAL'],
  ['t', 'TEXT'],
  ['f', 'BOOLEAN'],
  ['x', 'BYTES'],
  ['at', 'TIMESTAMP'],
  ['j', 'JSON'],
  ['nothing', 'INTEGER'],
  ['unknown', 'BOOLEAN'],
]
const TABLE = tableOf(
  TYPES.map(([name, type], index) => ({ id: index + 1, name, type, notNull: index === 0 })),
  { name: 'row' },
)
const CATALOG = createCatalog(1, [TABLE])
const ROW: readonly SqlValue[] = [
  1n,
  7n,
  2.5,
  'größe😀',
  true,
  new Uint8Array([1, 255]),
  1_700_000_000_000_000n,
  '{"a":[1,2],"b":null}',
  null,
  null,
]
const parser = createParser()

type Evaluated = { readonly type: SqlType; readonly json: unknown }

/** The value of an expression over ROW. `GET ` is four characters, so column 5 is its first. */
function evaluate(expression: string, parameters: Parameters = []): Evaluated {
  const [statement] = parser.parseScript(`GET ${expression} AS v FROM row WHERE id = 1`)
  const plan = planStatement(statement as PlannedStatement, CATALOG)
  assert.equal(plan.kind, 'pointGet')
  if (plan.kind !== 'pointGet') throw new Error()
  const type = plan.projection.columns[0]?.type as SqlType
  const functions = { now: 1_700_000_000_000_000n, uuid: () => 'fresh', nextNumbers: () => [] }
  const work = new WorkMeter()
  const bound = bindParameters(plan.slots, { parameters }, work)
  const [value] = plan.projection.project({
    row: ROW,
    parameters: bound,
    functions,
    work,
    constants: new ConstantValues(),
  })
  return { type, json: valueToJson(type, value ?? null) }
}

const VALUES: ReadonlyArray<readonly [string, SqlType, unknown]> = [
  // Arithmetic.
  ['n + 1 - 3 * 2', 'INTEGER', 2],
  ['7 / 2', 'INTEGER', 3],
  ['-7 / 2', 'INTEGER', -3],
  ['-7 % 3', 'INTEGER', -1],
  ['7 % -3', 'INTEGER', 1],
  ['7.0 / 2', 'REAL', 3.5],
  ['-7.5 % 2', 'REAL', -1.5],
  ['n + r', 'REAL', 9.5],
  ['r * 0 * -1', 'REAL', 0],
  ['-9223372036854775808', 'INTEGER', '-9223372036854775808'],
  ['9223372036854775807', 'INTEGER', '9223372036854775807'],
  ['- -n', 'INTEGER', 7],
  ['+r', 'REAL', 2.5],
  ['NULL + 1', 'INTEGER', null],
  ['n + nothing', 'INTEGER', null],
  ['nothing / 0', 'INTEGER', null],
  ["'a' || t || 'b'", 'TEXT', 'agröße😀b'],
  ["x || x'00'", 'BYTES', 'Af8A'],
  ['t || NULL', 'TEXT', null],
  // Time.
  ['at + 1500000', 'TIMESTAMP', '2023-11-14T22:13:21.500000Z'],
  ['1 + at', 'TIMESTAMP', '2023-11-14T22:13:20.000001Z'],
  ['at - 1000', 'TIMESTAMP', '2023-11-14T22:13:19.999000Z'],
  ["at - '2023-11-14T22:13:19Z'", 'INTEGER', 1_000_000],
  ["'2023-11-14T22:13:21Z' - at", 'INTEGER', 1_000_000],
  ["at > '2023-11-14T23:13:19+01:00'", 'BOOLEAN', true],
  // Comparison.
  ["t = 'größe😀'", 'BOOLEAN', true],
  ["'\uffff' < '\u{10000}'", 'BOOLEAN', true],
  ['n = 7.0', 'BOOLEAN', true],
  ['n <> 7', 'BOOLEAN', false],
  ['TRUE > FALSE', 'BOOLEAN', true],
  ["x'01' < x'0100'", 'BOOLEAN', true],
  ['j = \'{"b": null, "a": [1.0, 2]}\'', 'BOOLEAN', true],
  ['j <> \'{"a": [2, 1], "b": null}\'', 'BOOLEAN', true],
  ["j = 'null'", 'BOOLEAN', null],
  ['nothing = NULL', 'BOOLEAN', null],
  ['NULL = NULL', 'BOOLEAN', null],
  ['nothing IS NULL', 'BOOLEAN', true],
  ['n IS NOT NULL', 'BOOLEAN', true],
  // Membership.
  ['n IN (1, 7)', 'BOOLEAN', true],
  ['n IN (1, NULL)', 'BOOLEAN', null],
  ['n NOT IN (1, NULL)', 'BOOLEAN', null],
  ['n NOT IN (1, NULL, 7)', 'BOOLEAN', false],
  ['nothing IN (1)', 'BOOLEAN', null],
  ['n IN (1.5, 7.0)', 'BOOLEAN', true],
  ['j IN (\'[]\', \'{"b":null,"a":[1,2]}\')', 'BOOLEAN', true],
  ['n BETWEEN 7 AND 7', 'BOOLEAN', true],
  ['n BETWEEN NULL AND 6', 'BOOLEAN', false],
  ['n BETWEEN NULL AND 8', 'BOOLEAN', null],
  ['n NOT BETWEEN 8 AND 9', 'BOOLEAN', true],
  ['n NOT BETWEEN NULL AND 6', 'BOOLEAN', true],
  ["t LIKE 'gr__e%'", 'BOOLEAN', true],
  ["t LIKE 'größe_'", 'BOOLEAN', true],
  ["t NOT LIKE '%x%'", 'BOOLEAN', true],
  ['t LIKE NULL', 'BOOLEAN', null],
  // Functions.
  ['now()', 'TIMESTAMP', '2023-11-14T22:13:20.000000Z'],
  ['uuid()', 'TEXT', 'fresh'],
  ['coalesce(nothing, NULL, n, 1 / 0)', 'INTEGER', 7],
  ['coalesce(nothing, 1.5)', 'REAL', 1.5],
  ['coalesce(nothing)', 'INTEGER', null],
  ['length(t)', 'INTEGER', 6],
  ['length(x)', 'INTEGER', 2],
  ['length(NULL)', 'INTEGER', null],
  ["lower('ÄB')", 'TEXT', 'äb'],
  ['upper(t)', 'TEXT', 'GRÖSSE😀'],
  ['abs(-7)', 'INTEGER', 7],
  ['abs(-2.5)', 'REAL', 2.5],
  ['round(2.5)', 'REAL', 3],
  ['round(-2.5)', 'REAL', -3],
  ['round(1.005, 2)', 'REAL', 1.01],
  ['round(-0.4)', 'REAL', 0],
  ['round(n)', 'INTEGER', 7],
  ['round(1e300, 2)', 'REAL', 1e300],
  ['round(5e-324, 15)', 'REAL', 0],
  ['least(3, n, 2.5)', 'REAL', 2.5],
  ['greatest(3, n)', 'INTEGER', 7],
  ["greatest('a', 'b')", 'TEXT', 'b'],
  ['least(1, nothing)', 'INTEGER', null],
  ['NULL', 'TEXT', null],
]

test('every operator and function has its value and its type', () => {
  for (const [expression, type, json] of VALUES) {
    assert.deepEqual(evaluate(expression), { type, json }, expression)
  }
})

test('AND, OR and NOT know three truths', () => {
  const truths = ['TRUE', 'FALSE', 'unknown']
  const json = (truth: string): boolean | null => (truth === 'unknown' ? null : truth === 'TRUE')
  for (const a of truths) {
    const opposite = json(a) === null ? null : !json(a)
    assert.equal(evaluate(`NOT ${a}`).json, opposite, `NOT ${a}`)
    for (const b of truths) {
      const both = [json(a), json(b)]
      const and = both.includes(false) ? false : both.includes(null) ? null : true
      const or = both.includes(true) ? true : both.includes(null) ? null : false
      assert.equal(evaluate(`${a} AND ${b}`).json, and, `${a} AND ${b}`)
      assert.equal(evaluate(`${a} OR ${b}`).json, or, `${a} OR ${b}`)
    }
  }
})

test('what decides an AND or OR hides an error after it, and nothing hides one before', () => {
  assert.equal(evaluate('FALSE AND 1 / 0 = 1').json, false)
  assert.equal(evaluate('TRUE OR 1 / 0 = 1').json, true)
  assert.throws(() => evaluate('1 / 0 = 1 AND FALSE'), planError('division_by_zero'))
})

const REFUSED: ReadonlyArray<readonly [string, string, number]> = [
  ['1 + 2 / 0', 'division_by_zero', 11],
  ['n % 0', 'division_by_zero', 7],
  ['r / 0.0', 'division_by_zero', 7],
  ['9223372036854775807 + 1', 'out_of_range', 25],
  ['9223372036854775808', 'out_of_range', 5],
  ['-9223372036854775809', 'out_of_range', 5],
  ['- (-9223372036854775807 - 1)', 'out_of_range', 5],
  ['abs(-9223372036854775807 - 1)', 'out_of_range', 5],
  ['-9223372036854775808 / -1', 'out_of_range', 26],
  ['1e308 * 10', 'out_of_range', 11],
  ["'9999-12-31' + at", 'type_mismatch', 18],
  ['at + 9000000000000000000', 'out_of_range', 8],
  ['round(1.5, 16)', 'out_of_range', 5],
  ["n + 'a'", 'type_mismatch', 7],
  ['t + 1', 'type_mismatch', 7],
  ['at * 2', 'type_mismatch', 8],
  ['t = n', 'type_mismatch', 9],
  ['f = 1', 'type_mismatch', 9],
  ['NOT n', 'type_mismatch', 9],
  ['f AND n', 'type_mismatch', 11],
  ["at > 'yesterday'", 'type_mismatch', 10],
  ["j = '{'", 'type_mismatch', 9],
  ["j < '[]'", 'type_mismatch', 7],
  ['greatest(j, j)', 'type_mismatch', 5],
  ['length(n)', 'type_mismatch', 12],
  ['lower(n)', 'type_mismatch', 11],
  ['abs(t)', 'type_mismatch', 9],
  ['-t', 'type_mismatch', 5],
  ['n LIKE t', 'type_mismatch', 5],
  ['n IN (1, t)', 'type_mismatch', 14],
  ['coalesce(n, t)', 'type_mismatch', 17],
  [':p', 'type_mismatch', 5],
  [':p = :q', 'type_mismatch', 5],
  ['missing + 1', 'unknown_column', 5],
  ['nothin', 'unknown_column', 5],
  ['lenght(t)', 'invalid_request', 5],
  ['now(1)', 'invalid_request', 5],
  ['coalesce()', 'invalid_request', 5],
]

test('what has no value is refused with the position of the mistake', () => {
  for (const [expression, code, column] of REFUSED) {
    const run = (): unknown => evaluate(expression, { p: 1, q: 1 })
    assert.throws(run, planError(code, { column }), expression)
  }
})

test('a misspelt name is answered with the names that come near it', () => {
  const named = (expected: string) => (error: Error & { hint?: string }) =>
    error.hint?.startsWith(`Did you mean ${expected}?`) === true
  assert.throws(() => evaluate('nothin'), named('nothing'))
  assert.throws(() => evaluate('lenght(t)'), named('length'))
  const [statement] = parser.parseScript('SCAN * FROM rows')
  assert.throws(() => planStatement(statement as PlannedStatement, CATALOG), named('row'))
})

test('a parameter takes the type of what it meets', () => {
  const met: ReadonlyArray<readonly [string, unknown, SqlType, unknown]> = [
    ['n = :p', '7', 'BOOLEAN', true],
    ['n = :p', 7, 'BOOLEAN', true],
    [':p + r', 1, 'REAL', 3.5],
    ['t = :p', 'größe😀', 'BOOLEAN', true],
    ['x = :p', 'Af8=', 'BOOLEAN', true],
    ['at = :p', '2023-11-14T23:13:20+01:00', 'BOOLEAN', true],
    ['at - :p', 1_000_000, 'TIMESTAMP', '2023-11-14T22:13:19.000000Z'],
    ['j = :p', { b: null, a: [1, 2] }, 'BOOLEAN', true],
    ['n IN :p', [1, '7'], 'BOOLEAN', true],
    ['n IN :p', [1, null], 'BOOLEAN', null],
    ['n IN :p', [], 'BOOLEAN', false],
    ['n NOT IN :p', [], 'BOOLEAN', true],
    ['x IN :p', ['Af8='], 'BOOLEAN', true],
    ['nothing IN :p', [], 'BOOLEAN', false],
    ['nothing IN :p', [1], 'BOOLEAN', null],
    [':p IS NULL', null, 'BOOLEAN', true],
    [':p IS NOT NULL', { any: 1 }, 'BOOLEAN', true],
    ['coalesce(:p, n)', null, 'INTEGER', 7],
    [":p || 'b'", 'a', 'TEXT', 'ab'],
    ['f AND :p', null, 'BOOLEAN', null],
    ['length(:p)', 'abc', 'INTEGER', 3],
    ['n BETWEEN :p AND 9', 7, 'BOOLEAN', true],
  ]
  for (const [expression, p, type, json] of met) {
    assert.deepEqual(evaluate(expression, { p }), { type, json }, expression)
  }
  assert.deepEqual(evaluate('n + $2', [0, 1]), { type: 'INTEGER', json: 8 })
})

test('a parameter that is absent or does not fit is refused where it stands', () => {
  const bad: ReadonlyArray<readonly [string, Parameters, string]> = [
    ['n = :p', { q: 1 }, 'invalid_request'],
    ['n = :p', [1], 'invalid_request'],
    ['n = $1', { 1: 1 }, 'invalid_request'],
    ['n = $2', [1], 'invalid_request'],
    ['n = :toString', {}, 'invalid_request'],
    ['n = :p', { p: 1.5 }, 'type_mismatch'],
    ['n = :p', { p: 'seven' }, 'type_mismatch'],
    ['n = :p', { p: [1] }, 'type_mismatch'],
    ['n IN :p', { p: 1 }, 'type_mismatch'],
    ['n IN :p', { p: [1, 'x'] }, 'type_mismatch'],
    ['n = :p', { p: '9223372036854775808' }, 'out_of_range'],
  ]
  for (const [expression, parameters, code] of bad) {
    const column = 5 + expression.search(/[:$]/)
    const run = (): unknown => evaluate(expression, parameters)
    assert.throws(run, planError(code, { column }), expression)
  }
})

test('the longest chain of operators that is parsed needs no stack', () => {
  const operators = PARSER_LIMITS.statementNodesMax / 2 - 10
  assert.equal(evaluate(`0${' + 1'.repeat(operators)}`).json, operators)
  assert.equal(evaluate(`FALSE${' OR FALSE'.repeat(operators)}`).json, false)
})

test('LIKE agrees with a regular expression on any pattern', () => {
  const unit = fc.constantFrom('a', 'b', '%', '_', '😀', '.', '\\')
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '.', '\\'), maxLength: 8 })
  fc.assert(
    fc.property(texts, fc.string({ unit, maxLength: 6 }), (text, pattern) => {
      const source = pattern.replace(/[.\\]/g, '\\$&').replaceAll('%', '.*').replaceAll('_', '.')
      assert.equal(matches(text, pattern), new RegExp(`^${source}$`, 'su').test(text))
    }),
    { numRuns: 2_000 },
  )
})

test('a LIKE of many wildcards ends in time', () => {
  assert.equal(matches('a'.repeat(20_000), `${'%a'.repeat(40)}b`), false)
})

test('a LIKE that nearly matches everywhere takes time linear in the text', () => {
  const text = 'a'.repeat(1_000_000)
  assert.equal(matches(text, `%b${'a'.repeat(10_000)}%`), false)
  assert.equal(matches(text, `%${'a'.repeat(10_000)}b%`), false)
  assert.equal(matches(`${text}b`, `%${'a'.repeat(10_000)}b%`), true)
})

test('a LIKE with _ in a long text costs too much, instead of holding everybody up', () => {
  const text = 'a'.repeat(1_000_000)
  assert.equal(matches(`${text}bc`, '%a_c%'), true)
  assert.throws(
    () => evaluate(`'${text}' LIKE '%_${'a'.repeat(10_000)}b%'`),
    planError('limit_exceeded'),
  )
})

function matches(text: string, pattern: string): boolean {
  return matchesPattern(text, pattern, new WorkMeter())
}
