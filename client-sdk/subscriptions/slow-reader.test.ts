// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { change, given, insert, subscribed } from '../../test/client-sdk/scripted-socket.ts'
import { again, start } from '../../test/client-sdk/scripted-subscription.ts'

test('what a slow reader has not taken is bounded: the server pauses, and goes on when it was read', async (t) => {
  const { subscription, first, connection, asked } = await start(t)
  const { id } = asked
  const long = 'x'.repeat(100_000)
  const commits = Array.from({ length: 20 }, (_, n) => change(id, 10 + n, [insert(long, n)]))
  connection.send(subscribed(id, 5), ...commits.slice(0, 12))
  assert.deepEqual(await connection.next(), { type: 'pause', id })
  // A part of what is on its way comes all the same.
  connection.send(...commits.slice(12, 14))
  const got = [await given(first)]
  while (got.length < 14) got.push(await given(subscription.next()))
  assert.deepEqual(await connection.next(), { type: 'resume', id })
  connection.send(...commits.slice(14))
  while (got.length < 20) got.push(await given(subscription.next()))
  assert.deepEqual(
    got.map((event) => event.kind === 'commit' && event.timestamp),
    commits.map(({ commitTimestamp }) => commitTimestamp),
  )
})

test('a reader that is slow while the connection is lost comes back when it has read', async (t) => {
  const lost = Promise.withResolvers<void>()
  const onReconnect = () => lost.resolve()
  const { server, subscription, first, connection, asked } = await start(t, { onReconnect })
  const long = 'x'.repeat(1_100_000)
  connection.send(subscribed(asked.id, 5), change(asked.id, 6, [insert('a', 1)]))
  connection.send(change(asked.id, 7, [insert(long, 2)]))
  assert.equal((await connection.next()).type, 'pause')
  connection.drop()
  await lost.promise
  let hasComeBack = false
  const coming = again(server).then((come) => {
    hasComeBack = true
    return come
  })
  // The first attempt comes within 100 ms.
  await setTimeout(200)
  assert.equal(hasComeBack, false)
  await given(first)
  await given(subscription.next())
  const second = await coming
  assert.equal(second.asked.since, 7)
})
