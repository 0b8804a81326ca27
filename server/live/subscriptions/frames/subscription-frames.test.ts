// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { SERVER_ITSELF } from '../../../guard/budgets/client-key.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import { CommitQueue } from '../commit-queue.ts'
import { Permits } from '../permits.ts'
import { ListFrames } from './list-frames.ts'
import { SubscriptionFrame } from './subscription-frame.ts'

test('a frame has the id of each subscriber, and shares what is behind it', () => {
  const long = new SubscriptionFrame('change', `,"text":"${'x'.repeat(100_000)}"}`)
  const [, rest] = long.parts('a')
  assert.equal(rest, long.parts('b')[1])
  assert.equal(
    JSON.parse(Buffer.concat(long.parts('a "quoted" id')).toString()).id,
    'a "quoted" id',
  )
  const short = SubscriptionFrame.of('progress', { timestamp: 7 })
  assert.equal(short.parts('a')[0], short.parts('a')[0], 'made once')
  assert.deepEqual(JSON.parse(String(short.parts('b')[0])), {
    type: 'progress',
    id: 'b',
    timestamp: 7,
  })
  assert.deepEqual(JSON.parse(String(short.parts()[0])), { type: 'progress', timestamp: 7 })
  assert.equal(
    String(SubscriptionFrame.of('unsubscribed', {}).parts('1')[0]),
    '{"type":"unsubscribed","id":"1"}',
  )
})

test('a list is cut where it is too long, and every item is in one frame', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 700_000 }), { maxLength: 12 })
  fc.assert(
    fc.property(sizes, (lengths) => {
      const list = new ListFrames((items, isLast) =>
        SubscriptionFrame.of('list', { items, isLast }),
      )
      const items = lengths.map((length, place) => `"${place}${'x'.repeat(length)}"`)
      const read: string[] = []
      const take = (frame: SubscriptionFrame | undefined, isLast: boolean) => {
        if (frame === undefined) return
        const json = JSON.parse(Buffer.concat(frame.parts()).toString())
        const taken = JSON.parse(`[${json.items}]`)
        assert.equal(json.isLast, isLast)
        assert.ok(taken.length === 1 || json.items.length <= SERVER_LIMITS.sentFrameBytesMax)
        read.push(...taken)
      }
      for (const [place, item] of items.entries()) {
        const full = list.add(item, place)
        if (full !== undefined) assert.equal(full.next, place)
        take(full?.frame, false)
      }
      take(list.end(), true)
      assert.deepEqual(
        read,
        items.map((item) => JSON.parse(item)),
      )
    }),
    { numRuns: 50 },
  )
})

test('a queue hands out what it was given in its order, and is full by rows', () => {
  const queue = new CommitQueue(10)
  const commitOf = (commitTs: number, count: number) => {
    const row = { key: Uint8Array.of(1), columns: ['0'], isDelete: false }
    return { kind: 'commit', commit: { commitTs, rows: new Array(count).fill(row) } } as const
  }
  queue.add(commitOf(1, 9))
  queue.add({ kind: 'progress', timestamp: 2 })
  assert.equal(queue.isFull, false)
  queue.add(commitOf(3, 9))
  assert.equal(queue.isFull, true)
  const kinds = [queue.take(), queue.take(), queue.take()].map((event) => event?.kind)
  assert.deepEqual(kinds, ['commit', 'progress', 'commit'])
  assert.deepEqual([queue.isFull, queue.isEmpty, queue.take()], [false, true, undefined])
  for (let n = 0; n < 5_000; n += 1) queue.add({ kind: 'progress', timestamp: n })
  for (let n = 0; n < 5_000; n += 1)
    assert.deepEqual(queue.take(), { kind: 'progress', timestamp: n })
})

test('so many pieces of work run at a time, the others in their order, whether they fail or not', async () => {
  const permits = new Permits(2)
  const done: number[] = []
  let running = 0
  const works = Array.from({ length: 6 }, (_, n) =>
    permits.run(SERVER_ITSELF, async () => {
      running += 1
      assert.ok(running <= 2)
      await Promise.resolve()
      running -= 1
      done.push(n)
      if (n === 1) throw new Error('One fails.')
    }),
  )
  const failed = (await Promise.allSettled(works)).filter(({ status }) => status === 'rejected')
  assert.equal(failed.length, 1)
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5])
})
