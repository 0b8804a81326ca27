// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { planError, SqlSession } from '../../../test/sql-session.ts'
import { valueToJson } from '../../planner.ts'
import type { Parameters } from '../parameters.ts'

let session: SqlSession

before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, r REAL, v TEXT, f BOOLEAN, y BYTES, at TIMESTAMP, j JSON)',
    `INSERT INTO t (id, r, v, f, y, at, j) VALUES (1, 2.5, ' hé😀llo ', TRUE, x'00ff61', '2024-02-29T12:34:56.789012Z',
       '{"city":"Berlin","n":1425367890123456789,"tags":["x","y",{"z":1.50}],"d":{"e":null,"t":"2024-01-01"},"b":true}')`,
  )
})
after(() => session.close())

/** The type and the JSON of an expression over the row; n is NULL. */
async function evaluated(expression: string, parameters: Parameters = {}) {
  const { columns, rows } = await session.run(
    `GET ${expression} AS v FROM t WHERE id = 1`,
    parameters,
  )
  const type = columns[0]?.type ?? 'TEXT'
  const json = JSON.stringify(valueToJson(type, rows[0]?.[0] ?? null))
  return `${type} ${json}`
}

const VALUES: Readonly<Record<string, ReadonlyArray<readonly [string, string]>>> = {
  'a CASE': [
    ["CASE WHEN n > 0 THEN 'a' WHEN f THEN 'b' ELSE 'c' END", 'TEXT "b"'],
    ["CASE WHEN n > 0 THEN 'a' END", 'TEXT null'],
    ["CASE id WHEN 1 THEN 'one' WHEN 1 / 0 THEN 'never' END", 'TEXT "one"'],
    ['CASE WHEN TRUE THEN 1 ELSE 1 / 0 END', 'INTEGER 1'],
    ['CASE n WHEN NULL THEN 1 ELSE 2 END', 'INTEGER 2'],
    ['CASE WHEN f THEN 1 ELSE r END', 'REAL 1'],
    ['CASE WHEN f THEN NULL ELSE r END', 'REAL null'],
    ["at > CASE WHEN f THEN '2024-01-01' ELSE '2025-01-01' END", 'BOOLEAN true'],
    ["CASE j->'city' WHEN '\"Berlin\"' THEN 1 END", 'INTEGER 1'],
    ['CASE uuid() WHEN uuid() THEN 1 ELSE 2 END', 'INTEGER 2'],
  ],
  'a cast': [
    ['CAST(r AS INTEGER)', 'INTEGER 3'],
    ['(-r)::INTEGER', 'INTEGER -3'],
    ['0.49999999999999994::INTEGER', 'INTEGER 0'],
    ["'-12'::INTEGER + 1", 'INTEGER -11'],
    ["'1e3'::REAL", 'REAL 1000'],
    ["'TRUE'::BOOLEAN AND 2::BOOLEAN", 'BOOLEAN true'],
    ['f::INTEGER + 0', 'INTEGER 1'],
    ['r::TEXT || f::TEXT || id::TEXT || n::TEXT', 'TEXT null'],
    ['r::TEXT || f::TEXT || id::TEXT', 'TEXT "2.5true1"'],
    ['at::TEXT', 'TEXT "2024-02-29T12:34:56.789012Z"'],
    ['at::INTEGER::TIMESTAMP = at', 'BOOLEAN true'],
    ['y::TEXT', 'TEXT "AP9h"'],
    ['y::TEXT::BYTES = y', 'BOOLEAN true'],
    ['v::TEXT::TEXT = v', 'BOOLEAN true'],
    ['NULL::REAL', 'REAL null'],
    ["(j->'n')::INTEGER", 'INTEGER "1425367890123456789"'],
    ["'[-1.5]'::JSON->0", 'JSON -1.5'],
    ["('[-1.5]'::JSON->0)::INTEGER", 'INTEGER -2'],
    ["('[1e2]'::JSON->0)::INTEGER", 'INTEGER 100'],
    ["('[0.0049e2]'::JSON->0)::INTEGER", 'INTEGER 0'],
    ["('[0.5e0]'::JSON->0)::INTEGER", 'INTEGER 1'],
    ["(j->'b')::BOOLEAN", 'BOOLEAN true'],
    ["(j#>'{d,t}')::TIMESTAMP", 'TIMESTAMP "2024-01-01T00:00:00.000000Z"'],
    ["(j->'tags')::TEXT::JSON = j->'tags'", 'BOOLEAN true'],
    ['id::JSON', 'JSON 1'],
    ['\'{"a": 1}\'::TEXT::JSON', 'JSON {"a":1}'],
    ["'null'::JSON", 'JSON null'],
  ],
  'a path into JSON': [
    ["j->'city'", 'JSON "Berlin"'],
    ["j->>'city'", 'TEXT "Berlin"'],
    ["j->'tags'->-1->>'z'", 'TEXT "1.50"'],
    ["j->>'n'", 'TEXT "1425367890123456789"'],
    ["j->'tags'->'0'", 'JSON null'],
    ['j->0', 'JSON null'],
    ["j->'tags'->7", 'JSON null'],
    ["j->'city'->'x'", 'JSON null'],
    ["j->'d'->'e' IS NULL", 'BOOLEAN true'],
    ["j->>'nothing'", 'TEXT null'],
    ["j#>'{tags,2,z}' = '1.5'", 'BOOLEAN true'],
    ["j#>>'{tags,0}' || '!'", 'TEXT "x!"'],
    ["j#>'{}' = j", 'BOOLEAN true'],
    ['j->NULL', 'JSON null'],
    ['j @> \'{"tags":["y"],"d":{"e":null}}\'', 'BOOLEAN true'],
    ['j @> \'{"tags":["q"]}\'', 'BOOLEAN false'],
    ['NULL @> j', 'BOOLEAN null'],
    ["CASE WHEN j->>'city' = 'Berlin' THEN j->'d'->>'t' END", 'TEXT "2024-01-01"'],
  ],
  'a function of JSON': [
    ["json_set(j->'d', '{e}', id)", 'JSON {"e":1,"t":"2024-01-01"}'],
    ["json_set('{}', '{a}', v)", 'JSON {"a":" hé😀llo "}'],
    ["json_set('{}', '{a}', '{\"b\":1}')", 'JSON {"a":{"b":1}}'],
    ["json_set('{}', '{a}', NULL)", 'JSON {"a":null}'],
    ["json_set('[1,2]', '{9}', 3)", 'JSON [1,2,3]'],
    ["json_set('[1,2]', '{-9}', 3)", 'JSON [1,2]'],
    ["json_set('[1,2]', '{x}', 3)", 'JSON [1,2]'],
    ["json_set('{\"a\":1}', '{b,c}', 3)", 'JSON {"a":1}'],
    ["json_set(j, '{}', 'null')", 'JSON null'],
    ["json_set(NULL, '{a}', 3)", 'JSON null'],
    ["json_remove(j->'tags', '{0}')::TEXT", 'TEXT "[\\"y\\",{\\"z\\":1.50}]"'],
    ["json_remove(j->'d', '{t}')", 'JSON {"e":null}'],
    ["json_remove(j->'d', '{q}')", 'JSON {"e":null,"t":"2024-01-01"}'],
    ["json_length(j->'tags')", 'INTEGER 3'],
    ['json_length(j)', 'INTEGER 5'],
    ["json_length(j->'city')", 'INTEGER null'],
    ["json_type(j->'d') || json_type(j->'n') || json_type(j->'b')", 'TEXT "objectnumberboolean"'],
    ['to_json(v)', 'JSON " hé😀llo "'],
    ['to_json(at)', 'JSON "2024-02-29T12:34:56.789012Z"'],
    ['to_json(r)', 'JSON 2.5'],
  ],
  'a function of texts': [
    ['trim(v)', 'TEXT "hé😀llo"'],
    ["ltrim(v, ' h')", 'TEXT "é😀llo "'],
    ["rtrim(trim(v), 'lo😀')", 'TEXT "hé"'],
    ["trim('aaa', 'a')", 'TEXT ""'],
    ["trim(v, '')", 'TEXT " hé😀llo "'],
    ['substr(v, 3, 2)', 'TEXT "é😀"'],
    ['substr(v, 4)', 'TEXT "😀llo "'],
    ['substr(v, -1, 4)', 'TEXT " h"'],
    ['substr(v, 100)', 'TEXT ""'],
    ['substr(v, 9223372036854775807, 9223372036854775807)', 'TEXT ""'],
    ['substr(y, 2, 1)', 'BYTES "/w=="'],
    ["position('l', v)", 'INTEGER 5'],
    ["position('', v) + position('q', v)", 'INTEGER 1'],
    ["replace(v, 'l', 'LL')", 'TEXT " hé😀LLLLo "'],
    ["replace('aaa', 'aa', 'b')", 'TEXT "ba"'],
    ["replace(v, '', 'x')", 'TEXT " hé😀llo "'],
    ["concat('a', NULL, id, n, f)", 'TEXT "a1true"'],
    ['concat(n)', 'TEXT ""'],
  ],
  'a function of numbers': [
    ['floor(r) + ceil(-r)', 'REAL 0'],
    ['floor(id) + ceil(id)', 'INTEGER 2'],
    ['sign(-r)', 'REAL -1'],
    ['sign(id - 1)', 'INTEGER 0'],
    ['ceil(-0.5)', 'REAL 0'],
    ['nullif(id, 1)', 'INTEGER null'],
    ['nullif(id, n)', 'INTEGER 1'],
  ],
  'a function of moments': [
    ["date_trunc('week', at)", 'TIMESTAMP "2024-02-26T00:00:00.000000Z"'],
    ["date_trunc('months', at)", 'TIMESTAMP "2024-02-01T00:00:00.000000Z"'],
    ["date_trunc('quarter', at)", 'TIMESTAMP "2024-01-01T00:00:00.000000Z"'],
    ["date_trunc('hour', '0001-01-01T00:30:00Z')", 'TIMESTAMP "0001-01-01T00:00:00.000000Z"'],
    ["date_trunc('year', '0099-05-05')", 'TIMESTAMP "0099-01-01T00:00:00.000000Z"'],
    ["date_trunc('day', '1969-12-31T23:59:59.5Z')", 'TIMESTAMP "1969-12-31T00:00:00.000000Z"'],
    ["extract('doy', at) + extract('week', at)", 'INTEGER 69'],
    ["extract('week', '2021-01-03')", 'INTEGER 53'],
    ["extract('week', '2024-12-30')", 'INTEGER 1'],
    ["extract('dow', '2024-03-03') * 10 + extract('isodow', '2024-03-03')", 'INTEGER 7'],
    ["extract('second', at)", 'INTEGER 56'],
    ["extract('microseconds', at)", 'INTEGER 56789012'],
    ["extract('epoch', '1969-12-31T23:59:59.5Z')", 'INTEGER -1'],
    ['add_months(at, 12)', 'TIMESTAMP "2025-02-28T12:34:56.789012Z"'],
    ["add_months('2024-01-31', -2)", 'TIMESTAMP "2023-11-30T00:00:00.000000Z"'],
    ["at + INTERVAL '1 day 12 hours'", 'TIMESTAMP "2024-03-02T00:34:56.789012Z"'],
    ["at - INTERVAL '1 week' < at", 'BOOLEAN true'],
    ["-INTERVAL '2 milliseconds 1 microsecond'", 'INTEGER -2001'],
  ],
}
for (const [name, expressions] of Object.entries(VALUES)) {
  suite(name, () => {
    for (const [expression, expected] of expressions) {
      test(`${expression} is ${expected}`, async () => {
        assert.equal(await evaluated(expression), expected)
      })
    }
  })
}

