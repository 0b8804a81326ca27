import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from './test-app.ts'

const ADD =
  "INSERT INTO card (id, lane, title, moved, mover) VALUES ('a', 'todo', 'paint', now(), 'ann')"

test('a card that one user moves is moved for all', async (t) => {
  const { as } = await startTestApp(t)
  await as('ann').query(ADD)
  const lanes: string[] = []
  for await (const [card] of as('bob').live<{ lane: string }>(
    "GET lane FROM card WHERE id = 'a'",
  )) {
    lanes.push(card?.lane ?? 'nowhere')
    if (lanes.length === 2) break
    await as('ann').query("SET lane = 'doing' ON card WHERE id = 'a'")
  }
  assert.deepEqual(lanes, ['todo', 'doing'])
})

test('there are three lanes', async (t) => {
  const db = (await startTestApp(t)).as('ann')
  await assert.rejects(db.query(ADD.replace('todo', 'attic')), { code: 'check_failed' })
})
