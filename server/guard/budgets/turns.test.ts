// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ALL_LIMITS } from '../../limits.ts'
import { clientKeyOf } from './client-key.ts'
import { TurnQueue, turnTaker } from './turns.ts'

const TURN_MS = ALL_LIMITS.turnMsMax

/** A queue on a clock of its own, and who has gone on; each takes so long when it does. */
function queueOf(takesMs: number | ((name: string) => number)) {
  let nowMs = 0
  const queue = new TurnQueue({ monotonicMs: () => nowMs })
  const woken: string[] = []
  const waits = (name: string, turn: Promise<void>) => {
    void turn.then(async () => {
      await Promise.resolve()
      woken.push(name)
      nowMs += typeof takesMs === 'number' ? takesMs : takesMs(name)
    })
  }
  return {
    queue,
    woken,
    passMs: (ms: number) => {
      nowMs += ms
    },
    others: (...names: string[]) => {
      for (const name of names) waits(name, queue.next(turnTaker()))
    },
    newcomers: (...names: string[]) => {
      for (const name of names) waits(name, queue.first(turnTaker()))
    },
  }
}

test('who takes long is alone in a turn of the event loop, and they go on in their order', async () => {
  const { queue, woken, others } = queueOf(TURN_MS)
  others('a', 'b', 'c')
  assert.equal(queue.isEmpty, false)
  await setImmediate()
  assert.deepEqual(woken, ['a'])
  await setImmediate()
  assert.deepEqual(woken, ['a', 'b'])
  await setImmediate()
  assert.deepEqual(woken, ['a', 'b', 'c'])
  assert.equal(queue.isEmpty, true)
})

test('those who take little go on together, as many as fit into a turn', async () => {
  const { queue, woken, others } = queueOf(TURN_MS / 4)
  others('a', 'b', 'c', 'd', 'e', 'f')
  await setImmediate()
  assert.deepEqual(woken, ['a', 'b', 'c', 'd'])
  await setImmediate()
  assert.deepEqual(woken, ['a', 'b', 'c', 'd', 'e', 'f'])
  assert.equal(queue.isEmpty, true)
})

test('who has not begun comes before those who have, and where they take a whole turn the next begins with these', async () => {
  const { queue, woken, others, newcomers } = queueOf(TURN_MS / 2)
  others('long 1', 'long 2')
  newcomers('a', 'b', 'c', 'd', 'e')
  await setImmediate()
  assert.deepEqual(woken, ['a', 'b', 'c', 'd'])
  await setImmediate()
  assert.deepEqual(woken.slice(4), ['long 1', 'e'])
  await setImmediate()
  assert.deepEqual(woken.slice(6), ['long 2'])
  assert.equal(queue.isEmpty, true)
})

test('who takes very long is alone in a turn, and nobody is woken in the next one', async () => {
  const { queue, woken, others, newcomers } = queueOf(50 * TURN_MS)
  others('long')
  newcomers('a', 'b')
  for (const expected of [['a'], ['a'], ['a', 'long'], ['a', 'long'], ['a', 'long', 'b']]) {
    await setImmediate()
    assert.deepEqual(woken, expected)
  }
  assert.equal(queue.isEmpty, true)
})

test('after one that took very long those who have not begun have up to five turns’ time', async () => {
  const isLong = (name: string) => name.startsWith('long')
  const { queue, woken, others, newcomers } = queueOf((name) => TURN_MS * (isLong(name) ? 50 : 1))
  others('long 1', 'long 2')
  await setImmediate()
  assert.deepEqual(woken, ['long 1'])
  newcomers(...Array.from({ length: 12 }, (_, index) => `short ${index}`))
  while (!queue.isEmpty) await setImmediate()
  assert.equal(woken.indexOf('long 2'), 6)
})

test('who arrives goes on at once until two turns’ time is used up, and again in the next turn', async () => {
  const { queue, passMs, others } = queueOf(0)
  assert.equal(queue.isFree, true)
  passMs(TURN_MS)
  assert.equal(queue.isFree, true)
  passMs(TURN_MS)
  assert.equal(queue.isFree, false)
  await setImmediate()
  assert.equal(queue.isFree, true)
  others('long')
  assert.equal(queue.isFree, false)
  await setImmediate()
  assert.equal(queue.isFree, true)
})

