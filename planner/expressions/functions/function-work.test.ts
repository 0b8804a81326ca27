// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before, suite } from 'node:test'
import { SqlSession } from '../../../test/sql-session.ts'
import type { Parameters } from '../parameters.ts'
import { WorkMeter } from '../work-meter.ts'
import { FUNCTION_NAMES } from './functions.ts'

/** Of the thread's own time, not of the clock: so much is not paid for, such as the parsing of a parameter. */
const UNPAID_MICROS = 60_000
/** So many units at least are paid for a microsecond of work: some 450 on a machine of today. */
const UNITS_A_MICRO = 100
/** What others on the machine take of its caches makes single runs slower than the work is. */
const RUNS_MAX = 8

let session: SqlSession

before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, v TEXT, y BYTES, j JSON)',
    "INSERT INTO t (id, n, v, y, j) VALUES (1, 7, 'b', x'00', '{}')",
  )
})
after(() => session.close())

const LONG = 'a'.repeat(2_000_000)
const OTHER = 'ŉßΣ'.repeat(300_000)
const CHARACTERS = Array.from({ length: 60_000 }, (_, i) =>
  String.fromCodePoint(0x4e00 + (i % 20_000)),
)
const MEMBERS = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`"m\\${i}`, i + 0.1]))
const ELEMENTS = Array.from({ length: 100_000 }, (_, i) => i)

/** The worst arguments of each function, cast and operator that looks into values; all of them differ by row. */
const WORST: Readonly<Record<string, readonly [string, Parameters]>> = {
  abs: ['abs(n - 1)', {}],
  ceil: ['ceil(n / 2.0)', {}],
  floor: ['floor(n / 2.0)', {}],
  round: ['round(n / 2.0, 2)', {}],
  sign: ['sign(n - 1)', {}],
  now: ['now()', {}],
  add_months: ['add_months(now(), n)', {}],
  trunc: ['trunc(n::DECIMAL / 3, 38)', {}],
  mod: ["mod('1e999'::DECIMAL, n - 7.1)", {}],
  DECIMAL: ["('1e999'::DECIMAL / 7.0 + n)::TEXT", {}],
  uuid: ['uuid()', {}],
  coalesce: ['coalesce(NULL, :t || v)', { t: LONG }],
  nullif: ['nullif(:t || v, v || :t)', { t: LONG }],
  greatest: ["greatest(:t || v, :t || v, v || 'x')", { t: LONG }],
  least: ["least(:t || v, :t || v, v || 'x')", { t: LONG }],
  length: ['length(:t || v)', { t: LONG }],
  lower: ['lower(:t || v)', { t: OTHER }],
  upper: ['upper(:t || v)', { t: OTHER }],
  substr: ['substr(:t || v, 900000, 900000)', { t: OTHER }],
  trim: ['trim(v, :t || v)', { t: CHARACTERS.join('') }],
  ltrim: ["ltrim(:t || v, 'ab')", { t: LONG }],
  rtrim: ["rtrim(v || :t, 'ab')", { t: LONG }],
  replace: ["replace(:t || v, 'aa', 'b')", { t: LONG }],
  position: ['position(:p, v || :t)', { t: LONG, p: `${'a'.repeat(99)}b` }],
  concat: ['concat(v, :t, n, y)', { t: LONG }],
  date_trunc: ["date_trunc('month', now())", {}],
  extract: ["extract('year', now())", {}],
  json_length: ["json_length(json_set(:j, '{0}', n))", { j: ELEMENTS }],
  json_type: ["json_type(json_set(:j, '{0}', n))", { j: ELEMENTS }],
  json_set: ["json_set(:j, '{zz}', n)", { j: MEMBERS }],
  json_remove: ["json_remove(json_set(:j, '{zz}', n), '{zz}')", { j: MEMBERS }],
  to_json: ['to_json(:t || v)', { t: '"\\'.repeat(500_000) }],
  'path of escapes': ['j #> (:t || trim(v, v))', { t: `{"${'\\"'.repeat(32_000)}"}` }],
  member: ["json_set(:j, '{zz}', n) -> v", { j: MEMBERS }],
  '@>': ["json_set(:j, '{zz}', n) @> :j", { j: MEMBERS }],
  '?': ["json_set(:j, '{zz}', n) ? v", { j: MEMBERS }],
  'cast to JSON': ['(:t || trim(v, v))::JSON', { t: JSON.stringify(ELEMENTS) }],
  'cast to BYTES': ['(:t || trim(v, v))::BYTES', { t: 'aaaa'.repeat(500_000) }],
  'cast to REAL': ['(trim(v, v) || :t)::REAL', { t: `0.${'1'.repeat(1_000_000)}` }],
  MATCH: ["(v || :t) MATCH 'x y*'", { t: '検索機能は'.repeat(60_000) }],
  LIKE: ['(v || :t) LIKE :p', { t: 'a'.repeat(8_000), p: `%_${'a'.repeat(1_000)}b%` }],
}

/** What a statement takes of the thread's time, and what is paid for that. */
async function cost(text: string, parameters: Parameters) {
  const work = new WorkMeter()
  const transaction = await session.storage.begin()
  const catalog = await session.storage.catalog(transaction)
  const began = process.threadCpuUsage()
  await session.runIn(transaction, catalog, text, { parameters, work }).catch((error) => {
    assert.equal(error.code, 'limit_exceeded', error)
  })
  const { user, system } = process.threadCpuUsage(began)
  transaction.rollback()
  const paid = UNPAID_MICROS + work.spent / UNITS_A_MICRO
  return { micros: user + system, paid, units: work.spent }
}

suite('the work of functions', () => {
  test('has a worst case for each of them', () => {
    assert.deepEqual(
      FUNCTION_NAMES.filter((name) => WORST[name] === undefined),
      [],
    )
  })

  for (const [name, [expression, parameters]] of Object.entries(WORST)) {
    test(`is paid for in proportion to its time: ${name}`, async () => {
      // Each of them another one: equal ones would be computed once.
      const all = Array.from(
        { length: 10 },
        (_, n) => `CASE WHEN id > ${-n} THEN ${expression} END`,
      )
      const text = `SCAN id FROM t WHERE id = 1 AND ${all.map((each) => `(${each} IS NULL OR id = 1)`).join(' AND ')}`
      let found = await cost(text, parameters)
      for (let runs = 1; runs < RUNS_MAX && found.micros > found.paid; runs += 1) {
        const { units } = found
        found = await cost(text, parameters)
        assert.equal(found.units, units, 'the same work each time')
      }
      assert.ok(found.micros <= found.paid, `${found.micros} µs of work, and ${found.units} units`)
    })
  }
})
