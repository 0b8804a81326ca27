// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  COLUMNS,
  comeBackAtOnce,
  type Frame,
  given,
  listed,
  patch,
  type ScriptedConnection,
  snapshotEnd,
  startScriptedSocket,
} from '../../test/client-sdk/scripted-socket.ts'
import { again } from '../../test/client-sdk/scripted-subscription.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { connect } from '../client.ts'

// Live rows that are the list of a result.

type Numbered = { readonly id: string; readonly n: number }

const row = (id: string, n = 1) => ({ id, n })
const idsOf = (rows: readonly Numbered[]) => rows.map(({ id }) => id).join('')

function tell(connection: ScriptedConnection, id: string, at: number, ids: string, more = {}) {
  const rows = [...ids].map((each) => row(each))
  connection.send(listed(id, at, more), { type: 'rows', id, rows }, snapshotEnd(id, at, ids))
}

/** Live rows whose list, as of 10, has come. */
async function start(t: TestContext, ids: string) {
  comeBackAtOnce(t)
  const server = await startScriptedSocket(t)
  const db = connect({ url: server.url })
  t.after(() => db.close())
  const live = db.live<Numbered>('SCAN id, n FROM t ORDER BY n LIMIT 9')
  const first = live.next()
  const connection = await server.connection()
  const { id } = await connection.next()
  tell(connection, id, 10, ids)
  return { server, live, first, connection, id }
}

test('the array is the list in its order, and whole again after each patch, whose splices follow each other', async (t) => {
  const { live, first, connection, id } = await start(t, 'cab')
  const before = await given(first)
  assert.deepEqual([idsOf(before), live.timestamp], ['cab', 10])
  // To the first one's list the second would put z before a, and not before b.
  const splice = [
    [0, 1, []],
    [1, 0, [row('z')]],
    [3, 0, [row('y')]],
  ]
  connection.send(patch(id, 12, splice, 'azby'))
  const after = await given(live.next())
  assert.deepEqual([idsOf(after), live.timestamp], ['azby', 12])
  assert.equal(after[0], before[1], 'a row that did not change is the same object')
  assert.equal(after[2], before[2])
  assert.equal(idsOf(before), 'cab', 'an array that was given does not change')
})

test('a result without rows is an empty array at once, and rows come into it', async (t) => {
  const { live, first, connection, id } = await start(t, '')
  assert.deepEqual(await given(first), [])
  connection.send(patch(id, 11, [[0, 0, [row('a')]]], 'a'))
  assert.equal(idsOf(await given(live.next())), 'a')
})

test('a patch of several frames counts with its last one, and not before', async (t) => {
  const { live, first, connection, id } = await start(t, 'abc')
  await given(first)
  const next = live.next()
  connection.send(patch(id, 12, [[0, 3, []]], undefined))
  connection.send(patch(id, 12, [[0, 0, [row('x')]]], undefined))
  await setImmediate()
  assert.equal(live.isWaiting, false)
  connection.send(patch(id, 12, [[1, 0, [row('y')]]], 'xy'))
  assert.equal(idsOf(await given(next)), 'xy')
})

test('a patch that was cut in two is not applied, and the one to now is of the list before it', async (t) => {
  const { server, live, first, connection, id } = await start(t, 'abc')
  const before = await given(first)
  const next = live.next()
  connection.send(patch(id, 12, [[0, 3, []]], undefined))
  await setImmediate()
  connection.drop()
  const second = await again(server)
  assert.deepEqual([second.asked.since, second.asked.digest], [10, 'abc'])
  assert.equal(live.isCaughtUp, false)
  const { id: other } = second.asked
  second.connection.send(listed(other, 10), patch(other, 14, [[1, 1, []]], 'ac'))
  const after = await given(next)
  assert.deepEqual([idsOf(after), live.timestamp, live.isCaughtUp], ['ac', 14, true])
  assert.equal(after[0], before[0], 'over the connections, too')
})

