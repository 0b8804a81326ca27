// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before, suite } from 'node:test'
import { planError, rowsToJson, SqlSession } from '../../test/sql-session.ts'
import { PLANNER_LIMITS, PlanError } from '../planner.ts'
import { ConstantValues } from './constant-values.ts'
import type { Parameters } from './parameters.ts'
import { changedCase } from './text-work.ts'
import { NODE_UNITS, WorkMeter } from './work-meter.ts'

const { rowWorkMax, workLookUnits, concatenationBytesMax } = PLANNER_LIMITS

/** Nearly as long as a text can be. */
const LONG = 'a'.repeat(concatenationBytesMax - 16)

const MANY_CHARACTERS = Array.from({ length: 100_000 }, (_, i) =>
  String.fromCodePoint(0x4e00 + (i % 20_000)),
).join('')

let session: SqlSession

before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, v TEXT, y BYTES, j JSON, f BOOLEAN)',
    "INSERT INTO t (id, n, v, y, j, f) VALUES (1, 7, 'b', x'00', '{}', TRUE), (2, 8, 'b', x'00', '{}', TRUE)",
    "INSERT INTO t (id, n, v, y, j, f) VALUES (3, 9, 'b', x'00', '{}', TRUE), (4, 9, 'b', x'00', '{}', TRUE)",
  )
})
after(() => session.close())

type Spent = {
  readonly units: number
  readonly looks: readonly number[]
  readonly rows: unknown
  readonly error?: unknown
}

/** What a statement costs, and how much between two looks at its deadline. */
async function spend(text: string, parameters: Parameters = {}): Promise<Spent> {
  const looks: number[] = [0]
  const work: WorkMeter = new WorkMeter(() => looks.push(work.spent))
  const transaction = await session.storage.begin()
  try {
    const catalog = await session.storage.catalog(transaction)
    const result = await session.runIn(transaction, catalog, text, { parameters, work })
    return { units: work.spent, looks, rows: rowsToJson(result) }
  } catch (error) {
    return { units: work.spent, looks, rows: [], error }
  } finally {
    transaction.rollback()
  }
}

const ofOneRow = (where: string) => `SCAN id FROM t WHERE id = 1 AND (${where})`
/** As many conditions, each of them another one: equal ones would be asked once. */
const repeated = (condition: string, times: number) =>
  Array.from({ length: times }, (_, n) => `(${condition} OR id = ${-1 - n})`).join(' AND ')

