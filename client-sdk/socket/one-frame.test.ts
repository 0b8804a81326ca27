// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  change,
  comeBackAtOnce,
  given,
  insert,
  startScriptedSocket,
  subscribed,
} from '../../test/client-sdk/scripted-socket.ts'
import { type ConnectOptions, connect, type PercoliteError } from '../client.ts'

// One frame that the server does not read: it closes the socket, and only the call that sent it is wrong.

const SQL = 'SCAN id, n FROM t'

async function startServer(t: TestContext, limits: object = {}) {
  const server = await startScriptedSocket(t, limits as Record<string, unknown>)
  const db = connect({ url: server.url } as ConnectOptions)
  t.after(() => db.close())
  return { server, db }
}

test('what is longer or deeper than the server reads is an error of its call, and is not sent', async (t) => {
  const { server, db } = await startServer(t, { bodyBytesMax: 1_000, bodyNestingMax: 20 })
  const standing = db.subscribe(SQL)
  const first = standing.next()
  const connection = await server.connection()
  const { id } = await connection.next()
  connection.send(subscribed(id, 5))
  // As UTF-8 it is longer than it looks.
  const long = db.subscribe(SQL, { text: 'ä'.repeat(480) }).next()
  await assert.rejects(long, ({ code, fields, retryable }: PercoliteError) => {
    assert.deepEqual([code, retryable], ['limit_exceeded', false])
    assert.deepEqual([fields.limit, fields.limitValue], ['bodyBytesMax', 1_000])
    assert.ok(Number(fields.actual) > 1_000)
    return true
  })
  let deep: unknown = '[{'
  for (let depth = 0; depth < 25; depth += 1) deep = [deep]
  await assert.rejects(db.live(SQL, { deep }).next(), {
    code: 'limit_exceeded',
    fields: { limit: 'bodyNestingMax', limitValue: 20, actual: 27 },
  })
  await assert.rejects(db.observe('o'.repeat(1_000), () => undefined).done, {
    code: 'limit_exceeded',
  })
  // The socket and what stands on it are as before.
  connection.send(change(id, 6, [insert('a', 1)]))
  assert.equal((await given(first)).kind, 'commit')
  assert.equal(server.connectionCount, 1)
  // Short enough as UTF-8, though it may take three bytes for each of its characters.
  const fits = db.subscribe(SQL, { text: 'x'.repeat(600) }).next()
  fits.catch(() => undefined)
  assert.equal((await connection.next()).params.text.length, 600)
})

for (const [closeCode, code] of [
  [1009, 'limit_exceeded'],
  [1007, 'invalid_request'],
  [4400, 'invalid_request'],
] as const) {
  test(`a frame that the server closes the socket for (${closeCode}) ends its own call only`, async (t) => {
    comeBackAtOnce(t)
    const { server, db } = await startServer(t)
    const standing = db.subscribe(SQL)
    const first = standing.next()
    const one = await server.connection()
    const { id } = await one.next()
    one.send(subscribed(id, 5), change(id, 6, [insert('a', 1)]))
    await given(first)
    const second = standing.next()
    const offending = db.subscribe(SQL, { offending: true }).next()
    // Looked at only below, and rejected before.
    offending.catch(() => undefined)
    await one.next()
    one.close(closeCode, 'so it is')
    // Each comes back on a connection of its own: the one that was heard from goes on where it was.
    for (let connections = 0; connections < 2; connections += 1) {
      const connection = await server.connection()
      const asked = await connection.next()
      if (asked.params !== undefined) {
        connection.close(closeCode, 'so it is')
      } else {
        assert.equal(asked.since, 6)
        connection.send(subscribed(asked.id, 6), change(asked.id, 7, [insert('b', 2)]))
      }
    }
    await assert.rejects(offending, { code, fields: { closeCode } })
    const event = await given(second)
    assert.deepEqual(event.kind === 'commit' && event.timestamp, 7)
    assert.equal(server.connectionCount, 3)
  })

  test(`a subscription that was only waiting when the socket was closed (${closeCode}) goes on`, async (t) => {
    comeBackAtOnce(t)
    const { server, db } = await startServer(t)
    const first = db.subscribe(SQL).next()
    const one = await server.connection()
    await one.next()
    one.close(closeCode, 'of somebody else')
    const own = await server.connection()
    const { id } = await own.next()
    own.send(subscribed(id, 5), change(id, 6, [insert('a', 1)]))
    assert.equal((await given(first)).kind, 'commit')
    // Nobody else is put beside it, and where it goes next it is one among others.
    const other = db.subscribe(SQL, { other: true }).next()
    other.catch(() => undefined)
    const shared = await server.connection()
    assert.deepEqual((await shared.next()).params, { other: true })
  })
}