suite('what cannot be is refused', () => {
  for (const [expression, code, column] of [
    ["CASE WHEN f THEN 1 ELSE 'x' END", 'type_mismatch', 29],
    ['CASE WHEN id THEN 1 END', 'type_mismatch', 15],
    ["CASE id WHEN 'a' THEN 1 WHEN f THEN 2 END", 'type_mismatch', 34],
    ['v::INTEGER', 'type_mismatch', 8],
    ['r::TIMESTAMP', 'type_mismatch', 8],
    ['1e300::INTEGER', 'out_of_range', 12],
    ["('[1e400]'::JSON->0)::REAL", 'out_of_range', 27],
    ["('[1e999999999]'::JSON->0)::INTEGER", 'out_of_range', 33],
    ['(\'["1"]\'::JSON->0)::INTEGER', 'type_mismatch', 25],
    ['9223372036854775807::TIMESTAMP', 'out_of_range', 26],
    ["j->'n' = 5", 'type_mismatch', 14],
    ["v->'a'", 'type_mismatch', 6],
    ['j->f', 'type_mismatch', 6],
    ["j#>'a.b'", 'type_mismatch', 6],
    ['v @> j', 'type_mismatch', 7],
    ['substr(v, 1, -1)', 'out_of_range', 5],
    ['date_trunc(v, at)', 'invalid_request', 16],
    ["extract('fortnight', at)", 'invalid_request', 13],
    ['add_months(at, 120001)', 'out_of_range', 5],
    ["add_months('9999-12-01', 1)", 'out_of_range', 5],
    ["INTERVAL '99999999999999 weeks'", 'out_of_range', 5],
    ['substr(v)', 'invalid_request', 5],
    ['substring(v, 1)', 'invalid_request', 5],
    [`json_set('{}', '{a}', '${'['.repeat(256)}${']'.repeat(256)}')`, 'limit_exceeded', 5],
    ['CASE WHEN f THEN :q END', 'type_mismatch', 22],
  ] as const) {
    test(`${expression.slice(0, 60)}: ${code} at ${column}`, async () => {
      const error = planError(code)
      await assert.rejects(evaluated(expression, { q: null }), (thrown) => {
        assert.equal((thrown as { position?: { column: number } }).position?.column, column)
        return error(thrown)
      })
    })
  }
})

