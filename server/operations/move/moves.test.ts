// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestServer } from '../../../test/server/test-server.ts'

const NOBODY = 'etcd:127.0.0.1:1'

test('a server moves its database only when it was started for it', async (t) => {
  const server = await startTestServer(t)
  const refused = await server.post('/v1/move', { to: NOBODY })
  assert.equal(refused.status, 403)
  assert.deepEqual([refused.body.code, refused.body.flag], ['not_enabled', '--allow-move'])
  assert.equal((await server.get('/v1/move')).body.phase, 'none')
})

test('an order that cannot be carried out is refused, or says why it failed; writes go on', async (t) => {
  const server = await startTestServer(t, { flags: { 'allow-move': 'true' } })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  for (const body of [{}, { to: 'redis:1' }, { to: NOBODY, targetUrl: 'file:///' }]) {
    const { status } = await server.post('/v1/move', body)
    assert.equal(status, 400, JSON.stringify(body))
  }
  const begun = await server.post('/v1/move', { to: NOBODY })
  assert.deepEqual([begun.status, begun.body.phase], [202, 'copying'])
  let state = begun.body
  while (state.phase === 'copying') {
    await sleep(20)
    state = (await server.get('/v1/move')).body
  }
  assert.equal(state.phase, 'failed')
  assert.match(state.detail, /etcd at 127\.0\.0\.1:1.* cannot be opened/)
  assert.equal(
    (await server.query("INSERT INTO account (id, balance) VALUES ('a', 1)")).status,
    200,
  )
})
