// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TokenServer } from '../../test/server/token-server.ts'

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
