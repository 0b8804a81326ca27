// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { given } from '../../test/client-sdk/scripted-socket.ts'
import { connect, type PercoliteError } from '../client.ts'

// Subscriptions against a real server that keeps what has changed for a moment only.

// Long enough for a busy machine to take a snapshot within it.
const { url, db } = await startRealServer(
  ...['--engine', 'memory', '--retention', '1s', '--garbage-interval', '20ms'],
  ...['--transaction-timeout', '1s'],
)

/** Waits until the server has forgotten what was committed then. */
async function forgotten(timestamp: number | null): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/v1/status`)
    const { safePoint } = (await answer.json()) as { safePoint: number }
    if (safePoint > (timestamp ?? 0)) return
    await setTimeout(10)
  }
}

async function set(table: string, id: number, text: string): Promise<number> {
  const { commitTimestamp } = await db.query(`SET text = $1 ON ${table} WHERE id = $2`, [text, id])
  return commitTimestamp as number
}

test('a bookmark that is too old is a reset and a new snapshot, and goes on from there', async () => {
  await db.query('CREATE TABLE bookmarked (id INTEGER PRIMARY KEY, text TEXT)')
  const since = await set('bookmarked', 1, 'one')
  await set('bookmarked', 1, 'changed')
  await forgotten(await set('bookmarked', 2, 'two'))
  const sql = 'SCAN * FROM bookmarked'
  await using subscription = db.subscribe(sql, [], { since })
  assert.deepEqual(await given(subscription.next()), { kind: 'reset' })
  assert.deepEqual(await given(subscription.next()), {
    kind: 'rows',
    rows: [
      { key: [1], row: { id: 1, text: 'changed' } },
      { key: [2], row: { id: 2, text: 'two' } },
    ],
  })
  const end = await given(subscription.next())
  assert.equal(end.kind, 'snapshot')
  assert.ok((subscription.position ?? 0) > since)
  const timestamp = await set('bookmarked', 2, 'again')
  const changes = [{ op: 'update', key: [2], row: { id: 2, text: 'again' } }]
  assert.deepEqual(await given(subscription.next()), { kind: 'commit', timestamp, changes })
})

test('who wants no snapshot gets the error, with the oldest position that there is', async () => {
  await db.query('CREATE TABLE strict (id INTEGER PRIMARY KEY, text TEXT)')
  const since = await set('strict', 1, 'one')
  await forgotten(since)
  const subscription = db.subscribe('SCAN * FROM strict', [], { since, snapshot: false })
  await assert.rejects(subscription.next(), ({ code, fields }: PercoliteError) => {
    assert.deepEqual([code, fields.since], ['resume_too_old', since])
    assert.ok(Number(fields.oldest) > since)
    return true
  })
})

test('a reader that was away for too long restarts after what it was given', async (t) => {
  await db.query('CREATE TABLE slow (id INTEGER PRIMARY KEY, text TEXT)')
  const proxy = await startBreakingProxy(t, url)
  const far = connect({ url: proxy.url })
  t.after(() => far.close())
  await set('slow', 0, 'first')
  const lost = Promise.withResolvers<void>()
  const subscription = far.subscribe<{ id: number }>('SCAN id, text FROM slow', [], {
    snapshot: true,
    onReconnect: () => lost.resolve(),
  })
  // From its snapshot on it is live: however busy the machine, it has not been away for too long so far.
  while ((await given(subscription.next())).kind !== 'snapshot');
  const next = subscription.next()
  // More than waits in the client, which therefore does not come back before somebody reads.
  const long = 'x'.repeat(600_000)
  for (let id = 1; id <= 4; id += 1) await set('slow', id, long)
  await given(next)
  while (proxy.answeredBytes < 3 * long.length) await setTimeout(5)
  await setTimeout(50)
  proxy.breakAll()
  await lost.promise
  await forgotten(await set('slow', 5, 'missed'))
  const kinds: string[] = []
  let ids: number[] = []
  for (;;) {
    const event = await given(subscription.next())
    kinds.push(event.kind)
    if (event.kind === 'rows') ids = [...ids, ...event.rows.map(({ row }) => row.id)]
    if (event.kind === 'snapshot') break
  }
  assert.ok(kinds.includes('reset'), kinds.join())
  assert.deepEqual(ids, [0, 1, 2, 3, 4, 5])
  await subscription.return()
})
