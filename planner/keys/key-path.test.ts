// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openedIndexes } from '../../test/index-session.ts'
import { SqlSession } from '../../test/sql-session.ts'
import type { PlanError } from '../plan-error.ts'

const TABLE =
  'CREATE TABLE customer (id INTEGER PRIMARY KEY, meta JSON, n INTEGER, FAMILY rest (n))'
const ROWS = `INSERT INTO customer (id, meta, n) VALUES
  (1, '{"city":"Bern","address":{"zip":"3000"}}', 1), (2, '{"city":"Basel","tags":["a","b"]}', 2),
  (3, '{}', 3), (4, NULL, 4), (5, '{"city":"Bern","address":{"zip":null}}', 5),
  (6, '{"city":7.0}', 6), (7, '{"city":null}', 7), (8, '["x"]', 8)`

function opened(t: Parameters<typeof openedIndexes>[0], ...indexes: string[]) {
  return openedIndexes(t, TABLE, ROWS, ...indexes)
}

async function refused(work: Promise<unknown>): Promise<PlanError> {
  return await work.then(
    () => assert.fail('it is not refused'),
    (error) => error,
  )
}

const BY_CITY = "CREATE INDEX byCity ON customer (meta->>'city', n DESC)"
const BY_ZIP = "CREATE UNIQUE INDEX byZip ON customer (meta#>>'{address,zip}')"

describe('an index of a path into JSON', () => {
  const bounded: ReadonlyArray<readonly [string, string, bigint[]]> = [
    ['=', "meta->>'city' = 'Bern'", [5n, 1n]],
    ['= the other way round', "'Bern' = meta->>'city'", [5n, 1n]],
    ['= of a number as it is written', "meta->>'city' = '7.0'", [6n]],
    ['IN', "meta->>'city' IN ('Bern', '7.0', 'Rome')", [6n, 5n, 1n]],
    ['a range', "meta->>'city' > '7.0' AND meta->>'city' <= 'Bern'", [2n, 5n, 1n]],
    ['BETWEEN', "meta->>'city' BETWEEN 'B' AND 'Bb'", [2n]],
    ["LIKE 'prefix%'", "meta->>'city' LIKE 'Be%'", [5n, 1n]],
    ['IS NULL', "meta->>'city' IS NULL", [8n, 7n, 4n, 3n]],
    ['the same path in other words', "meta#>>'{city}' = 'Bern'", [5n, 1n]],
    ['the same path in parentheses', "(((meta)->>'city')) = 'Bern'", [5n, 1n]],
    ['the column after it', "meta->>'city' = 'Bern' AND n < 3", [1n]],
  ]
  for (const [what, where, ids] of bounded) {
    it(`is bounded by ${what}`, async (t) => {
      const { first, explain } = await opened(t, BY_CITY)
      const text = `SCAN id FROM customer WHERE ${where}`
      const { key, filter, covering } = await explain(text)
      assert.equal(key, "INDEX byCity (meta->>'city', n DESC)")
      assert.deepEqual([filter, covering], [[], true])
      assert.deepEqual(await first(text), ids)
      const walked = await first(text.replace('WHERE', 'USE PRIMARY KEY WHERE'))
      assert.deepEqual(walked, ids.toSorted())
    })
  }

  const unbounded = [
    "meta->'city'->>'x' = 'Bern'",
    "meta->>0 = 'x'",
    "meta#>>'{0}' = 'x'",
    "lower(meta->>'city') = 'bern'",
    "(meta->>'city') || '' = 'Bern'",
    "meta->>('ci' || 'ty') = 'Bern'",
  ]
  for (const where of unbounded) {
    it(`is not bounded by ${where}`, async (t) => {
      const { session } = await opened(t, BY_CITY)
      const { code } = await refused(session.run(`SCAN id FROM customer WHERE ${where}`))
      assert.equal(code, 'unbounded_scan')
    })
  }

  it('gives the ORDER BY, the GROUP BY, MIN and MAX', async (t) => {
    const { session, first, explain } = await opened(t, BY_CITY)
    const ordered = "SCAN id FROM customer ORDER BY meta->>'city' DESC, n"
    assert.equal((await explain(ordered)).order, 'reverse')
    assert.deepEqual(await first(ordered), [1n, 5n, 2n, 6n, 3n, 4n, 7n, 8n])
    const grouped = "SCAN meta->>'city' AS city, COUNT(*) AS c FROM customer GROUP BY city"
    assert.equal((await explain(grouped)).key, "INDEX byCity (meta->>'city', n DESC)")
    const groups = [
      [null, 4n],
      ['7.0', 1n],
      ['Basel', 1n],
      ['Bern', 2n],
    ]
    assert.deepEqual((await session.run(grouped)).rows, groups)
    for (const [call, value] of [
      ['MIN', '7.0'],
      ['MAX', 'Bern'],
    ] as const) {
      const analyzed = await session.run(
        `EXPLAIN ANALYZE SCAN ${call}(meta->>'city') FROM customer`,
      )
      const { measured } = JSON.parse(analyzed.rows[0]?.[1] as string)
      assert.deepEqual(await first(`SCAN ${call}(meta->>'city') FROM customer`), [value])
      assert.ok(measured.entriesRead < 8, `${call} reads ${measured.entriesRead} entries`)
    }
  })

  it('is named by USE INDEX, and reads rows unless the column is stored', async (t) => {
    const stored = "CREATE INDEX whole ON customer (meta->>'city') STORING (meta)"
    const { explain } = await opened(t, BY_CITY, stored)
    const scan = (hint: string) => `SCAN id, meta->>'city' AS c FROM customer USE INDEX ${hint}`
    assert.equal((await explain(scan('byCity'))).covering, false)
    assert.equal((await explain(scan('whole'))).covering, true)
  })

  it('follows the rows that are changed along it', async (t) => {
    const { session, first } = await opened(t, BY_CITY)
    const moved = `SET meta = json_set(meta, '{city}', '"Bonn"') ON customer WHERE meta->>'city' = 'Bern'`
    assert.equal((await session.run(moved)).rowsAffected, 2)
    assert.deepEqual(await first("SCAN id FROM customer WHERE meta->>'city' = 'Bern'"), [])
    assert.deepEqual(await first("SCAN id FROM customer WHERE meta->>'city' = 'Bonn'"), [5n, 1n])
    await session.run("SET n = 9 ON customer WHERE meta->>'city' = 'Bonn'")
    await session.run("DELETE FROM customer WHERE meta->>'city' IS NULL")
    assert.deepEqual(await first('SCAN id FROM customer USE INDEX byCity'), [6n, 2n, 1n, 5n])
  })

  it('is suggested where a condition asks for one', async (t) => {
    const { session, first } = await opened(t)
    const text = "SCAN id FROM customer WHERE meta->'address'->>'zip' = '3000' AND n > 0"
    const { fields } = await refused(session.run(text))
    const suggested =
      "CREATE INDEX customerByMetaAddressZipN ON customer (meta->'address'->>'zip', n)"
    assert.equal(fields.suggestedIndex, suggested)
    await session.run(suggested)
    assert.deepEqual(await first(text), [1n])
  })
})

