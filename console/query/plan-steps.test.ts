// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SqlSession } from '../../test/sql-session.ts'
import { type Explanation, explanationOf, planSteps, planTotals } from './plan-steps.ts'

describe('the plan of a statement', () => {
  let session: SqlSession
  before(async () => {
    session = await SqlSession.open(
      'CREATE TABLE owner (id TEXT PRIMARY KEY, name TEXT)',
      'CREATE TABLE account (id INTEGER PRIMARY KEY, owner TEXT, balance INTEGER)',
      'CREATE INDEX byOwner ON account (owner)',
      "INSERT INTO owner (id, name) VALUES ('a', 'Ada'), ('b', 'Bela')",
      "INSERT INTO account (id, owner, balance) VALUES (1, 'a', 5), (2, 'a', 50), (3, 'b', 7)",
    )
  })
  after(() => session.close())

  async function planOf(sql: string): Promise<Explanation> {
    const { rows } = await session.run(`EXPLAIN ANALYZE ${sql}`)
    const [text, plan] = rows[0] as [string, string]
    return explanationOf({ kind: 'explain', rows: [{ text, plan }] }) ?? assert.fail(text)
  }
  const titles = (plan: Explanation) => planSteps(plan).map(({ title }) => title)

  it('goes from its key over the rows to what is looked up, each with what was counted', async () => {
    const plan = await planOf(
      "SCAN a.id, o.name FROM account AS a LOOKUP owner AS o BY o.id = a.owner WHERE a.owner = 'a' AND a.balance > 9 AND o.name <> 'x' LIMIT 5",
    )
    assert.deepEqual(titles(plan), [
      'range scan by INDEX byOwner (owner)',
      'read the rows',
      'filter rows',
      'look up owner AS o by PRIMARY KEY (id)',
      'filter by o',
      'order: forward',
    ])
    const steps = planSteps(plan)
    assert.deepEqual(steps[0]?.code, ["a.owner = 'a'"])
    assert.equal(steps[0]?.measured, '2 entries read')
    assert.equal(steps[1]?.measured, '2 rows read')
    assert.equal(steps[3]?.measured, '1 key asked, 1 row found, 1 round trip')
    assert.equal(steps[5]?.note, 'at most 5')
    assert.deepEqual(planTotals(plan)?.used, { count: 1, of: 2, what: 'rows' })
    assert.deepEqual(
      plan.rejected.map(({ key }) => key),
      ['PRIMARY KEY (id)'],
    )
  })

  it('says where nothing bounds it, how it groups and how it sorts', async () => {
    const groups = await planOf(
      'SCAN owner, COUNT(*) AS n FROM account USE PRIMARY KEY GROUP BY owner HAVING COUNT(*) > 1 ORDER BY n DESC LIMIT 3',
    )
    const [whole, group, having, sort] = planSteps(groups)
    assert.deepEqual(
      [whole?.title, whole?.note],
      ['whole key by PRIMARY KEY (id)', 'nothing bounds it (hint)'],
    )
    assert.deepEqual([group?.title, having?.title], ['group', 'filter groups'])
    assert.deepEqual([sort?.title, sort?.code], ['sort: top 3 of the groups', ['COUNT(*) DESC']])
  })

  it('says what writes, without rows that leave', async () => {
    for (const sql of [
      'SET balance = 1 ON account WHERE id = 1',
      'DELETE FROM account WHERE id = 1',
      "INSERT INTO account (id, owner) VALUES (9, 'a')",
    ]) {
      const plan = await planOf(sql)
      assert.equal(titles(plan).at(-1), 'write', sql)
      assert.match(planTotals(plan)?.text ?? '', /^1 row affected/)
    }
    const guarded = await planOf('GET * FROM account WHERE id = 1 FOR UPDATE')
    assert.deepEqual(titles(guarded), ['point get by PRIMARY KEY (id)', 'write'])
  })

  it('is none of any other result', () => {
    const plan = '{"access":"point get","rejected":[]}'
    assert.equal(explanationOf({ rows: [{ text: '', plan }] }), undefined)
    assert.equal(explanationOf({ kind: 'explain', rows: [] }), undefined)
  })
})