/** Conditions that look at more than one row may cost. */
const HOSTILE: ReadonlyArray<readonly [string, string, Parameters]> = [
  ['length of parameters', repeated('length(:t) > 0', 200), { t: LONG }],
  ['length of what differs by row', repeated('length(v || :t) > 0', 200), { t: LONG }],
  ['lower and upper', repeated("lower(upper(:t || v)) <> ''", 50), { t: LONG }],
  ['LIKE', repeated('(v || :t) NOT LIKE :p', 32), { t: LONG, p: '%a_a%c%' }],
  ['LIKE of nothing but %', '(v || :t) LIKE :p', { t: LONG, p: '%'.repeat(8_000_000) }],
  [
    'LIKE of a long literal',
    repeated('(v || :t) NOT LIKE :p', 32),
    { t: LONG, p: `%${'a'.repeat(99_999)}b%` },
  ],
  ['joining texts', repeated('(:t || v) <> v', 300), { t: LONG }],
  [
    'joining bytes',
    repeated('(:y || y) <> y', 300),
    { y: Buffer.alloc(8_000_000).toString('base64') },
  ],
  ['comparing', repeated("(:t || v) <= (:t || v || 'x')", 300), { t: LONG }],
  ['BETWEEN', repeated('(:t || v) NOT BETWEEN (:t || v) AND :t', 300), { t: LONG }],
  ['IN', repeated("(v || :t) NOT IN ('a', :u, v)", 300), { t: LONG, u: LONG }],
  ['IN a list', repeated('(v || :t) NOT IN :l', 300), { t: LONG, l: ['a'] }],
  ['JSON', repeated('j <> :j', 300), { j: Array.from({ length: 60_000 }, (_, i) => i) }],
  ['greatest', repeated("greatest(:t || v, :t || v) <> ''", 300), { t: LONG }],
  ['CASE', repeated("CASE WHEN v || :t = '' THEN '' ELSE :t || v END <> ''", 300), { t: LONG }],
  [
    'CASE of a value',
    repeated('CASE v || :t WHEN :t || v THEN 1 ELSE 2 END > 0', 300),
    { t: LONG },
  ],
  ['replace', repeated("replace(v || :t, 'a', 'b') <> ''", 10), { t: LONG }],
  [
    'replace by nothing',
    repeated("replace(v || :t, :p, '') <> ''", 30),
    { t: LONG, p: `${'a'.repeat(99_999)}b` },
  ],
  ['position', repeated('position(:p, v || :t) = 0', 30), { t: LONG, p: `${'a'.repeat(99_999)}b` }],
  ['trim', repeated("trim(v || :t, 'ab') = ''", 30), { t: LONG }],
  ['substr', repeated("substr(v || :t, 8000000, 1) = 'a'", 30), { t: LONG }],
  ['concat', repeated("concat(v, :t) <> ''", 300), { t: LONG }],
  [
    'a cast',
    repeated("('\"' || v || :t || '\"')::JSON IS NOT NULL", 300),
    { t: 'a'.repeat(200_000) },
  ],
  [
    'a cast to TEXT',
    repeated("(:y || y)::TEXT <> ''", 300),
    { y: Buffer.alloc(6_000_000).toString('base64') },
  ],
  [
    'a member of JSON',
    repeated("json_set(:j, '{0}', n)->-1 <> '0'", 300),
    { j: Array(400_000).fill(1) },
  ],
  [
    'a path',
    repeated("json_set(:j, '{0}', n)#>'{399999}' <> '0'", 300),
    { j: Array(400_000).fill(1) },
  ],
  [
    'a long path',
    repeated('j#>(:p || trim(v, v)) IS NULL', 300),
    { p: `{"${'a'.repeat(60_000)}"}` },
  ],
  [
    '@>',
    "json_set(:j, '{0}', n) @> :k",
    { j: [...Array(3_000).fill({ a: 1 }), { a: 2 }], k: Array(3_000).fill({ a: 2 }) },
  ],
  [
    'json_remove',
    repeated("json_length(json_remove(json_set(:j, '{0}', n), '{1}')) > 0", 300),
    { j: Array(400_000).fill(1) },
  ],
  [
    'json_length',
    repeated("json_length(json_set(:j, '{0}', n)) > 0", 300),
    { j: Array(400_000).fill(1) },
  ],
  [
    '@> of many members',
    "json_set(:j, '{m0}', n) @> :j",
    { j: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`m${i}`, i])) },
  ],
  ['trim by many characters', repeated("trim(v, :t || v) = ''", 20), { t: MANY_CHARACTERS }],
  ['coalesce', repeated("coalesce(NULL, :t || v) <> ''", 300), { t: LONG }],
]

