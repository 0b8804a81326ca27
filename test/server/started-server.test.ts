// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../client-sdk/client.ts'
import { startServer } from '../../server/testing.ts'

test('a test of an app has servers of its own in its process, which end with it', async () => {
  let url = ''
  {
    await using server = await startServer()
    await using other = await startServer()
    await using db = connect({ url: server.url })
    await db.script("CREATE TABLE item (id TEXT PRIMARY KEY); INSERT INTO item (id) VALUES ('a')")
    assert.deepEqual((await db.query('SCAN * FROM item')).rows, [{ id: 'a' }])
    await using elsewhere = connect({ url: other.url })
    assert.deepEqual((await elsewhere.query('SHOW TABLES')).rows, [])
    url = server.url
  }
  await assert.rejects(connect({ url }).query('SHOW TABLES'), { code: 'connection_failed' })
})

test('its flags are those of a server', async () => {
  await assert.rejects(startServer({ 'statment-timeout': '1s' }), /There is no flag --statment/)
  await assert.rejects(startServer({ 'statement-timeout': 'soon' }), /--statement-timeout/)
  const server = await startServer({ 'no-docs': 'true' })
  assert.equal((await fetch(`${server.url}/docs`)).status, 404)
  await server.close()
})
