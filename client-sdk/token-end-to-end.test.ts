// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRealServer } from '../test/client-sdk/real-server.ts'
import { connect } from './client.ts'

const { url, db } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE note (id INTEGER PRIMARY KEY)')
const made = await db.query<{ token: string }>('CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY')
const token = made.rows[0]?.token as string

test('with a token, requests and subscriptions work', async (t) => {
  const guarded = connect({ url, token })
  t.after(() => guarded.close())
  await guarded.query('INSERT INTO note (id) VALUES (1)')
  for await (const event of guarded.subscribe('SCAN * FROM note USE PRIMARY KEY', [], {
    snapshot: true,
  })) {
    if (event.kind !== 'rows') continue
    assert.equal(event.rows[0]?.row.id, 1)
    break
  }
})

test('without one, or with a wrong one, each call and each subscription says so', async (t) => {
  for (const wrong of [undefined, `${token}x`]) {
    const outside = connect({ url, ...(wrong === undefined ? {} : { token: wrong }) })
    t.after(() => outside.close())
    await assert.rejects(outside.query('SHOW TABLES'), { code: 'unauthenticated', httpStatus: 401 })
    const events = outside.subscribe('SCAN * FROM note USE PRIMARY KEY')
    await assert.rejects(events[Symbol.asyncIterator]().next(), { code: 'unauthenticated' })
  }
})

test('a subscription ends with its token', async (t) => {
  const admin = connect({ url, token })
  t.after(() => admin.close())
  const web = await admin.query<{ token: string }>('CREATE TOKEN web ROLE admin EXPIRES IN 1 DAY')
  const guarded = connect({ url, token: web.rows[0]?.token as string })
  t.after(() => guarded.close())
  const events = guarded.subscribe('SCAN * FROM note USE PRIMARY KEY')[Symbol.asyncIterator]()
  const first = events.next()
  await admin.query('DROP TOKEN web')
  await assert.rejects(
    async () => {
      await first
      for (;;) await events.next()
    },
    { code: 'unauthenticated' },
  )
})
