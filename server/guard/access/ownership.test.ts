// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSocket } from '../../../test/server/socket-client.ts'
import type { Answer } from '../../../test/server/test-server.ts'
import { type TokenClient, TokenServer } from '../../../test/server/token-server.ts'

/** Two principals of one address, and a table. */
async function twoPrincipals(
  t: Parameters<typeof TokenServer.start>[0],
  options: Parameters<typeof TokenServer.start>[1] = {},
) {
  const tokens = await TokenServer.start(t, options)
  await tokens.query('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
  const one = tokens.as(tokens.token)
  const other = tokens.as(await tokens.made('CREATE TOKEN other ROLE admin EXPIRES IN 1 DAY'))
  return { tokens, one, other }
}

async function begun(client: TokenClient): Promise<string> {
  const { status, body, text } = await client.send({
    method: 'POST',
    path: '/v1/transactions',
    json: {},
  })
  assert.equal(status, 201, text)
  return body.transaction
}

/** All that can be done with the id of a transaction. */
function usesOf(client: TokenClient, id: string): Array<() => Promise<Answer>> {
  const path = `/v1/transactions/${id}`
  return [
    () => client.send({ path }),
    () => client.send({ method: 'POST', path: `${path}/commit` }),
    () => client.send({ method: 'DELETE', path }),
    () => client.send({ method: 'POST', path: `${path}/query`, json: { sql: 'SHOW TABLES' } }),
    () => client.query('SHOW TABLES', { transaction: id }),
    () => client.query('COMMIT', { transaction: id }),
    () => client.query('ROLLBACK', { transaction: id }),
  ]
}

describe('what a principal opens is its own', () => {
  test('a transaction of another is one that there is not, open and ended', async (t) => {
    const { tokens, one, other } = await twoPrincipals(t)
    const { port } = await tokens.server.listen()
    const id = await begun(one)
    const refuseAll = async () => {
      for (const use of usesOf(other, id)) {
        const { status, body } = await use()
        assert.deepEqual([status, body.code], [404, 'unknown_transaction'])
        assert.deepEqual(body.transaction, id, 'nothing but what was asked for is told')
      }
      const socket = await openSocket(t, port, { headers: other.headers })
      const frame = await socket.query('COMMIT', { transaction: id })
      assert.equal(frame.code, 'unknown_transaction')
    }
    await refuseAll()
    const inside = { transaction: id }
    assert.equal(
      (await one.query("SET text = 'a' ON note WHERE id = 1", inside)).body.results?.length,
      1,
    )
    await refuseAll()
    const [state, commit] = usesOf(one, id)
    assert.equal((await commit?.())?.status, 200)
    await refuseAll()
    assert.equal((await state?.())?.body.status, 'committed')
  })

  test('a cursor of another is none, on every page of rows', async (t) => {
    const { one, other } = await twoPrincipals(t)
    await one.query("INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    const sql = 'SCAN * FROM note USE PRIMARY KEY'
    const { cursor } = (await one.query(sql, { pageSize: 1 })).body
    assert.equal(await other.refusal(sql, { pageSize: 1, cursor }), 'bad_cursor')
    assert.equal((await one.query(sql, { pageSize: 1, cursor })).body.results[0].rows[0].id, 2)
    const rows = '/v1/tables/note/rows?limit=1'
    const page = (await one.send({ path: rows })).body
    for (const [client, format, status] of [
      [other, '', 400],
      [other, '&format=ndjson', 400],
      [one, '', 200],
    ] as const) {
      const path = `${format === '' ? rows : '/v1/tables/note/rows?format=ndjson'}&cursor=${page.cursor}`
      assert.equal((await client.send({ path })).status, status, path)
    }
  })

  test('an Idempotency-Key of another is free, and replays nothing of it', async (t) => {
    const { one, other } = await twoPrincipals(t)
    const insert = (client: TokenClient, id: number) =>
      client.send({
        method: 'POST',
        path: '/v1/query',
        json: { sql: `INSERT INTO note (id, text) VALUES (${id}, 'secret')` },
        headers: { 'idempotency-key': 'k' },
      })
    const first = await insert(one, 1)
    assert.equal((await insert(other, 2)).status, 200)
    assert.equal((await insert(one, 1)).text, first.text)
    assert.equal((await insert(one, 2)).body.code, 'idempotency_key_reused')
    const put = (client: TokenClient) =>
      client.send({
        method: 'PUT',
        path: '/v1/tables/note/rows/7',
        json: { text: 'x' },
        headers: { 'idempotency-key': 'p' },
      })
    assert.equal((await put(one)).status, 201)
    assert.equal((await put(other)).status, 200)
  })

  test('shares are those of the principal, whatever address it comes from', async (t) => {
    const deps = { sharedLimits: { openTransactionsMax: 16 } }
    const { tokens, one, other } = await twoPrincipals(t, { deps })
    const { port } = await tokens.server.listen()
    for (let n = 0; n < 12; n += 1) await begun(one)
    const full = await one.send({ method: 'POST', path: '/v1/transactions', json: {} })
    assert.deepEqual([full.status, full.body.code], [429, 'client_overloaded'])
    const socket = await openSocket(t, port, { headers: one.headers })
    const begin = await socket.query('BEGIN', { keepOpen: true })
    assert.equal(begin.code, 'client_overloaded')
    await begun(other)
  })
})
