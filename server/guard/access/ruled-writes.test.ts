// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TokenServer } from '../../../test/server/token-server.ts'

/** `note` has a rule by key, `todo` one by row; rows of ann and of bob. */
async function ruledServer(t: Parameters<typeof TokenServer.start>[0]) {
  const tokens = await TokenServer.start(t)
  const admin = tokens.as(tokens.token)
  for (const sql of [
    'CREATE TABLE note (org TEXT, id INTEGER, text TEXT, PRIMARY KEY (org, id))',
    'CREATE TABLE todo (id INTEGER PRIMARY KEY, owner TEXT, n INTEGER)',
    'CREATE INDEX byN ON todo (n)',
    'CREATE UNIQUE INDEX byText ON note (org, text)',
    'CREATE ROLE member',
    'GRANT READ, WRITE ON note TO member WHERE org = token.sub',
    'GRANT READ, WRITE ON todo TO member WHERE owner = token.sub',
    "INSERT INTO note (org, id, text) VALUES ('ann', 1, 'a'), ('ann', 2, 'b'), ('bob', 1, 'a')",
    "INSERT INTO todo (id, owner, n) VALUES (1, 'ann', 5), (2, 'bob', 0), (3, 'ann', 7)",
  ]) {
    const { status, text } = await admin.query(sql)
    assert.equal(status, 200, `${sql}: ${text}`)
  }
  const ann = tokens.as(await tokens.made('CREATE TOKEN ann ROLE member EXPIRES IN 1 DAY'))
  const affected = async (sql: string): Promise<unknown> => {
    const { status, body } = await ann.query(sql)
    return status === 200 ? body.results[0].rowsAffected : body.code
  }
  const bobs = () => admin.rows("SCAN * FROM todo USE PRIMARY KEY WHERE owner = 'bob'")
  return { tokens, admin, ann, affected, bobs }
}

describe('a SET over rows, by a role with a rule', () => {
  test('changes the rows that the rule shows, and no others', async (t) => {
    const { affected, admin, bobs } = await ruledServer(t)
    assert.equal(await affected('SET n = n + 1 ON todo WHERE id >= 0'), 2)
    assert.equal(await affected('SET n = n + 1 ON todo WHERE n >= 0'), 2)
    assert.equal(await affected('SET n = n + 1 ON todo WHERE id IN (1, 2, 3)'), 2)
    assert.equal(await affected('SET n = 9 ON todo WHERE n = 0'), 0)
    assert.deepEqual(await bobs(), [{ id: 2, owner: 'bob', n: 0 }])
    assert.equal(await affected("SET text = text || 'x' ON note WHERE org IN ('ann', 'bob')"), 2)
    assert.equal(await affected("SET text = 'z' ON note WHERE org = 'bob' AND text = 'a'"), 0)
    const texts = await admin.rows('SCAN org, text FROM note')
    assert.deepEqual(
      texts.map(({ org, text }) => `${org} ${text}`),
      ['ann ax', 'ann bx', 'bob a'],
    )
  })

  test('leaves only rows that may be written, or changes none', async (t) => {
    const { affected, admin } = await ruledServer(t)
    const before = await admin.rows('SCAN * FROM todo')
    for (const sql of [
      "SET owner = 'bob' ON todo WHERE id >= 0",
      "SET owner = 'bob', n = 1 ON todo WHERE n >= 7",
      'SET owner = NULL ON todo WHERE id IN (1, 3)',
    ]) {
      assert.equal(await affected(sql), 'rule_violated', sql)
      assert.deepEqual(await admin.rows('SCAN * FROM todo'), before)
    }
    assert.equal(await affected("SET owner = 'bob' ON todo WHERE id = 2 AND n = 0"), 0)
    assert.equal(await affected("SET owner = 'ann' ON todo WHERE id >= 0"), 2)
  })
})

