// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'

test('a failed index names its row by the beginning of the key, however long the key is', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE doc (id TEXT PRIMARY KEY, n INTEGER)')
  await server.query('CREATE TABLE blob (id BYTES PRIMARY KEY, n INTEGER)')
  // Each of these characters takes six in JSON.
  const ids = ['a', 'b'].map((end) => '\u0001'.repeat(4_000) + end)
  await server.post(
    '/v1/tables/doc/rows',
    ids.map((id) => ({ id, n: 1 })),
  )
  const blobs = [1, 2].map((end) => Buffer.alloc(4_000, end).toString('base64'))
  await server.post(
    '/v1/tables/blob/rows',
    blobs.map((id) => ({ id, n: 1 })),
  )
  for (const table of ['doc', 'blob']) {
    await server.query(`CREATE UNIQUE INDEX ${table}ByN ON ${table} (n)`)
    await server.indexesBuilt(table)
    const { body } = await server.get(`/v1/tables/${table}`)
    const { state, failure } = body.indexes[0]
    assert.equal(state, 'failed')
    assert.match(failure, /More than one row .*…/)
    assert.ok(failure.length < 600, `${failure.length}`)
  }
})