suite('a parameter', () => {
  test('takes its type from a cast, a branch, or the operator before it', async () => {
    for (const [expression, p, expected] of [
      [':p::INTEGER', '5', 'INTEGER 5'],
      ['CAST(:p AS TIMESTAMP)', '2024-01-01', 'TIMESTAMP "2024-01-01T00:00:00.000000Z"'],
      ['CASE WHEN f THEN :p ELSE at END', '2024-01-01', 'TIMESTAMP "2024-01-01T00:00:00.000000Z"'],
      ['CASE WHEN :p THEN 1 END', true, 'INTEGER 1'],
      ['CASE id WHEN :p THEN 1 END', 1, 'INTEGER 1'],
      ['id = CASE WHEN f THEN :p END', 1, 'BOOLEAN true'],
      ['j->>:p', 'city', 'TEXT "Berlin"'],
      ['j->(:p::INTEGER)', 1, 'JSON null'],
      ['j @> :p', { city: 'Berlin' }, 'BOOLEAN true'],
      [":p->'a'", { a: 1 }, 'JSON 1'],
      ["json_set(j->'d', '{e}', :p)", [1], 'JSON {"e":[1],"t":"2024-01-01"}'],
      ["replace(v, 'l', :p)", '', 'TEXT " hé😀o "'],
    ] as const) {
      assert.equal(await evaluated(expression, { p }), expected, expression)
    }
  })
})