test('a rule reads its columns of other families than those that are written', async (t) => {
  const { admin, affected } = await ruledServer(t)
  for (const sql of [
    'CREATE TABLE split (id INTEGER PRIMARY KEY, owner TEXT, n INTEGER, FAMILY counts (n))',
    "INSERT INTO split (id, owner, n) VALUES (1, 'ann', 1), (2, 'bob', 2)",
    'GRANT READ, WRITE ON split TO member WHERE owner = token.sub',
  ]) {
    assert.equal((await admin.query(sql)).status, 200, sql)
  }
  assert.equal(await affected('SET n = 5 ON split WHERE id >= 0'), 1)
  const insert = "INSERT INTO split (id, owner) VALUES (1, 'ann') ON CONFLICT DO UPDATE SET n = 6"
  assert.equal(await affected(insert), 1)
  assert.equal(await affected(insert.replace('(1,', '(2,')), 'rule_violated')
  assert.deepEqual(await admin.rows('SCAN id, n FROM split'), [
    { id: 1, n: 6 },
    { id: 2, n: 2 },
  ])
})

describe('an upsert, by a role with a rule', () => {
  const UPSERT = 'ON CONFLICT DO UPDATE SET n = todo.n + excluded.n'

  test('changes no row that the rule hides, and says no more than that', async (t) => {
    const { affected, ann, bobs } = await ruledServer(t)
    const insert = "INSERT INTO todo (id, owner, n) VALUES (1, 'ann', 1), (2, 'ann', 1)"
    assert.equal(await affected(`${insert} ${UPSERT}`), 'rule_violated')
    assert.equal(await affected(`${insert} ${UPSERT} IF todo.n > 100`), 'rule_violated')
    assert.equal(await affected(`${insert} ON CONFLICT DO UPDATE SET n = 10 / n`), 'rule_violated')
    assert.equal(await affected(`${insert} ON CONFLICT DO UPDATE SET n = 1`), 'rule_violated')
    const { body } = await ann.query(`${insert} ${UPSERT} RETURNING n`)
    assert.deepEqual([body.code, body.key, body.row], ['rule_violated', [2], 1])
    assert.deepEqual(await bobs(), [{ id: 2, owner: 'bob', n: 0 }])
    assert.equal(await affected(`${insert.split(', (2')[0]} ${UPSERT}`), 1)
  })

  test('guards no row that the rule hides', async (t) => {
    const { tokens, ann } = await ruledServer(t)
    const bob = tokens.as(await tokens.made('CREATE TOKEN bob ROLE member EXPIRES IN 1 DAY'))
    const { transaction } = (await ann.send({ method: 'POST', path: '/v1/transactions', json: {} }))
      .body
    const insert = "INSERT INTO todo (id, owner, n) VALUES (2, 'ann', 1)"
    await ann.query(`${insert} ON CONFLICT DO UPDATE SET n = 1 IF n > 100`, { transaction })
    await ann.query('SET n = 1 ON todo WHERE id = 1', { transaction })
    assert.equal((await bob.query('SET n = 8 ON todo WHERE id = 2')).status, 200)
    assert.equal((await ann.query('COMMIT', { transaction })).status, 200)
  })

  test('adds and leaves only rows that may be written', async (t) => {
    const { affected, admin } = await ruledServer(t)
    const before = await admin.rows('SCAN * FROM todo')
    for (const sql of [
      `INSERT INTO todo (id, owner, n) VALUES (1, 'bob', 1) ${UPSERT}`,
      `INSERT INTO todo (id, n) VALUES (1, 1) ${UPSERT}`,
      "INSERT INTO todo (id, owner) VALUES (1, 'ann') ON CONFLICT DO UPDATE SET owner = 'bob'",
      "INSERT INTO todo (id, owner) VALUES (1, 'ann'), (9, 'bob') ON CONFLICT (id) DO NOTHING",
    ]) {
      assert.equal(await affected(sql), 'rule_violated', sql)
      assert.deepEqual(await admin.rows('SCAN * FROM todo'), before)
    }
  })

  test('meets by a unique index only rows of its own', async (t) => {
    const { affected, admin } = await ruledServer(t)
    const insert = "INSERT INTO note (org, id, text) VALUES ('ann', 9, 'a')"
    const update = 'ON CONFLICT (org, text) DO UPDATE SET text = excluded.text'
    assert.equal(await affected(`${insert} ${update} || 'x'`), 1)
    const texts = await admin.rows('SCAN org, id, text FROM note')
    assert.deepEqual(
      texts.map(({ org, id, text }) => `${org} ${id} ${text}`),
      ['ann 1 ax', 'ann 2 b', 'bob 1 a'],
    )
    assert.equal(
      await affected(`${insert.replace("'ann', 9", "'bob', 9")} ${update}`),
      'rule_violated',
    )
  })
})
