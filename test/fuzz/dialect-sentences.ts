// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import type { SqlType } from '../../storage/tables/sql-type.ts'
import type { StatementInput } from './fuzz-input.ts'

// Sentences of the dialect over the tables of the fuzz server: mostly of right types, so that they
// get through the parser and the planner's checks to where rows are computed, read and written.

type Text = fc.Arbitrary<string>

const COLUMNS: Readonly<Record<string, Readonly<Record<string, SqlType>>>> = {
  account: { id: 'TEXT', balance: 'INTEGER' },
  every: {
    id: 'TEXT',
    n: 'INTEGER',
    r: 'REAL',
    b: 'BOOLEAN',
    y: 'BYTES',
    at: 'TIMESTAMP',
    j: 'JSON',
    s: 'TEXT',
  },
  moment: { at: 'TIMESTAMP', y: 'BYTES', b: 'BOOLEAN', r: 'REAL', j: 'JSON', s: 'TEXT' },
}
const KEYS: Readonly<Record<string, readonly string[]>> = {
  account: ['id'],
  every: ['id', 'n'],
  moment: ['at', 'y', 'b', 'r'],
}

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
const LITERALS: Readonly<Record<SqlType, Text>> = {
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
const TYPES = Object.keys(LITERALS) as SqlType[]

const PARAMETERS = [':p', ':q', ':list', '$1']
const anyType = fc.constantFrom(...TYPES)
const NESTING = 2

/** Mostly an expression of this type; sometimes of another one. */
function expression(type: SqlType, table: string, depth = NESTING): Text {
  const names = Object.entries(COLUMNS[table] ?? {})
    .filter(([, columnType]) => columnType === type)
    .map(([name]) => name)
  const leaf = fc.oneof(
    { weight: 5, arbitrary: LITERALS[type] },
    { weight: names.length > 0 ? 5 : 0, arbitrary: fc.constantFrom('NULL', ...names) },
    { weight: 1, arbitrary: fc.constantFrom('NULL', ...PARAMETERS) },
  )
  if (depth === 0) return leaf
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 4, arbitrary: compound(type, table, depth) },
  )
}

function compound(type: SqlType, table: string, depth: number): Text {
  const part = (of: SqlType = type) => expression(of, table, depth - 1)
  const binary = (operators: readonly string[], left = part(), right = part()) =>
    fc.tuple(left, fc.constantFrom(...operators), right).map((all) => `(${all.join(' ')})`)
  const call = (names: readonly string[], ...operands: Text[]) =>
    fc
      .tuple(fc.constantFrom(...names), ...operands)
      .map(([name, ...all]) => `${name}(${all.join(', ')})`)
  const anything = [
    call(['coalesce', 'least', 'greatest'], part(), part()),
    part().map((inner) => `(${inner})`),
  ]
  const own: Readonly<Record<SqlType, readonly Text[]>> = {
    TEXT: [binary(['||']), call(['lower', 'upper'], part('TEXT'))],
    INTEGER: [
      binary(['+', '-', '*', '/', '%']),
      binary(['-'], part('TIMESTAMP'), part('TIMESTAMP')),
      call(['length'], fc.oneof(part('TEXT'), part('BYTES'))),
      call(['abs', 'round', '-'], part('INTEGER')),
      call(['round'], part('INTEGER'), part('INTEGER')),
    ],
    REAL: [
      binary(['+', '-', '*', '/', '%'], part(), fc.oneof(part(), part('INTEGER'))),
      call(['abs', 'round', '-'], part('REAL')),
      call(['round'], part('REAL'), fc.integer({ min: -1, max: 16 }).map(String)),
    ],
    BOOLEAN: [condition(table, depth - 1)],
    BYTES: [binary(['||'])],
    TIMESTAMP: [binary(['+', '-'], part(), part('INTEGER'))],
    JSON: [],
  }
  return fc.oneof(...anything, ...own[type])
}

function condition(table: string, depth: number): Text {
  const compared = anyType.chain((type) => {
    const operand = expression(type, table, Math.max(0, depth - 1))
    const several = fc.array(operand, { minLength: 1, maxLength: 3 }).map((all) => all.join(', '))
    return fc.oneof(
      fc
        .tuple(operand, fc.constantFrom('=', '<>', '<', '<=', '>', '>=', '!='), operand)
        .map((all) => all.join(' ')),
      fc.tuple(operand, operand, operand).map(([a, b, c]) => `${a} BETWEEN ${b} AND ${c}`),
      fc
        .tuple(operand, fc.constantFrom('IN', 'NOT IN'), several)
        .map(([a, b, c]) => `${a} ${b} (${c})`),
      operand.map((a) => `${a} IN :list`),
      fc.tuple(operand, fc.constantFrom('IS NULL', 'IS NOT NULL')).map((all) => all.join(' ')),
      fc.tuple(operand, fc.constantFrom('LIKE', 'NOT LIKE'), operand).map((all) => all.join(' ')),
    )
  })
  if (depth <= 0) return compared
  const inner = condition(table, depth - 1)
  return fc.oneof(
    { weight: 4, arbitrary: compared },
    fc.tuple(inner, fc.constantFrom('AND', 'OR'), inner).map((all) => all.join(' ')),
    inner.map((one) => `NOT (${one})`),
  )
}