test('after arrivals that took very long nobody is woken in the same turn', async () => {
  const { queue, woken, passMs, newcomers } = queueOf(0)
  assert.equal(queue.isFree, true)
  passMs(50 * TURN_MS)
  assert.equal(queue.isFreeFor(true), false)
  newcomers('a')
  await setImmediate()
  assert.deepEqual(woken, [])
  await setImmediate()
  assert.deepEqual(woken, ['a'])
})

test('who is small arrives for as long as five turns', () => {
  const { queue, passMs } = queueOf(0)
  assert.equal(queue.isFree, true)
  passMs(4 * TURN_MS)
  assert.deepEqual([queue.isFree, queue.isFreeFor(true)], [false, true])
  passMs(TURN_MS)
  assert.equal(queue.isFreeFor(true), false)
})

test('the clients take turns: one statement waits for one of another client, not for all of them', async () => {
  const { queue, woken } = queueOf(0)
  const a = turnTaker(clientKeyOf('127.0.0.2'))
  const b = turnTaker(clientKeyOf('127.0.0.3'))
  for (let count = 0; count < 100; count += 1) void queue.next(a).then(() => woken.push('a'))
  void queue.next(b).then(() => woken.push('b'))
  await setImmediate()
  assert.deepEqual(woken.slice(0, 3), ['a', 'b', 'a'])
})

test('a client whose turn took as long as ten lets another have as many before its next one', async () => {
  let nowMs = 0
  const queue = new TurnQueue({ monotonicMs: () => nowMs })
  const woken: string[] = []
  const wait = (name: string, client: string, takesMs: number, count: number) => {
    for (let index = 0; index < count; index += 1) {
      void queue.next(turnTaker(clientKeyOf(client))).then(() => {
        woken.push(name)
        nowMs += takesMs
      })
    }
  }
  wait('long', '127.0.0.2', 10 * TURN_MS, 3)
  wait('short', '127.0.0.3', TURN_MS, 30)
  while (!queue.isEmpty) await setImmediate()
  const at = woken.flatMap((name, index) => (name === 'long' ? [index] : []))
  assert.deepEqual(at, [0, 11, 22])
})

test('a client in whose turn the process stood still for an hour waits for a hundred turns, and no more', async () => {
  let nowMs = 0
  const queue = new TurnQueue({ monotonicMs: () => nowMs })
  const woken: string[] = []
  const wait = (name: string, client: string, takesMs: number) =>
    void queue.next(turnTaker(clientKeyOf(client))).then(() => {
      woken.push(name)
      nowMs += takesMs
    })
  wait('still', '127.0.0.2', 3_600_000)
  wait('still', '127.0.0.2', TURN_MS)
  for (let index = 0; index < 1_000; index += 1) wait('other', '127.0.0.3', 0)
  while (!queue.isEmpty) await setImmediate()
  // One of the others would have gone before it anyway.
  assert.equal(woken.lastIndexOf('still') - 1, 1 + 100)
})

test('who is refused does not wait', async () => {
  const { queue } = queueOf(0)
  const refused = {
    ...turnTaker(),
    waitsForTurn: () => {
      throw new Error('Too many wait.')
    },
  }
  await assert.rejects(queue.first(refused), /Too many wait/)
  assert.equal(queue.isEmpty, true)
})

test('who is aborted waits no more, and the others keep their order', async () => {
  const { queue, woken, others } = queueOf(TURN_MS)
  others('a')
  let goOn: () => void = () => undefined
  const waits = (listener: () => void) => {
    goOn = listener
  }
  let isOver = false
  void queue.next({ ...turnTaker(), waitsForTurn: waits }).then(() => {
    isOver = true
  })
  others('b')
  goOn()
  await Promise.resolve()
  await Promise.resolve()
  assert.equal(isOver, true)
  goOn()
  await setImmediate()
  await setImmediate()
  assert.deepEqual(woken, ['a', 'b'])
  assert.equal(queue.isEmpty, true)
})
