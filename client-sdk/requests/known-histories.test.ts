// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../client.ts'

test('a moment that an answer told is read in the history of that answer, whatever came later', async () => {
  const [before, between, now] = ['a.1', 'a.2', 'a.3']
  const answers = [
    { history: before, readTimestamp: 10 },
    { history: before, readTimestamp: 8, commitTimestamp: 12 },
    { history: between, readTimestamp: 20 },
    { history: now, readTimestamp: 30 },
  ]
  const named: Array<string | null> = []
  const db = connect({
    url: 'http://127.0.0.1:1',
    fetch: async (_url, init) => {
      named.push(new Headers(init?.headers).get('percolite-history'))
      const { history, ...stamps } = answers.shift() ?? { history: now, readTimestamp: 31 }
      const body = { commitTimestamp: null, attempts: 1, results: [{ columns: [], rows: [] }] }
      return Response.json({ ...body, ...stamps }, { headers: { 'percolite-history': history } })
    },
  })
  for (let count = 0; count < 4; count += 1) await db.query('SHOW TABLES')
  for (const asOf of [9, 12, 13, 20, 21, 30, 40]) await db.query('SHOW TABLES', [], { asOf })
  await db.query('SHOW TABLES')
  db.close()
  assert.deepEqual(named, [
    ...[null, before, before, between],
    ...[before, before, between, between, now, now, now],
    now,
  ])
})
