// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect } from '../../client-sdk/client.ts'
import { until } from './query-client.ts'
import { StandbyPair } from './standby-pair.ts'

// The client of a primary and its standby, which has the standby first.

async function following(t: TestContext) {
  const pair = await StandbyPair.open(t)
  await pair.at.rows('CREATE OBSERVER seen ON note (text)')
  await pair.startStandby()
  await pair.caughtUp()
  const client = (...url: string[]) => {
    const sent: string[] = []
    const counting = (target: string | URL | Request, init?: RequestInit) => {
      sent.push(new URL(String(target)).origin)
      return fetch(target, init)
    }
    const db = connect({ url, token: pair.adminToken, fetch: counting as typeof fetch })
    t.after(() => db.close())
    return { db, sent }
  }
  return { pair, client, standby: pair.atStandby.url, primary: pair.primaryUrl }
}

test('a write that a standby refuses is done once, at the primary, though fetch repeats a 421', async (t) => {
  const { pair, client, standby, primary } = await following(t)
  const { db, sent } = client(standby, primary)
  await db.query("INSERT INTO note (id, text) VALUES (1, 'a')")
  await db.script(
    "INSERT INTO note (id, text) VALUES (2, 'b'); SET text = text || 'c' ON note WHERE id = 2",
  )
  await db.transaction(async (tx) => {
    await tx.query("SET text = text || 'd' ON note WHERE id = 1")
  })
  assert.deepEqual(sent.slice(0, 2), [standby, primary])
  assert.ok(!sent.slice(2).includes(standby))
  assert.deepEqual(await pair.at.rows('SCAN id, text FROM note USE PRIMARY KEY'), [
    { id: 1, text: 'ad' },
    { id: 2, text: 'bc' },
  ])
})

test('a standby says committed, or not_primary and who is: the client then asks the primary', async (t) => {
  const { pair, client, standby, primary } = await following(t)
  const tx = await client(primary).db.begin()
  await tx.query("INSERT INTO note (id, text) VALUES (1, 'a')")
  const one = client(standby).db
  const { code, fields } = await one.transactionOutcome(tx.id).catch((error) => error)
  assert.deepEqual([code, fields.primary], ['not_primary', primary])
  const { db, sent } = client(standby, primary)
  assert.equal((await db.transactionOutcome(tx.id)).status, 'active')
  assert.deepEqual(sent, [standby, primary])
  await tx.commit()
  await pair.caughtUp()
  const committed = await one.transactionOutcome(tx.id)
  assert.deepEqual([committed.status, committed.commitTimestamp], ['committed', tx.commitTimestamp])
  await assert.rejects(one.transactionOutcome('none'), { code: 'unknown_transaction' })
})

test('an observer that is refused at a standby runs at the primary, alone with the standby it waits', async (t) => {
  const { pair, client, standby, primary } = await following(t)
  const waiting: string[] = []
  await using _alone = client(standby).db.observe('seen', () => undefined, {
    onReconnect: ({ code }) => waiting.push(code),
  })
  const seen = Promise.withResolvers<unknown>()
  const losses: string[] = []
  const { db } = client(standby, primary)
  await using _worker = db.observe('seen', (_tx, event) => seen.resolve(event.row), {
    onReconnect: ({ message }) => losses.push(message),
  })
  await pair.at.rows("INSERT INTO note (id, text) VALUES (7, 'observed')")
  assert.deepEqual(await seen.promise, { id: 7, text: 'observed' })
  assert.equal(losses.length, 1, losses.join())
  await until(async () => waiting.includes('not_primary'), 'the other one to be told')
})
