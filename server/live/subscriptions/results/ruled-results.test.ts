// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { openSocket, type SocketClient } from '../../../../test/server/socket-client.ts'
import { TokenServer } from '../../../../test/server/token-server.ts'

/** `todo` has a rule by its owner; the newest two of ann and of bob are subscribed to by the same text. */
async function ruledScene(t: TestContext) {
  const tokens = await TokenServer.start(t)
  const admin = tokens.as(tokens.token)
  const run = (sql: string) => admin.run(sql)
  await run('CREATE TABLE todo (id INTEGER PRIMARY KEY, owner TEXT, n INTEGER)')
  await run('CREATE ROLE member')
  await run('GRANT READ ON todo TO member WHERE owner = token.sub')
  await run(
    "INSERT INTO todo (id, owner, n) VALUES (1, 'ann', 1), (2, 'bob', 2), (3, 'ann', 3), (4, 'ann', 4)",
  )
  const { port } = await tokens.server.listen()
  const client = async (name: string) => {
    const made = await tokens.made(`CREATE TOKEN ${name} ROLE member EXPIRES IN 1 DAY`)
    const of = tokens.as(made)
    return { of, socket: await openSocket(t, port, { headers: of.headers }) }
  }
  return { run, ann: await client('ann'), bob: await client('bob') }
}

const NEWEST = 'SCAN id FROM todo ORDER BY id DESC LIMIT 2'

type Told = { readonly rows: readonly unknown[]; readonly since: object }

async function first(socket: SocketClient, more: object = {}): Promise<Told> {
  socket.send({ type: 'subscribe', id: 's', sql: NEWEST, ...more })
  const { type, history, reset } = await socket.about('s')
  assert.equal(type, 'subscribed')
  if ('since' in more) assert.equal(reset, true)
  const { rows } = await socket.next((frame) => frame.type === 'rows')
  const { timestamp, digest } = await socket.next((frame) => frame.type === 'snapshotEnd')
  return { rows, since: { since: timestamp, digest, history } }
}

async function patched(socket: SocketClient): Promise<unknown> {
  return (await socket.next((frame) => frame.type === 'patch')).splice
}

describe('a live result of a role with a rule', () => {
  test('has the rows of its token, and none of another is told', async (t) => {
    const { run, ann, bob } = await ruledScene(t)
    assert.deepEqual((await first(ann.socket)).rows, [{ id: 4 }, { id: 3 }])
    assert.deepEqual((await first(bob.socket)).rows, [{ id: 2 }])
    await run("INSERT INTO todo (id, owner, n) VALUES (9, 'bob', 9)")
    assert.deepEqual(await patched(bob.socket), [[0, 0, [{ id: 9 }]]])
    await run("SET owner = 'ann' ON todo WHERE id = 9")
    assert.deepEqual(await patched(bob.socket), [[0, 1, []]])
    assert.deepEqual(await patched(ann.socket), [
      [0, 0, [{ id: 9 }]],
      [2, 1, []],
    ])
  })

  test('follows its rule, and ends with the right to it', async (t) => {
    const { run, ann } = await ruledScene(t)
    await first(ann.socket)
    await run('CREATE TABLE other (id INTEGER PRIMARY KEY)')
    await run('GRANT READ ON other TO member')
    await run('REVOKE READ ON todo FROM member')
    const last = await ann.socket.next(({ type }) => type === 'error')
    assert.equal(last.code, 'unknown_table', 'it is not to be known any more')
    await run('GRANT READ ON todo TO member WHERE n = 2')
    assert.deepEqual((await first(ann.socket)).rows, [{ id: 2 }])
    await run('GRANT READ ON todo TO member WHERE n > 3')
    assert.deepEqual(await patched(ann.socket), [[0, 0, [{ id: 4 }]]])
  })

  test('is not gone on with by the bookmark of another token', async (t) => {
    const { ann, bob } = await ruledScene(t)
    const { since } = await first(ann.socket)
    assert.deepEqual((await first(bob.socket, since)).rows, [{ id: 2 }])
  })

  test('is gone on with under the rule of now, from what was seen under it', async (t) => {
    const { run, ann } = await ruledScene(t)
    await run('CREATE TABLE other (id INTEGER PRIMARY KEY)')
    await run('GRANT READ ON other TO member')
    const { since } = await first(ann.socket)
    ann.socket.send({ type: 'unsubscribe', id: 's' })
    assert.equal((await ann.socket.about('s')).type, 'unsubscribed')
    await run('DELETE FROM todo WHERE id = 3')
    ann.socket.send({ type: 'subscribe', id: 's', sql: NEWEST, ...since })
    assert.equal((await ann.socket.about('s')).reset, undefined)
    assert.deepEqual(await patched(ann.socket), [[1, 1, [{ id: 1 }]]])
    ann.socket.send({ type: 'unsubscribe', id: 's' })
    await run('GRANT READ ON todo TO member WHERE n = 2')
    await run('REVOKE READ ON todo FROM member')
    await run('GRANT READ ON todo TO member WHERE n < 4')
    await ann.socket.next(({ type }) => type === 'unsubscribed')
    assert.deepEqual((await first(ann.socket, since)).rows, [{ id: 2 }, { id: 1 }])
  })
})
