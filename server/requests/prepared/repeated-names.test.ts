// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'

test('a name that stands twice in a body of statements, in their params or in a script is refused, with its place', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE note (id INTEGER PRIMARY KEY, j JSON)')
  const get = '"sql":"GET * FROM note WHERE id = :id"'
  const refused = async (path: string, text: string) => {
    const headers = { 'content-type': 'application/json' }
    const { body } = await server.send({ method: 'POST', path, text, headers })
    assert.equal(body.code, 'type_mismatch', text)
    return body.pointer
  }
  for (const [text, pointer] of [
    ['{"sql":"SHOW TABLES","sql":"DROP TABLE note"}', '/sql'],
    [`{${get},"params":{"id":1,"\\u0069d":2}}`, '/params/id'],
    [`{${get},"params":{"id":1},"params":{"id":2}}`, '/params'],
    [`{"statements":[{${get},"params":{"id":1,"id":2}}]}`, '/statements/0/params/id'],
    [`{"statements":[{${get},${get},"params":{"id":1}}]}`, '/statements/0/sql'],
    ['{"statements":[],"statements":[{"sql":"SHOW TABLES"}]}', '/statements'],
  ] as const) {
    assert.equal(await refused('/v1/query', text), pointer, text)
  }
  assert.equal(await refused('/v1/scripts', '{"sql":"SHOW TABLES","sql":""}'), '/sql')
  const where = `where=${encodeURIComponent('id = :id')}&params=${encodeURIComponent('{"id":1,"id":2}')}`
  assert.equal((await server.get(`/v1/tables/note/rows?${where}`)).body.pointer, '/id')
  const { status } = await server.query('INSERT INTO note (id, j) VALUES (:id, :j)', {
    params: { id: 1, j: { id: [{ id: 1 }, { id: 2 }] } },
  })
  assert.equal(status, 200, 'names of different objects')
})