/** A condition that names the whole key, so that GET and SET get through to the row. */
function keyCondition(table: string, only?: '='): Text {
  const columns = KEYS[table] as readonly string[]
  const parts = columns.map((name) => {
    const value = expression(COLUMNS[table]?.[name] as SqlType, table, 0)
    return fc.oneof(
      { weight: 4, arbitrary: value.map((one) => `${name} = ${one}`) },
      {
        weight: only === undefined ? 1 : 0,
        arbitrary: fc.tuple(value, value).map((all) => `${name} IN (${all.join(', ')})`),
      },
    )
  })
  return fc.tuple(...parts).map((all) => all.join(' AND '))
}

const optional = (text: Text) => fc.oneof(fc.constant(''), text)

function where(table: string): Text {
  const both = fc.tuple(keyCondition(table), condition(table, NESTING))
  return fc
    .oneof(
      { weight: 3, arbitrary: keyCondition(table) },
      { weight: 1, arbitrary: condition(table, NESTING) },
      { weight: 1, arbitrary: both.map((all) => all.join(' AND ')) },
    )
    .map((one) => `WHERE ${one}`)
}

function projection(table: string): Text {
  const one = anyType.chain((type) => expression(type, table))
  return fc.oneof(
    fc.constant('*'),
    fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => all.join(', ')),
    one.map((value) => `${value} AS label`),
  )
}

const asOf = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom('AS OF 1', "AS OF '2026-01-01'", 'AS OF 9007199254740993', 'AS OF :p'),
)
const limit = fc.constantFrom('', 'LIMIT 0', 'LIMIT 2', 'LIMIT :p', 'LIMIT 99999999999999999999')
const primary = fc.constantFrom('', 'USE PRIMARY KEY')

function statementOn(table: string): Text {
  const names = Object.keys(COLUMNS[table] as object)
  const settable = names.filter((name) => !KEYS[table]?.includes(name))
  const order = fc
    .tuple(fc.shuffledSubarray(names, { minLength: 1 }), fc.constantFrom('', 'ASC', 'DESC'))
    .map(([columns, way]) => `ORDER BY ${columns.map((name) => `${name} ${way}`).join(', ')}`)
  const assignment = fc
    .constantFrom(...settable, ...settable, ...names)
    .chain((name) =>
      expression(COLUMNS[table]?.[name] as SqlType, table).map((value) => `${name} = ${value}`),
    )
  const row = fc
    .tuple(...names.map((name) => expression(COLUMNS[table]?.[name] as SqlType, 'none', 1)))
    .map((all) => `(${all.join(', ')})`)
  const rows = fc.array(row, { minLength: 1, maxLength: 2 }).map((all) => all.join(', '))
  const words = (...parts: Text[]) => fc.tuple(...parts).map((all) => all.filter(Boolean).join(' '))
  const wholeKey = keyCondition(table, '=').map((one) => `WHERE ${one}`)
  const from = fc.constant(`FROM ${table}`)
  return fc.oneof(
    words(
      fc.constant('GET'),
      projection(table),
      from,
      asOf,
      where(table),
      fc.constantFrom('', 'FOR UPDATE'),
    ),
    words(
      fc.constant('SCAN'),
      projection(table),
      from,
      asOf,
      primary,
      optional(where(table)),
      optional(order),
      limit,
    ),
    words(
      fc.constant('SET'),
      assignment,
      fc.constant(`ON ${table}`),
      fc.oneof(wholeKey, wholeKey, where(table)),
    ),
    words(fc.constant(`INSERT INTO ${table} (${names.join(', ')}) VALUES`), rows),
    words(fc.constant('DELETE'), from, primary, optional(where(table)), limit),
  )
}

const definition: Text = fc
  .record({
    type: fc.constantFrom(...TYPES, 'BLOB'),
    column: fc.constantFrom('a', 'A', '"a b"', 'key', '"__proto__"', '"constructor"', 'select'),
    constraint: fc.constantFrom('', 'NOT NULL', 'PRIMARY KEY', 'DEFAULT now()', 'DEFAULT uuid()'),
    initial: anyType.chain((type) => LITERALS[type]),
    exists: fc.constantFrom('', 'IF NOT EXISTS '),
  })
  .map(
    ({ type, column, constraint, initial, exists }) =>
      `CREATE TABLE ${exists}made (k TEXT PRIMARY KEY, ${column} ${type} ${constraint}, d ${type} DEFAULT ${initial})`,
  )

