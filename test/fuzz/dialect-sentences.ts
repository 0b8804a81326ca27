// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import type { SqlType } from '../../storage/values/sql-type.ts'
import { definition, INDEX_NAMES, OBSERVER_NAMES } from './definition-sentences.ts'
import {
  anyType,
  COLUMNS,
  condition,
  expression,
  KEYS,
  keyCondition,
  NESTING,
  where,
} from './expression-sentences.ts'
import type { StatementInput } from './fuzz-input.ts'

// Sentences of the dialect over the tables of the fuzz server: mostly of right types, so that they
// get through the parser and the planner's checks to where rows are computed, read and written.

type Text = fc.Arbitrary<string>

const optional = (text: Text) => fc.oneof(fc.constant(''), text)

function projection(table: string): Text {
  const one = anyType.chain((type) => expression(type, table))
  return fc.oneof(
    fc.constant('*'),
    fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => all.join(', ')),
    one.map((value) => `${value} AS label`),
  )
}

function groupedProjection(table: string): Text {
  const value = anyType.chain((type) => expression(type, table, 1))
  const aggregate = fc.oneof(
    fc.constant('COUNT(*)'),
    fc
      .tuple(fc.constantFrom('COUNT', 'SUM', 'MIN', 'MAX', 'AVG'), value)
      .map(([name, operand]) => `${name}(${operand})`),
  )
  const item = fc.oneof(
    { weight: 3, arbitrary: aggregate },
    { weight: 1, arbitrary: value },
    { weight: 1, arbitrary: fc.tuple(aggregate, aggregate).map((all) => all.join(' - ')) },
  )
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.join(', '))
}

const asOf = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom('AS OF 1', "AS OF '2026-01-01'", 'AS OF 9007199254740993', 'AS OF :p'),
)
const limit = fc.constantFrom('', 'LIMIT 0', 'LIMIT 2', 'LIMIT :p', 'LIMIT 99999999999999999999')
const hint = fc.constantFrom(
  ...['', '', 'USE PRIMARY KEY'],
  ...INDEX_NAMES.map((name) => `USE INDEX ${name}`),
)

const words = (...parts: Text[]) => fc.tuple(...parts).map((all) => all.filter(Boolean).join(' '))
const statementOn = (table: string): Text => fc.oneof(readingOn(table), writingOn(table))

function readingOn(table: string): Text {
  const names = Object.keys(COLUMNS[table] as object)
  const order = fc
    .tuple(fc.shuffledSubarray(names, { minLength: 1 }), fc.constantFrom('', 'ASC', 'DESC'))
    .map(([columns, way]) => `ORDER BY ${columns.map((name) => `${name} ${way}`).join(', ')}`)
  const columns = fc.shuffledSubarray(names, { minLength: 1 }).map((all) => all.join(', '))
  const keyPrefix = fc
    .integer({ min: 1, max: KEYS[table]?.length ?? 1 })
    .map((length) => KEYS[table]?.slice(0, length).join(', '))
  const group = fc.oneof(keyPrefix, columns).map((all) => `GROUP BY ${all}`)
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
      hint,
      optional(where(table)),
      optional(order),
      limit,
    ),
    words(
      fc.constant('SCAN'),
      groupedProjection(table),
      from,
      hint,
      optional(where(table)),
      optional(group),
      optional(order),
      limit,
    ),
  )
}

function writingOn(table: string): Text {
  const names = Object.keys(COLUMNS[table] as object)
  const settable = names.filter((name) => !KEYS[table]?.includes(name))
  const returning = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    projection(table).map((items) => `RETURNING ${items}`),
  )
  const precondition = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('', 'IF EXISTS', 'IF NOT EXISTS') },
    condition(table, 1).map((one) => `IF ${one}`),
  )
  const assignment = fc
    .constantFrom(...settable, ...settable, ...names)
    .chain((name) =>
      expression(COLUMNS[table]?.[name] as SqlType, table).map((value) => `${name} = ${value}`),
    )
  const sets = fc.array(assignment, { minLength: 1, maxLength: 2 }).map((all) => all.join(', '))
  const conflict = fc.oneof(
    fc.constantFrom('', '', 'ON CONFLICT DO NOTHING'),
    fc
      .tuple(
        fc.constantFrom('', `(${KEYS[table]?.join(', ')})`, `(${names[0]})`),
        sets,
        fc.constantFrom('', `, ${settable[0]} = excluded.${settable[0]}`),
        optional(condition(table, 1).map((one) => `IF ${one}`)),
      )
      .map(([key, all, more, when]) => `ON CONFLICT ${key} DO UPDATE SET ${all}${more} ${when}`),
  )
  const row = fc
    .tuple(...names.map((name) => expression(COLUMNS[table]?.[name] as SqlType, 'none', 1)))
    .map((all) => `(${all.join(', ')})`)
  const rows = fc.array(row, { minLength: 1, maxLength: 2 }).map((all) => all.join(', '))
  const wholeKey = keyCondition(table, '=').map((one) => `WHERE ${one}`)
  const from = fc.constant(`FROM ${table}`)
  return fc.oneof(
    words(
      fc.constant('SET'),
      assignment,
      fc.constant(`ON ${table}`),
      fc.oneof(wholeKey, wholeKey, where(table)),
      precondition,
      returning,
    ),
    words(
      fc.constant('SET'),
      sets,
      fc.constant(`ON ${table}`),
      hint,
      where(table),
      limit,
      returning,
    ),
    words(
      fc.constant(`INSERT INTO ${table} (${names.join(', ')}) VALUES`),
      rows,
      conflict,
      returning,
    ),
    words(fc.constant('DELETE'), from, hint, optional(where(table)), limit, returning),
  )
}

const ENDS = ['BEGIN', 'COMMIT', 'ROLLBACK']
const onRows = fc.constantFrom(...Object.keys(COLUMNS)).chain(statementOn)
const check: Text = fc
  .constantFrom(...Object.keys(COLUMNS))
  .chain((table) =>
    fc
      .tuple(condition(table, NESTING), keyCondition(table, '='))
      .map(([one, key]) => `CHECK ${one} ON ${table} WHERE ${key}`),
  )
const notify: Text = fc
  .tuple(fc.constantFrom(...OBSERVER_NAMES), fc.constantFrom('account', 'every'))
  .chain(([observer, table]) =>
    keyCondition(table, '=').map((key) => `NOTIFY ${observer} ON ${table} WHERE ${key}`),
  )
const statement: Text = fc.oneof(
  { weight: 12, arbitrary: onRows },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('EXPLAIN', 'EXPLAIN ANALYZE', 'EXPLAIN SCRIPT', 'EXPLAIN ANALYZE SCRIPT'),
        fc.oneof(onRows, check, notify),
      )
      .map((all) => all.join(' ')),
  },
  { weight: 3, arbitrary: definition },
  { weight: 1, arbitrary: check },
  { weight: 1, arbitrary: notify },
  { weight: 1, arbitrary: fc.constantFrom(...ENDS) },
)
const script: Text = fc.oneof(
  { weight: 6, arbitrary: statement },
  fc.array(statement, { minLength: 1, maxLength: 3 }).map((all) => all.join('; ')),
  fc
    .array(fc.oneof({ weight: 3, arbitrary: onRows }, check, notify), {
      minLength: 1,
      maxLength: 3,
    })
    .map((all) => `BEGIN; ${all.join('; ')}; COMMIT`),
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
      const position = at % (whole.length + 1)
      return whole.slice(0, position) + put + whole.slice(position + count)
    })
}
