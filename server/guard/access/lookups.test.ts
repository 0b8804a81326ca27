// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TokenServer } from '../../../test/server/token-server.ts'

/**
 * Orders of ann and of bob, which name notes (ruled by key) and tasks (ruled by row) of both. `owner` is a column of
 * all of them, and 10 / n fails for what is bob's.
 */
async function ruledServer(t: Parameters<typeof TokenServer.start>[0]) {
  const tokens = await TokenServer.start(t)
  const admin = tokens.as(tokens.token)
  const run = (sql: string) => admin.run(sql)
  await run('CREATE TABLE orders (id INTEGER PRIMARY KEY, owner TEXT, note TEXT, task INTEGER)')
  await run(
    'CREATE TABLE note (owner TEXT, id INTEGER, text TEXT, n INTEGER, PRIMARY KEY (owner, id))',
  )
  await run('CREATE TABLE task (id INTEGER PRIMARY KEY, owner TEXT, code TEXT, n INTEGER)')
  await run('CREATE UNIQUE INDEX byCode ON task (code) STORING (owner)')
  await run('CREATE ROLE member')
  await run('GRANT READ ON orders TO member')
  await run('GRANT READ, WRITE ON note TO member WHERE owner = token.sub')
  await run('GRANT READ ON task TO member WHERE owner = token.sub')
  await run("INSERT INTO note (owner, id, text, n) VALUES ('ann', 1, 'a', 5), ('bob', 1, 'b', 0)")
  await run("INSERT INTO task (id, owner, code, n) VALUES (1, 'ann', 'x', 5), (2, 'bob', 'y', 0)")
  await run(`INSERT INTO orders (id, owner, note, task) VALUES
    (1, 'ann', 'ann', 1), (2, 'bob', 'bob', 2), (3, 'bob', 'ann', 2), (4, 'ann', 'no', 9)`)
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'))
  return { admin, run, ann }
}

const NOTE = 'LOOKUP note AS x BY x.owner = o.note AND x.id = 1'
const TASK = 'LOOKUP task AS x BY x.id = o.task'

type ExplainedPlan = {
  readonly lookups: ReadonlyArray<{ readonly rowRule?: readonly string[] }>
  readonly measured: object
}

describe('a rule of a table that rows are looked up in', () => {
  test('hides the rows that a LOOKUP would find, before BY and WHERE', async (t) => {
    const { ann, admin } = await ruledServer(t)
    for (const [lookup, found] of [
      [NOTE, [1, 3]],
      [TASK, [1]],
    ] as const) {
      const ids = async (sql: string) => (await ann.rows(sql)).map(({ id }) => id)
      assert.deepEqual(await ids(`SCAN o.id FROM orders AS o ${lookup}`), found, lookup)
      assert.deepEqual(
        await ids(
          `SCAN o.id FROM orders AS o USE PRIMARY KEY ${lookup} OPTIONAL WHERE x.n IS NULL`,
        ),
        [1, 2, 3, 4].filter((id) => !found.includes(id as never)),
        lookup,
      )
      assert.deepEqual(await ids(`GET o.id FROM orders AS o ${lookup} WHERE o.id IN (2, 1)`), [1])
      const failing = `SCAN o.id, 10 / x.n AS q FROM orders AS o ${lookup} WHERE o.id > 0 AND 10 / x.n > 0`
      assert.deepEqual(await ids(failing), found, 'nothing is computed of a hidden row')
      assert.equal((await admin.query(failing)).body.code, 'division_by_zero')
    }
  })

  test('hides what the entries of a covering index would tell', async (t) => {
    const { ann } = await ruledServer(t)
    for (const code of ['x', 'y']) {
      const lookup = `LOOKUP task AS x BY x.code = '${code}'`
      const sql = `SCAN COUNT(*) AS k FROM orders AS o ${lookup}`
      assert.deepEqual(await ann.rows(sql), [{ k: code === 'x' ? 4 : 0 }])
    }
  })

  test('is that of the moment, also for the past, and shows in EXPLAIN without any counts', async (t) => {
    const { ann, run } = await ruledServer(t)
    const { readTimestamp } = (await ann.query('SHOW TABLES')).body
    const sql = `SCAN o.id, x.owner FROM orders AS o ${TASK}`
    const [{ plan }] = (await ann.rows(`EXPLAIN ANALYZE ${sql}`)) as [{ plan: ExplainedPlan }]
    assert.deepEqual(plan.lookups[0]?.rowRule, ['owner = token.sub'])
    assert.deepEqual(
      Object.keys(plan.measured)
        .filter((key) => key !== 'milliseconds')
        .sort(),
      ['rowsAffected', 'rowsReturned'],
    )
    await run('REVOKE ALL ON task FROM member')
    await run("GRANT READ ON task TO member WHERE owner = token.sub AND code = 'other'")
    assert.deepEqual(await ann.rows(sql), [])
    assert.deepEqual((await ann.query(sql, { asOf: readTimestamp })).body.results[0].rows, [])
  })

  test('goes with a rule of the first table, whatever columns they share', async (t) => {
    const { ann, run } = await ruledServer(t)
    await run('REVOKE ALL ON orders FROM member')
    await run("GRANT READ ON orders TO member WHERE owner = token.sub OR owner = 'nobody'")
    const sql = `SCAN o.id, x.owner FROM orders AS o ${NOTE}`
    assert.deepEqual(await ann.rows(sql), [{ id: 1, owner: 'ann' }])
    assert.deepEqual(await ann.rows(`GET o.id FROM orders AS o ${NOTE} WHERE o.id = 3`), [])
  })
})

describe('READ', () => {
  test('is needed for each table of a LOOKUP', async (t) => {
    const { ann, run } = await ruledServer(t)
    const code = async (sql: string) => (await ann.query(sql)).body.code
    const sql = `SCAN o.id FROM orders AS o ${TASK}`
    await run('REVOKE ALL ON task FROM member')
    assert.equal(await code(sql), 'unknown_table')
    await run('GRANT WRITE ON task TO member')
    assert.equal(await code(sql), 'not_permitted')
    assert.equal(await code(`GET o.id FROM orders AS o ${TASK} WHERE o.id = 1`), 'not_permitted')
    assert.equal(await code(`EXPLAIN ${sql}`), 'not_permitted')
    await run('GRANT READ ON task TO member')
    assert.equal(await code(sql), undefined)
    await run('REVOKE ALL ON orders FROM member')
    await run('GRANT WRITE ON orders TO member')
    assert.equal(await code(sql), 'not_permitted')
  })
})