suite('the work of a row', () => {
  test('is 16 units for each node, and one for each byte that is looked at', async () => {
    const base = (await spend(ofOneRow('f'))).units
    const costs = async (where: string, parameters?: Parameters) =>
      (await spend(ofOneRow(where), parameters)).units - base
    // The comparison, its two columns; the filter itself is in the base.
    assert.equal(await costs('n <> id'), 3 * NODE_UNITS)
    assert.equal(await costs('n + 1 <> id'), 5 * NODE_UNITS)
    const nodes = await costs("v <> ''")
    assert.equal(await costs("v <> 'x'"), nodes + 1)
    assert.equal((await costs('length(v || :t) > 0', { t: 'aaaa' })) - nodes > 8, true)
  })

  for (const [name, where, parameters] of HOSTILE) {
    test(`ends at its limit, after looks at the deadline: ${name}`, async () => {
      const { units, looks, error } = await spend(ofOneRow(where), parameters)
      assert.ok(error instanceof PlanError && error.code === 'limit_exceeded', `${error}`)
      assert.equal(error.fields.limit, 'rowWorkMax')
      assert.equal(error.position?.column, 1)
      assert.ok(units < rowWorkMax + 4 * concatenationBytesMax, `${units} units`)
      looks.slice(1).forEach((at, place) => {
        // What the engine does in one piece, such as to join two texts, is paid for before.
        const gap = at - (looks[place] as number)
        assert.ok(gap <= workLookUnits + 2 * concatenationBytesMax, `${gap} units without a look`)
      })
    })
  }

  test('is looked at in slices where a function takes long', async () => {
    for (const where of [
      "lower(:t) <> ''",
      'length(:t) > 0',
      ":t LIKE '%a_b%'",
      "position('b', :t) = 0",
      "trim(:t, 'a') = ''",
      'substr(:t, 8000000) > :t',
    ]) {
      const { looks } = await spend(ofOneRow(where), { t: LONG })
      const gaps = looks.slice(1).map((at, place) => at - (looks[place] as number))
      // The first is paid for the parameter.
      gaps.shift()
      assert.ok(Math.max(...gaps) <= 1.3 * workLookUnits, `${where}: ${gaps}`)
    }
  })

  test('is looked at in slices where JSON becomes a tree', async () => {
    const members = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`m${i}`, i]))
    const { looks } = await spend(ofOneRow('NOT j @> :k'), { k: members })
    const gaps = looks.slice(2).map((at, place) => at - (looks[place + 1] as number))
    assert.ok(gaps.length > 4 && Math.max(...gaps) <= 3 * workLookUnits, `${gaps}`)
  })

  test('is not begun for a path into JSON that is longer than a path may be', async () => {
    const { jsonPathCharactersMax: max } = PLANNER_LIMITS
    const path = (characters: number) => `{"${'\\"'.repeat(characters / 2 - 2)}"}`
    for (const where of ['j #> :p IS NULL', 'j #>> :p IS NULL', "json_set(j, :p, n) <> '1'"]) {
      assert.equal((await spend(ofOneRow(where), { p: path(max) })).error, undefined, where)
      const { error, units } = await spend(ofOneRow(where), { p: path(max + 2) })
      assert.ok(error instanceof PlanError && error.code === 'limit_exceeded', `${error}`)
      assert.equal(error.fields.limit, 'jsonPathCharactersMax')
      assert.ok(units < 2 * max, `${units} units`)
    }
  })

  test('counts the conditions and the projection of a row together, and each row for itself', async () => {
    const half = 'length(:t || v) > 0'
    const other = 'length(v || :t) > 0'
    const together = `SCAN length(:t || v) AS a, length(v || :t) AS b FROM t WHERE id = 1 AND ${half} AND ${other}`
    const { error } = await spend(together, { t: 'a'.repeat(7_000_000) })
    assert.ok(error instanceof PlanError && error.fields.limit === 'rowWorkMax', `${error}`)
    const each = await spend(`SCAN id FROM t USE PRIMARY KEY WHERE ${half} AND ${other}`, {
      t: LONG,
    })
    assert.equal(each.error, undefined)
    assert.ok(each.units > rowWorkMax)
  })

  const heavy = Array.from({ length: 8 }, () => "length(lower(:t || 'x'))").join(' + ')
  for (const [kind, text] of [
    ['SET', `SET n = ${heavy} ON t WHERE id = 1`],
    ['SET IF', `SET n = 1 ON t WHERE id = 1 IF ${heavy} > 0`],
    ['CHECK', `CHECK ${heavy} > 0 ON t WHERE id = 1`],
    ['INSERT', `INSERT INTO t (id, n) VALUES (9, ${heavy})`],
    ['RETURNING', `DELETE FROM t WHERE id = 1 RETURNING ${heavy} AS u`],
    ['GET', `GET ${heavy} AS u FROM t WHERE id = 1`],
    ['aggregates', `SCAN MAX(${heavy}) AS u FROM t`],
    ['a key', `GET * FROM t WHERE id IN (1, ${heavy})`],
    ['a range', `SCAN * FROM t WHERE id > ${heavy}`],
    ['EXPLAIN ANALYZE', `EXPLAIN ANALYZE SCAN ${heavy} AS u FROM t`],
  ] as const) {
    test(`is bounded in ${kind}`, async () => {
      const { error } = await spend(text, { t: 'a'.repeat(7_000_000) })
      assert.ok(error instanceof PlanError && error.fields.limit === 'rowWorkMax', `${error}`)
    })
  }
})