suite('a CASE', () => {
  test('needs the row where it names a column, but inside coalesce', async () => {
    const set = (value: string) => session.run(`SET n = ${value} ON t WHERE id = 99`)
    await assert.rejects(set('CASE WHEN n IS NULL THEN 1 ELSE n END'), planError('row_not_found'))
    await set('coalesce(CASE WHEN n > 0 THEN n END, 7)')
    const { rows } = await session.run('GET n FROM t WHERE id = 99')
    assert.deepEqual(rows, [[7n]])
    await session.run('DELETE FROM t WHERE id = 99')
  })

  test('of values that are the same for all rows bounds a key', async () => {
    const scan = "SCAN id FROM t WHERE id = CASE WHEN :p::BOOLEAN THEN '1'::INTEGER ELSE 1 / 0 END"
    assert.deepEqual((await session.run(scan, { p: true })).rows, [[1n]])
    await assert.rejects(session.run(scan, { p: false }), planError('division_by_zero'))
  })

  test('and the others stand inside aggregates and around them', async () => {
    const { rows } = await session.run(
      "SCAN SUM(CASE WHEN f THEN 1 ELSE 0 END) AS s, CASE WHEN COUNT(*) > 0 THEN MAX(j->>'city') END AS c FROM t",
    )
    assert.deepEqual(rows, [[1n, 'Berlin']])
  })
})
