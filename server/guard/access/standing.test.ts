// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { jwtServer } from '../../../test/access/jwt-server.ts'
import type { TokenClient } from '../../../test/server/token-server.ts'

const KEYED = { 'idempotency-key': 'k' }
const INSERT = "INSERT INTO note (owner, id, text) VALUES ('ann', 7, 'private') RETURNING *"

const insert = (client: TokenClient, accept = 'application/json') =>
  client.send({
    method: 'POST',
    path: '/v1/query',
    json: { sql: INSERT },
    headers: { ...KEYED, 'idempotency-key': `k${accept.length}`, accept },
  })
const post = (client: TokenClient, prefer: string) =>
  client.send({
    method: 'POST',
    path: '/v1/tables/note/rows',
    json: { owner: 'ann', id: 8, text: 'private' },
    headers: { ...KEYED, prefer },
  })

describe('a replay of an Idempotency-Key', () => {
  test('has its rows while role, rules and the claims that they name are the same, and else its counts', async (t) => {
    const { issuer, tokens, admin } = await jwtServer(t)
    const rule = "owner = token.sub AND (token.team = 'red' OR token.team IS NULL)"
    await admin.rows('REVOKE READ ON note FROM member')
    await admin.rows(`GRANT READ ON note TO member WHERE ${rule}`)
    await admin.rows('CREATE ROLE viewer FOR JWT')
    await admin.rows('GRANT READ, WRITE ON note TO viewer')
    const holder = async (role: string, claims: object) =>
      tokens.as(await issuer.token('ann', role, { ...claims }))
    const red = await holder('member', { team: 'red', plan: 'one' })
    const first = await insert(red)
    assert.equal(first.body.results[0].rows.length, 1, first.text)
    const posted = await post(red, 'return=representation')
    assert.equal(posted.status, 201, posted.text)
    const renewed = await holder('member', { team: 'red', plan: 'two' })
    assert.equal((await insert(renewed)).text, first.text)
    assert.equal((await post(renewed, 'return=representation')).text, posted.text)

    const requireCounts = async (client: TokenClient, why: string) => {
      const { status, body, text, headers } = await insert(client)
      assert.deepEqual([status, headers['idempotent-replayed']], [200, 'true'], why)
      assert.deepEqual(body.results, [{ columns: [], rows: [], rowsAffected: 1 }], why)
      assert.equal(body.commitTimestamp, first.body.commitTimestamp)
      const row = await post(client, 'return=representation')
      assert.deepEqual([row.status, row.body.rowsAffected], [201, 1], why)
      assert.equal(row.headers.location, undefined)
      assert.doesNotMatch(text + row.text, /private/, why)
    }
    await requireCounts(await holder('member', { team: 'blue' }), 'other claims')
    await requireCounts(await holder('viewer', { team: 'red' }), 'another role')
    await admin.rows('REVOKE READ ON note FROM member')
    await admin.rows("GRANT READ ON note TO member WHERE owner = 'nobody'")
    await requireCounts(red, 'another rule')
  })

  test('in a form of text is without its rows too', async (t) => {
    const { issuer, tokens, admin } = await jwtServer(t)
    const ann = tokens.as(await issuer.token('ann'))
    assert.match((await insert(ann, 'text/csv')).text, /private/)
    await admin.rows('REVOKE READ ON note FROM member')
    await admin.rows("GRANT READ ON note TO member WHERE owner = 'nobody'")
    const { status, text } = await insert(ann, 'text/csv')
    assert.equal(status, 200)
    assert.doesNotMatch(text, /private/)
  })
})

test('a transaction is committed by the role and the claims that it was written with', async (t) => {
  const { issuer, tokens, admin } = await jwtServer(t)
  await admin.rows('CREATE ROLE viewer FOR JWT')
  await admin.rows('GRANT READ ON note TO viewer')
  const member = tokens.as(await issuer.token('ann'))
  const viewer = tokens.as(await issuer.token('ann', 'viewer'))
  const opened = await viewer.send({ method: 'POST', path: '/v1/transactions', json: {} })
  const { transaction } = opened.body
  const set = "SET text = 'new' ON note WHERE owner = 'ann' AND id = 1"
  assert.equal((await member.query(set, { transaction })).status, 200)
  const [seen] = await viewer.rows("GET text FROM note WHERE owner = 'ann' AND id = 1", {
    transaction,
  })
  assert.deepEqual(seen, { text: 'new' })
  const path = `/v1/transactions/${transaction}/commit`
  for (const refused of [
    await viewer.send({ method: 'POST', path }),
    await viewer.query('COMMIT', { transaction }),
  ]) {
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_permitted'], refused.text)
  }
  const renewed = tokens.as(await issuer.token('ann', 'member', { at_hash: 'another' }))
  assert.equal((await renewed.send({ method: 'POST', path })).status, 200)
})
