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
    const deps = connect({ url, ...(wrong === undefined ? {} : { token: wrong }) })
    t.after(() => deps.close())
    await assert.rejects(deps.query('SHOW TABLES'), { code: 'unauthenticated', httpStatus: 401 })
    const events = deps.subscribe('SCAN * FROM note USE PRIMARY KEY')
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

test('a rule that is replaced in one request begins live rows again, and never ends them', async (t) => {
  const admin = connect({ url, token })
  t.after(() => admin.close())
  await admin.query('CREATE TABLE task (id INTEGER PRIMARY KEY, owner TEXT)')
  await admin.query("INSERT INTO task (id, owner) VALUES (1, 'x'), (2, 'y')")
  await admin.query('CREATE ROLE app')
  await admin.query("GRANT READ ON task TO app WHERE owner = 'y'")
  const app = await admin.query<{ token: string }>('CREATE TOKEN app ROLE app EXPIRES IN 1 DAY')
  const guarded = connect({ url, token: app.rows[0]?.token as string })
  t.after(() => guarded.close())
  const live = guarded.live<{ id: number }>('SCAN id FROM task USE PRIMARY KEY')
  assert.deepEqual((await live.next()).value, [{ id: 2 }])
  for (let round = 0; round < 20; round += 1) {
    const owner = round % 2 === 0 ? 'x' : 'y'
    await admin.execute(
      `REVOKE ALL ON task FROM app; GRANT READ ON task TO app WHERE owner = '${owner}'`,
    )
    assert.deepEqual((await live.next()).value, [{ id: round % 2 === 0 ? 1 : 2 }])
  }
})
