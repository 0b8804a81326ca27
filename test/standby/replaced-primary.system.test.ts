// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { type QueryClient, until } from './query-client.ts'
import { StandbyPair } from './standby-pair.ts'

const ALL = 'SCAN id FROM note'

/** The standby takes the place of its primary, which is down, and has commits that did not come over. */
async function promoted(t: Parameters<typeof StandbyPair.open>[0]): Promise<StandbyPair> {
  const pair = await StandbyPair.open(t)
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'in both')")
  await pair.startStandby()
  await pair.caughtUp()
  await pair.stopStandby()
  await pair.at.rows("INSERT INTO note (id, text) VALUES (99, 'lost')")
  await pair.stopPrimary()
  await pair.startStandby()
  await pair.promoteStandby()
  await pair.atStandby.rows("INSERT INTO note (id, text) VALUES (2, 'of the new one')")
  return pair
}

/** The server that was the primary shows nothing, and says who is. */
async function assertReplaced(client: QueryClient, by: string): Promise<void> {
  for (const sql of [ALL, "INSERT INTO note (id, text) VALUES (3, 'no')"]) {
    const { status, body } = await client.query(sql)
    assert.deepEqual([status, body.code, body.primary], [503, 'superseded', by], sql)
  }
  const { status, body } = await client.send('/readyz')
  assert.deepEqual([status, body.code], [503, 'superseded'])
  assert.equal((await client.send('/v1/replication')).body.role, 'superseded')
  assert.equal((await client.send('/healthz')).status, 200)
}

test('a primary that starts after its standby was promoted learns it from its peer, and stays replaced', async (t) => {
  const pair = await promoted(t)
  const by = pair.atStandby.url
  await pair.startPrimary({ peer: by })
  await assertReplaced(pair.at, by)
  await pair.stopPrimary()
  // Also without anybody who could say it again.
  await pair.stopStandby()
  await pair.startPrimary()
  await assertReplaced(pair.at, by)
})

test('the folder of a former primary is copied before anybody reads it', async (t) => {
  const pair = await promoted(t)
  const by = pair.atStandby.url
  // Nobody has said to it that it was replaced.
  await assert.rejects(pair.startFormer(by), {
    code: 'data_directory_unusable',
    message: /no copy of .* --peer http/,
  })
  await pair.startPrimary({ peer: by })
  await pair.stopPrimary()
  const former = await pair.startFormer(by)
  assert.deepEqual(await former.rows(ALL), [{ id: 1 }, { id: 2 }])
  // From then on it is a standby as any other.
  await pair.former?.close()
  const again = await pair.startFormer(by)
  assert.deepEqual(await again.rows(ALL), [{ id: 1 }, { id: 2 }])
  assert.equal(pair.former?.state.copies, 0)
})

test('a primary that has begun another epoch since the promotion is told all the same', async (t) => {
  const pair = await promoted(t)
  await pair.startPrimary()
  await until(async () => (await pair.at.query(ALL)).body.code === 'superseded', 'it to be told')
  await assertReplaced(pair.at, pair.atStandby.url)
})

test('a primary that nobody can tell asks its peer while it serves', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.startStandby()
  await pair.caughtUp()
  const by = pair.atStandby.url
  await pair.stopPrimary()
  await pair.startPrimary({ peer: by })
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  // The token with which the promoted one would tell it.
  await pair.at.rows('DROP TOKEN standby')
  await pair.promoteStandby()
  await until(async () => (await pair.at.query(ALL)).body.code === 'superseded', 'it to ask')
  await assertReplaced(pair.at, by)
})

test('of two that were promoted in turn the last one serves, and each knows it from the other', async (t) => {
  const pair = await promoted(t)
  const [first, second] = [pair.primaryUrl, pair.atStandby.url]
  await pair.startPrimary({ peer: second })
  await pair.stopPrimary()
  const former = await pair.startFormer(second)
  await former.rows(ALL)
  await pair.stopStandby()
  const { status } = await former.send('/v1/replication/promote', undefined, 'POST')
  assert.equal(status, 202)
  await until(async () => {
    const answer = await former.send('/v1/replication').catch(() => undefined)
    return answer?.body.role === 'primary'
  }, 'the second promotion')
  await former.rows("INSERT INTO note (id, text) VALUES (4, 'of the first again')")
  // The second one is not to be followed any more, but is started as if it were.
  await assert.rejects(pair.startStandby(first), { message: /no copy of/ })
  await pair.startPromoted({ peer: former.url })
  await assertReplaced(pair.atStandby, former.url)
  // The first one does not believe the second.
  await pair.former?.close()
  await pair.startPrimary({ peer: second })
  assert.deepEqual(await pair.at.rows(ALL), [{ id: 1 }, { id: 2 }, { id: 4 }])
})

test('a primary whose standby follows starts again as what it is', async (t) => {
  const pair = await StandbyPair.open(t)
  await pair.startStandby()
  await pair.stopPrimary()
  await pair.startPrimary({ peer: pair.atStandby.url })
  await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'one')")
  await pair.atStandby.untilRows(ALL, [{ id: 1 }])
})