test('a list that has not changed while it was away gives no array, and is caught up', async (t) => {
  const { server, live, first, connection } = await start(t, 'ab')
  await given(first)
  const next = live.next()
  connection.drop()
  const { connection: second, asked } = await again(server)
  second.send(listed(asked.id, 10), { type: 'progress', id: asked.id, timestamp: 20 })
  while (!live.isCaughtUp) await setImmediate()
  assert.deepEqual([live.isWaiting, live.timestamp], [false, 10])
  second.drop()
  const third = await again(server)
  assert.deepEqual([third.asked.since, third.asked.digest], [20, 'ab'])
  third.connection.send(listed(third.asked.id, 20))
  third.connection.send(patch(third.asked.id, 30, [[0, 2, []]], ''))
  assert.deepEqual(await given(next), [])
})

test('behind a reset the list before it stands until the new one is complete, over further losses', async (t) => {
  const { server, live, first, connection } = await start(t, 'ab')
  await given(first)
  const next = live.next()
  connection.drop()
  const second = await again(server)
  second.connection.send(listed(second.asked.id, 30, { reset: true }))
  second.connection.send({ type: 'rows', id: second.asked.id, rows: [row('x')] })
  await setImmediate()
  second.connection.drop()
  const third = await again(server)
  assert.deepEqual([third.asked.since, third.asked.snapshot], [undefined, true])
  assert.equal(live.isWaiting, false)
  tell(third.connection, third.asked.id, 40, 'yz')
  assert.deepEqual([idsOf(await given(next)), live.timestamp], ['yz', 40])
})

test('other columns come by a patch of all rows, without a new snapshot', async (t) => {
  const { live, first, connection, id } = await start(t, 'a')
  await given(first)
  const columns = [...COLUMNS, { name: 'm', type: 'INTEGER' }]
  connection.send({ type: 'columns', id, columns, shape: 'other' })
  connection.send(patch(id, 12, [[0, 1, [{ ...row('a'), m: 7 }]]], 'am'))
  assert.deepEqual(await given(live.next()), [{ id: 'a', n: 1, m: 7 }])
})

test('a patch of another list than the one that is here ends it, and is not shown', async (t) => {
  const { live, first, connection, id } = await start(t, 'ab')
  await given(first)
  connection.send(patch(id, 12, [[1, 2, [row('x')]]], 'ax'))
  await assert.rejects(live.next(), { code: 'invalid_answer' })
})

test('random lists, patches in several frames, and connections that break anywhere: each array is a list', async (t) => {
  const seed = Math.floor(performance.timeOrigin)
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  const { server, live, first, connection, id } = await start(t, 'abcdef')
  const letters = [...'abcdefghijklmnop']
  let current = { connection, id }
  let list = [...'abcdef']
  let timestamp = 10
  const history = new Map([[timestamp, list.join('')]])
  await given(first)
  /** From one list to another, by splices that are more than there need be. */
  const spliced = (from: readonly string[], to: readonly string[]): Frame[] => {
    const at = from.findIndex((each, position) => each !== to[position])
    const kept = at < 0 ? Math.min(from.length, to.length) : at
    const rest = to.slice(kept).map((each) => [each])
    return [
      [kept, from.length - kept, []],
      ...rest.map(([each], index) => [kept + index, 0, [row(each as string)]]),
    ]
  }
  const send = (from: readonly string[], isCut: boolean) => {
    const parts = spliced(from, list)
    const digest = list.join('')
    const middle = random.below(parts.length + 1)
    current.connection.send(patch(current.id, timestamp, parts.slice(0, middle), undefined))
    if (isCut) return
    current.connection.send(patch(current.id, timestamp, parts.slice(middle), digest))
  }
  for (let step = 0; step < 200; step += 1) {
    const before = list
    list = letters.filter(() => random.fraction() < 0.4)
    if (random.below(2) === 0) list.reverse()
    timestamp += 1
    history.set(timestamp, list.join(''))
    const isCut = random.below(5) === 0
    const next = live.next()
    send(before, isCut)
    if (isCut) {
      current.connection.drop()
      const { connection: other, asked } = await again(server)
      current = { connection: other, id: asked.id }
      assert.equal(asked.digest, history.get(asked.since), `step ${step}`)
      if (random.below(3) === 0) tell(other, asked.id, timestamp, list.join(''), { reset: true })
      else {
        other.send(listed(asked.id, asked.since))
        send([...(asked.digest as string)], false)
      }
    }
    assert.equal(idsOf(await given(next)), history.get(live.timestamp as number), `step ${step}`)
    assert.equal(live.timestamp, timestamp)
  }
})