const ONE_WORD = [
  'SHOW TABLES',
  'DESCRIBE every',
  'DROP TABLE IF EXISTS made',
  'DROP TABLE made',
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
]
const onRows = fc.constantFrom(...Object.keys(COLUMNS)).chain(statementOn)
const statement: Text = fc.oneof(
  { weight: 12, arbitrary: onRows },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('EXPLAIN', 'EXPLAIN ANALYZE'), onRows)
      .map((all) => all.join(' ')),
  },
  { weight: 1, arbitrary: definition },
  { weight: 1, arbitrary: fc.constantFrom(...ONE_WORD) },
)
const script: Text = fc.oneof(
  { weight: 6, arbitrary: statement },
  fc.array(statement, { minLength: 1, maxLength: 3 }).map((all) => all.join('; ')),
  fc.array(onRows, { minLength: 1, maxLength: 3 }).map((all) => `BEGIN; ${all.join('; ')}; COMMIT`),
)

/** Numbers and names as no program would write them, beside ordinary values. */
const parameterValue: Text = fc.oneof(
  fc.constantFrom('1', '"bob"', 'null', 'true', '[]', '["bob", "joe"]', '[1, [2]]', '{}', '0', '2'),
  fc.constantFrom('-0', '-0.0', '1e999', '-1e999', '9007199254740993', '1e400', '5e-324', '0.1e1'),
  fc.constantFrom(
    '"9223372036854775808"',
    '"2026-01-31T12:00:00Z"',
    '"AP8="',
    '"\\ud800"',
    '"\\u0000"',
  ),
  fc.constantFrom('{"__proto__": 1, "a": 1, "a": 2}', '[[[[[[[[]]]]]]]]', '"\u{10ffff}"'),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
)
const params: Text = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(parameterValue, parameterValue, parameterValue)
      .map(([p, q, list]) => `{"p": ${p}, "q": ${q}, "list": ${list}}`),
  },
  fc.array(parameterValue, { maxLength: 2 }).map((all) => `[${all.join(', ')}]`),
  fc.constantFrom('{"p": 1, "p": 2}', '{"__proto__": 1}', 'null', '1', '{"p": 01}', '{"p": .5}'),
)

export const sentences: fc.Arbitrary<StatementInput> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('statements' as const), text: script, params }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('statements' as const), text: damaged(script) }),
  },
)

const FRAGMENTS = [
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '`',
    "'",
    '"',
    ',',
    ';',
    '.',
    ':',
    '$',
    '?',
    '=',
    '<',
    '|',
    '-',
    '\\',
  ],
  ...[
    '/*',
    '*/',
    '--',
    "x'",
    "''",
    '""',
    'a',
    '1',
    '1e',
    ':a',
    '$1',
    '\n',
    '\r',
    '\ud800',
    'é',
    '“',
  ],
  ...[
    'NOT ',
    'a AND ',
    "'a' LIKE ",
    'BETWEEN 1 ',
    'SELECT ',
    'UPDATE ',
    'INSERT ',
    'CREATE ',
    'FROM ',
  ],
  ...[
    'IN (1) ',
    'IS NULL ',
    'f(',
    'a = 1 ',
    'a, ',
    'ORDER BY ',
    'BEGIN;',
    'COMMIT;',
    'SHOW ',
    'AS OF ',
  ],
]

/** Something short many times over: what is not linear in the length of a text shows itself here. */
export const repetitions: fc.Arbitrary<StatementInput> = fc
  .record({
    start: fc.oneof(
      script,
      fc.constantFrom('', 'SELECT * FROM ', 'SCAN ', 'SCAN * FROM account WHERE '),
    ),
    unit: fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 3 }),
    length: fc.integer({ min: 20_000, max: 200_000 }),
    end: fc.constantFrom('', ...FRAGMENTS),
  })
  .map(({ start, unit, length, end }) => {
    const repeat = unit.join('')
    const times = Math.ceil(length / repeat.length)
    return { kind: 'statements', text: [start, { repeat, times }, end] }
  })

/** A sentence with a few characters taken out or put in. */
function damaged(text: Text): Text {
  return fc
    .tuple(
      text,
      fc.nat(),
      fc.nat(3),
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 3 }),
        fc.constantFrom('\ud800', '\u0000', "'", '"', '/*', '--', '('),
      ),
    )
    .map(([whole, at, count, put]) => {
      const place = at % (whole.length + 1)
      return whole.slice(0, place) + put + whole.slice(place + count)
    })
}