describe('a unique index of a path into JSON', () => {
  it('finds the row of a GET, a SET, a DELETE and a LOOKUP', async (t) => {
    const { session, first, explain } = await opened(t, BY_ZIP)
    const where = "meta->'address'->>'zip' = '3000'"
    assert.deepEqual(await first(`GET n FROM customer WHERE ${where}`), [1n])
    assert.equal((await explain(`SCAN n FROM customer WHERE ${where}`)).rule, 'full unique index')
    const joined = `SCAN b.id FROM customer AS a LOOKUP customer AS b BY b.meta#>>'{address,zip}' = a.meta#>>'{address,zip}'`
    assert.deepEqual(await first(joined), [1n])
    await session.run(`SET n = 10 ON customer WHERE ${where}`)
    assert.deepEqual(await first(`GET n FROM customer WHERE ${where}`), [10n])
    assert.equal((await session.run(`DELETE FROM customer WHERE ${where}`)).rowsAffected, 1)
  })

  it('refuses a second row with its text, and none without', async (t) => {
    const { session } = await opened(t, BY_ZIP)
    const twice = `INSERT INTO customer (id, meta) VALUES (9, '{"address":{"zip":"3000"}}')`
    const { code, message, fields } = await refused(session.run(twice))
    assert.equal(code, 'unique_violation')
    assert.match(message, /meta->'address'->>'zip' = "3000"/)
    assert.deepEqual(fields.columns, ["meta->'address'->>'zip'"])
    await session.run("INSERT INTO customer (id, meta) VALUES (9, '{}'), (10, NULL)")
  })

  it('is what an upsert meets rows by', async (t) => {
    const { session, first } = await opened(t, BY_ZIP)
    const upsert = `INSERT INTO customer (id, meta, n) VALUES
      (20, '{"address":{"zip":"3000"}}', 20), (21, '{"address":{"zip":"4000"}}', 21)
      ON CONFLICT (meta#>>'{address,zip}') DO UPDATE SET n = excluded.n RETURNING id`
    assert.deepEqual(await first(upsert), [1n, 21n])
    const wrong = upsert.replace("'{address,zip}'", "'{address}'")
    const { hint } = await refused(session.run(wrong))
    assert.match(String(hint), /UNIQUE INDEX byZip \(meta->'address'->>'zip'\)/)
  })
})

