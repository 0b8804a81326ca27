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
  wireRow,
} from '../../test/client-sdk/scripted-socket.ts'
import { connect } from '../client.ts'

type Numbered = { readonly id: string; readonly n: number }

/** Live rows whose snapshot, at 10, has come. */
async function start(t: TestContext, rows: readonly unknown[]) {
  const server = await startScriptedSocket(t)
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const live = db.live<Numbered>('SCAN * FROM t')
  const first = live.next()
  const connection = await server.connection()
  const { id, snapshot } = await connection.next()
  assert.equal(snapshot, true)
  connection.send(subscribed(id, 10), { type: 'rows', id, rows })
  connection.send({ type: 'snapshotEnd', id, timestamp: 10 })
  return { server, db, live, first, connection, id }
}

const idsOf = (rows: readonly Numbered[]) => rows.map(({ id }) => id).join('')

test('the array is whole each time, and each operation of a commit is applied to it', async (t) => {
  const { live, first, connection, id } = await start(t, [wireRow('b', 1), wireRow('d', 1)])
  const before = await given(first)
  assert.deepEqual(
    [before, live.timestamp],
    [
      [
        { id: 'b', n: 1 },
        { id: 'd', n: 1 },
      ],
      10,
    ],
  )
  const changes = [
    insert('a', 1),
    { op: 'enter', ...wireRow('c', 1) },
    { op: 'update', ...wireRow('d', 2) },
  ]
  connection.send(change(id, 11, changes))
  const after = await given(live.next())
  assert.equal(idsOf(after), 'abcd')
  assert.equal(after[3]?.n, 2)
  assert.equal(after[1], before[0], 'a row that did not change is the same object')
  assert.equal(idsOf(before), 'bd', 'an array that was given does not change')
  connection.send(
    change(id, 12, [
      { op: 'delete', key: ['a'] },
      { op: 'leave', key: ['d'] },
    ]),
  )
  assert.equal(idsOf(await given(live.next())), 'bc')
  assert.equal(live.timestamp, 12)
})

test('a table without rows is an empty array at once', async (t) => {
  const { first } = await start(t, [])
  assert.deepEqual(await given(first), [])
})

test('a slow reader gets the newest array, and none of those between', async (t) => {
  const { db, live, first, connection, id } = await start(t, [])
  await given(first)
  const behind = db.subscribe('SCAN * FROM t')
  const told = behind.next()
  const { id: other } = await connection.next()
  const commits = Array.from({ length: 100 }, (_, n) => change(id, 11 + n, [insert(`${n}`, n)]))
  connection.send(...commits, subscribed(other, 10), change(other, 11, [insert('a', 1)]))
  await told
  assert.equal((await given(live.next())).length, 100)
  assert.equal(live.timestamp, 110)
})

test('rows stand in the order of their key, whatever order they come in', async (t) => {
  const server = await startScriptedSocket(t)
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const live = db.live<{ k: unknown }>('SCAN k FROM t')
  const first = live.next()
  const connection = await server.connection()
  const { id } = await connection.next()
  const key = [
    { name: 'a', type: 'TEXT', descending: true },
    { name: 'b', type: 'BYTES' },
    { name: 'c', type: 'BOOLEAN' },
    { name: 'd', type: 'INTEGER' },
  ]
  const columns = [{ name: 'k', type: 'TEXT' }]
  // U+FF61 is one unit and stands before the pair of U+1F600, whose units are smaller.
  const ordered = [
    ['\u{1f600}', '', false, 1],
    ['\uff61', '', false, 1],
    ['b', '', false, 1],
    ['a', 'AAA=', false, 9],
    ['a', 'AAA=', true, 2],
    ['a', 'AAA=', true, 10],
    ['a', 'AP8=', false, 0],
    ['a', 'gA==', false, 0],
    ['', '', false, 1],
  ].map((values, position) => ({ key: values, row: { k: String(position) } }))
  const shuffled = [4, 0, 8, 2, 6, 1, 7, 3, 5].map((position) => ordered[position])
  connection.send({ type: 'subscribed', id, timestamp: 10, columns, key })
  connection.send({ type: 'rows', id, rows: shuffled.slice(0, 5) })
  connection.send({ type: 'snapshotEnd', id, timestamp: 10 })
  await given(first)
  const rest = shuffled.slice(5).map((row) => ({ op: 'insert', ...row }))
  connection.send(change(id, 11, rest))
  const rows = await given(live.next())
  assert.equal(rows.map(({ k }) => k).join(''), '012345678')
})

test('while a new snapshot comes in, the rows from before it stand', async (t) => {
  comeBackAtOnce(t)
  const { server, live, first, connection, id } = await start(t, [wireRow('a', 1)])
  await given(first)
  connection.send({
    type: 'error',
    id,
    code: 'resume_too_old',
    status: 410,
    title: 'Gone',
    detail: 'Too old.',
    retryable: false,
  })
  assert.equal((await connection.next()).type, 'unsubscribe')
  const next = live.next()
  const again = await connection.next()
  assert.equal(again.snapshot, true)
  connection.send(subscribed(again.id, 20), { type: 'rows', id: again.id, rows: [wireRow('x', 1)] })
  connection.drop()
  const second = await server.connection()
  const third = await second.next()
  assert.equal(third.snapshot, true)
  second.send(subscribed(third.id, 30), { type: 'rows', id: third.id, rows: [wireRow('y', 1)] })
  second.send({ type: 'snapshotEnd', id: third.id, timestamp: 30 })
  assert.deepEqual([idsOf(await given(next)), live.timestamp], ['y', 30])
})
