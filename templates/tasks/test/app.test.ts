import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from './test-app.ts'

test('each user sees and changes their own tasks only', async (t) => {
  const { as } = await startTestApp(t)
  const [ann, bob] = [as('ann'), as('bob')]
  await ann.sql`INSERT INTO task (owner, id, title) VALUES ('ann', 1, 'milk')`
  await bob.sql`INSERT INTO task (owner, id, title) VALUES ('bob', 1, 'bread')`
  const seen = await ann.query('SCAN owner, title FROM task')
  assert.deepEqual(seen.rows, [{ owner: 'ann', title: 'milk' }])
  await assert.rejects(ann.sql`INSERT INTO task (owner, id, title) VALUES ('bob', 2, 'mine')`, {
    code: 'rule_violated',
  })
})

test('a page is told what another one changes', async (t) => {
  const { as } = await startTestApp(t)
  const db = as('ann')
  for await (const rows of db.live<{ title: string }>('SCAN title FROM task')) {
    if (rows.length > 0) return assert.deepEqual(rows, [{ title: 'milk' }])
    await as('ann').sql`INSERT INTO task (owner, id, title) VALUES ('ann', 1, 'milk')`
  }
})