describe('a definition of an index of a path', () => {
  const wrong: ReadonlyArray<readonly [string, RegExp]> = [
    ["meta->'city'", /does not lead to a text/],
    ["meta->>'a'->>'b'", /does not lead to a text/],
    ["meta#>>'city'", /does not lead to a text/],
    ["meta#>>'{}'", /does not lead to a text/],
    ["n->>'city'", /"n" is INTEGER, and only JSON has a path/],
    ['meta', /is JSON, which has no order/],
    ["meta->>'a', meta#>>'{a}'", /names "meta"->>'a' twice/],
    [`meta->>'${'x'.repeat(130)}'`, /A path has at most 128 bytes/],
    ["meta->>'\u0007'", /A path holds no control characters/],
  ]
  for (const [parts, message] of wrong) {
    it(`is refused of ${parts.slice(0, 40)}`, async (t) => {
      const { session } = await opened(t)
      const error = await refused(session.run(`CREATE INDEX i ON customer (${parts})`))
      assert.match(error.message, message)
    })
  }

  it('is told by SHOW INDEXES and SHOW CREATE TABLE in words that make it', async (t) => {
    const { session } = await opened(t)
    const parts = `meta->'it''s'->>-1 DESC, meta#>'{0}'->>'a b', n, meta->>0`
    await session.run(`CREATE UNIQUE INDEX "i 1" ON customer (${parts}) STORING (meta)`)
    assert.equal((await session.run('SHOW INDEXES FROM customer')).rows[0]?.[2], parts)
    const shown = (await session.run('SHOW CREATE TABLE customer')).rows.map(([text]) =>
      String(text),
    )
    const again = await SqlSession.open(...shown)
    t.after(() => again.close())
    const texts = (await again.run('SHOW CREATE TABLE customer')).rows.map(([text]) => String(text))
    assert.deepEqual(texts, shown)
  })

  it('keeps its column from being dropped, and goes along when that is renamed', async (t) => {
    const { session, first } = await opened(t, BY_CITY)
    const { message } = await refused(session.run('ALTER TABLE customer DROP COLUMN meta'))
    assert.match(message, /"meta" is in the index "byCity"/)
    await session.run('ALTER TABLE customer RENAME COLUMN meta TO info')
    assert.deepEqual(await first("SCAN id FROM customer WHERE info->>'city' = 'Basel'"), [2n])
  })

  it('fails with the row whose text is too long for a key, and later refuses such a row', async (t) => {
    const { session } = await opened(t)
    const long = `{"city":"${'x'.repeat(5_000)}"}`
    const insert = `INSERT INTO customer (id, meta) VALUES (9, '${long}')`
    await session.run(insert)
    await session.run(BY_CITY)
    const [, , , , state, , failure] =
      (await session.run('SHOW INDEXES FROM customer')).rows[0] ?? []
    assert.equal(state, 'failed')
    assert.match(
      String(failure),
      /index "byCity" \("meta->>'city'", "n"\) takes \d+\. It is of the row \(9\)/,
    )
    await session.run('DROP INDEX byCity')
    await session.run('DELETE FROM customer WHERE id = 9')
    await session.run(BY_CITY)
    const error = await refused(session.run(insert))
    assert.deepEqual([error.code, error.fields.limit], ['limit_exceeded', 'rowKeyBytesMax'])
  })
})