suite('what is the same for all rows', () => {
  test('is computed once a statement', async () => {
    const text = 'SCAN id FROM t USE PRIMARY KEY WHERE length(:t) > n AND lower(:t) <> v'
    const { units, rows } = await spend(text, { t: 'a'.repeat(100_000) })
    assert.equal((rows as unknown[]).length, 4)
    assert.ok(units > 300_000 && units < 400_000, `${units} units`)
  })

  test('fails only where a row asks for it', async () => {
    const scan = (where: string) => `SCAN id FROM t USE PRIMARY KEY WHERE ${where}`
    for (const where of [
      'id > 0 OR 1 / 0 = 1',
      'NOT (id < 0 AND 1 / 0 = 1)',
      'coalesce(id, 1 / 0) > 0',
      'CASE WHEN id > 0 THEN TRUE ELSE 1 / 0 = 1 END',
      'CASE id WHEN id THEN id WHEN 1 / 0 THEN 1 END > 0',
      'id IN (id, 1 / 0)',
    ]) {
      assert.equal((await session.run(scan(where))).rows.length, 4, where)
    }
    const fails = session.run(scan('id < 4 OR 1 / 0 = 1'))
    await assert.rejects(fails, planError('division_by_zero'))
  })

  test('is not what each row has of its own', async () => {
    const own = await session.run(
      "SCAN uuid() || '' AS u FROM t USE PRIMARY KEY WHERE uuid() <> uuid()",
    )
    assert.equal(new Set(own.rows.flat()).size, 4)
    const groups = await session.run('SCAN id, SUM(n) + 1 AS s FROM t GROUP BY id')
    assert.deepEqual(
      groups.rows.map(([, sum]) => sum),
      [8n, 9n, 10n, 10n],
    )
  })

  test('is found in a list by one look-up, whatever its length', async () => {
    const list = Array.from({ length: 5_000 }, (_, i) => 100 + i)
    const text = (members: readonly number[]) =>
      `SCAN id FROM t USE PRIMARY KEY WHERE n NOT IN (${members.join(', ')})`
    const once = (await spend(text(list))).units
    assert.ok(once < 5_000 * NODE_UNITS + 4 * 10 * NODE_UNITS, `${once} units`)
  })
})

test('texts longer than a slice change their case as the engine does it', async () => {
  const work = new WorkMeter()
  for (const length of [65_535, 65_536, 65_537, 131_072]) {
    for (const tail of ['ΑΣ ΣΑ Σ', 'ΑΣ', "ΑΣ'Σ x", '😀Σ', 'ŉß İ', 'ΟΔΥΣΣΕΥΣ ΟΔΥΣΣΕΥΣ']) {
      for (const filler of ['a', 'Σ', ' ', "'"]) {
        const text = filler.repeat(length - 3) + tail
        assert.equal(changedCase(text, 'lower', work), text.toLowerCase())
        assert.equal(changedCase(text, 'upper', work), text.toUpperCase())
        work.beginRow()
      }
    }
  }
})

test('constants that are longer together than constantBytesMax are computed again', () => {
  const constants = new ConstantValues()
  constants.keep(0, 'x'.repeat(PLANNER_LIMITS.constantBytesMax))
  constants.keep(1, 'y')
  assert.deepEqual([constants.get(0) !== undefined, constants.get(1)], [true, undefined])
})
