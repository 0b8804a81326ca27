// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TokenServer } from '../../../test/server/token-server.ts'

/** Rows of ann, and among them many of bob, of which some fail in most conditions. */
async function sortedServer(t: Parameters<typeof TokenServer.start>[0]) {
  const tokens = await TokenServer.start(t)
  const admin = tokens.as(tokens.token)
  const run = async (sql: string) => {
    const { status, text } = await admin.query(sql)
    assert.equal(status, 200, `${sql.slice(0, 99)}: ${text}`)
  }
  await run('CREATE TABLE todo (id INTEGER PRIMARY KEY, owner TEXT, n INTEGER, word TEXT)')
  await run('CREATE ROLE member')
  await run('GRANT READ ON todo TO member WHERE owner = token.sub')
  const mine = Array.from(
    { length: 6 },
    (_, id) => `(${id * 5000 + 1}, 'ann', ${id}0, 'w${id % 2}')`,
  )
  await run(`INSERT INTO todo (id, owner, n, word) VALUES ${mine.join(', ')}, (7, 'bob', 0, 'w9')`)
  for (let first = 10; first < 12_010; first += 3_000) {
    const others = Array.from({ length: 3_000 }, (_, i) => first + i)
    const rows = others.map((id) => `(${id * 3}, 'bob', ${-id}, 'v${id}')`)
    await run(
      `INSERT INTO todo (id, owner, n, word) VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`,
    )
  }
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'))
  return { admin, ann, run }
}

describe('what is sorted and grouped for a role with a rule', () => {
  test('is made of the rows that the rule shows', async (t) => {
    const { ann } = await sortedServer(t)
    const values = async (sql: string) =>
      (await ann.rows(sql)).map((row) => Object.values(row).join(' '))
    assert.deepEqual(await values('SCAN n FROM todo ORDER BY n LIMIT 3'), ['0', '10', '20'])
    assert.deepEqual(await values('SCAN n FROM todo WHERE id > 0 ORDER BY n DESC LIMIT 100'), [
      ...['50', '40', '30', '20', '10', '0'],
    ])
    const groups = 'SCAN word, COUNT(*) AS c, SUM(n) AS s FROM todo GROUP BY word'
    assert.deepEqual(await values(groups), ['w0 3 60', 'w1 3 90'])
    assert.deepEqual(await values(`${groups} ORDER BY s DESC LIMIT 1`), ['w1 3 90'])
    assert.deepEqual(await values(`${groups} HAVING c > 3`), [])
    assert.deepEqual(await values('SCAN DISTINCT word FROM todo'), ['w0', 'w1'])
    const counts = 'SCAN COUNT(DISTINCT word) AS d, COUNT(*) FILTER (WHERE n <= 0) AS f FROM todo'
    assert.deepEqual(await values(counts), ['2 1'])
  })

  test('meets no limit, and fails in no expression, because of rows that it hides', async (t) => {
    const { admin, ann } = await sortedServer(t)
    for (const [sql, code] of [
      ['SCAN word, COUNT(*) AS c FROM todo GROUP BY word', 'limit_exceeded'],
      ['SCAN DISTINCT word FROM todo', 'limit_exceeded'],
      ['SCAN id FROM todo WHERE id > 1 ORDER BY 10 / n LIMIT 2', 'division_by_zero'],
      ['SCAN n / (id - 7) AS q FROM todo GROUP BY q', 'division_by_zero'],
      ['SCAN COUNT(*) FILTER (WHERE 1 / (id - 7) > 0) AS c FROM todo', 'division_by_zero'],
      ['SCAN COUNT(DISTINCT 1 / (id - 7)) AS c FROM todo', 'division_by_zero'],
    ] as const) {
      assert.equal((await admin.query(sql)).body.code, code, sql)
      const { status, text } = await ann.query(sql)
      assert.equal(status, 200, `${sql}: ${text}`)
    }
  })

  test('a word with a * counts no words of hidden rows, by an index that is not of the rule', async (t) => {
    const { admin, ann, run } = await sortedServer(t)
    await run('CREATE INDEX words ON todo (WORDS word)')
    await run('CREATE INDEX own ON todo (owner, WORDS word)')
    for (let text = 'building'; text.includes('building'); ) {
      text = (await admin.query('SHOW INDEXES FROM todo')).text
    }
    const scan = (where: string) => `SCAN COUNT(*) AS c FROM todo WHERE ${where}`
    const refused = async (client: typeof ann, where: string) =>
      (await client.query(scan(where))).body.code
    assert.equal(await refused(admin, "word MATCH 'v*'"), 'limit_exceeded')
    for (const where of ["word MATCH 'v*'", "word MATCH 'w*'"])
      assert.equal(await refused(ann, where), 'unbounded_scan')
    for (const [where, count] of [
      ["word MATCH 'w1'", 3],
      ["word MATCH 'w1 w*'", 3],
      ["word MATCH 'v10 v*'", 0],
      ["owner = 'ann' AND word MATCH 'w*'", 6],
      ["owner = 'ann' AND word MATCH 'v*'", 0],
      ["owner = 'bob' AND word MATCH 'v*'", 0],
    ] as const) {
      assert.deepEqual(await ann.rows(scan(where)), [{ c: count }], where)
    }
  })

  test('is held of the share of its client, and given back at the end', async (t) => {
    const MIB = 1024 * 1024
    const deps = { sharedLimits: { unsentBytesMax: 64 * MIB } }
    const tokens = await TokenServer.start(t, { deps })
    const { unsentBytes } = tokens.server.server.shares
    const admin = tokens.as(tokens.token)
    await admin.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
    const ids = Array.from({ length: 900 }, (_, id) => `(${id}, 'x')`)
    await admin.query(`INSERT INTO t (id, a) VALUES ${ids.join(', ')}`)
    const params = { long: 'y'.repeat(30_000) }
    for (const sql of [
      'SCAN id FROM t ORDER BY :long || a LIMIT 1000',
      "SCAN COUNT(*) AS n FROM t GROUP BY :long || 'x', id % 900",
    ]) {
      const { body } = await admin.query(sql, { params })
      assert.equal(body.limit, 'unsentBytesMax', JSON.stringify(body).slice(0, 200))
      assert.equal(unsentBytes.held, 0)
    }
    const few = await admin.query('SCAN id FROM t ORDER BY :long || a LIMIT 3', { params })
    assert.equal(few.status, 200)
    assert.equal(unsentBytes.held, 0)
  })
})