describe('the work of writing a row with paths in its indexes', () => {
  it('is bounded as that of conditions is, and no bound to what takes the row away', async (t) => {
    const { session } = await opened(t)
    const long = { tags: 'x'.repeat(5_100_000), city: 'Bern' }
    const insert = 'INSERT INTO customer (id, meta) VALUES (9, $1)'
    await session.run(insert, [long])
    await session.run(BY_CITY)
    const error = await refused(session.run('SET meta = $1 ON customer WHERE id = 1', [long]))
    assert.deepEqual([error.code, error.fields.limit], ['limit_exceeded', 'rowWorkMax'])
    await session.run('DELETE FROM customer WHERE id = 9')
    assert.equal((await refused(session.run(insert, [long]))).code, 'limit_exceeded')
  })

  it('is done in portions, of which a later one may still be refused', async (t) => {
    const { session, first } = await opened(t, BY_CITY, BY_ZIP)
    const meta = (zip: string) => ({ text: 'x'.repeat(400_000), address: { zip } })
    const values = ['a', 'b', 'c', 'd'].map((_, at) => `(${at + 20}, $${at + 1})`).join(', ')
    const insert = `INSERT INTO customer (id, meta) VALUES ${values}`
    const twice = await refused(session.run(insert, ['a', 'b', 'c', 'a'].map(meta)))
    assert.deepEqual([twice.code, twice.fields.row], ['unique_violation', 3])
    assert.deepEqual(await first('SCAN id FROM customer WHERE id >= 20'), [])
    await session.run(insert, ['a', 'b', 'c', 'd'].map(meta))
    const upsert = `${insert} ON CONFLICT DO UPDATE SET meta = excluded.meta`
    await session.run(upsert, ['b', 'a', 'd', 'e'].map(meta))
    const zips = "SCAN meta#>>'{address,zip}' FROM customer WHERE id >= 20"
    assert.deepEqual(await first(zips), ['b', 'a', 'd', 'e'])
  })
})

const NAMES = ['a', 'b', '0', '-1', "it's", 'x y', '"', 'é', '__proto__']
const step = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => `'${name.replaceAll("'", "''")}'`),
  fc.integer({ min: -2, max: 2 }).map(String),
)
const path = fc.oneof(
  fc.tuple(fc.array(step, { maxLength: 2 }), step).map(([steps, last]) => {
    return `${steps.map((each) => `->${each}`).join('')}->>${last}`
  }),
  fc
    .array(fc.constantFrom('a', 'b', '0', '-1', '"x y"'), { minLength: 1, maxLength: 3 })
    .map((steps) => `#>>'{${steps.join(',')}}'`),
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 'x', '10', '9', '', 'é\u0000"'),
    fc.integer({ min: -3, max: 12 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }),
  ),
})).value

describe('whatever the path and the JSON, an index of it', () => {
  it('has the rows that the expression has, after any writes', async () => {
    const property = fc.asyncProperty(
      path,
      fc.array(json, { minLength: 1, maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(7), fc.option(json)), { maxLength: 6 }),
      fc.constantFrom('x', '10', '9', '', '-1'),
      async (text, values, changes, bound) => {
        const session = await SqlSession.open('CREATE TABLE t (id INTEGER PRIMARY KEY, j JSON)')
        try {
          const insert = 'INSERT INTO t (id, j) VALUES ($1, $2)'
          for (const [id, value] of values.entries()) await session.run(insert, [id, value])
          await session.run(`CREATE INDEX i ON t (j${text})`)
          for (const [id, value] of changes) {
            if (value === null) await session.run('DELETE FROM t WHERE id = $1', [id])
            else await session.run('SET j = $2 ON t WHERE id = $1', [id, value])
          }
          const { problems } = await session.storage.checkConsistency()
          assert.deepEqual(problems, [])
          for (const where of ['= $1', '> $1', '<= $1', "LIKE '1%'", 'IS NULL']) {
            const params = where.includes('$') ? [bound] : []
            const found = (key: string) =>
              session.run(`SCAN id FROM t USE ${key} WHERE j${text} ${where}`, params)
            const ids = (await found('INDEX i')).rows.flat() as bigint[]
            assert.deepEqual(ids.toSorted(), (await found('PRIMARY KEY')).rows.flat(), where)
          }
        } finally {
          await session.close()
        }
      },
    )
    await fc.assert(property, { numRuns: 30 })
  })
})
