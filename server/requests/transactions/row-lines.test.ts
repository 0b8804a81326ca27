// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { RowLines } from './row-lines.ts'

const WAIT = { msMax: 2_000 }

test('who is first keeps those of the same rows waiting, and nobody else', async () => {
  const lines = new RowLines(new ManualClock())
  const first = await lines.first(new Set([1, 2]), WAIT)
  let went = ''
  const second = lines.first(new Set([2, 3]), WAIT).then((ticket) => {
    went += 'second '
    return ticket
  })
  const third = lines.first(new Set([1, 3]), WAIT).then(() => {
    went += 'third'
  })
  await lines.first(new Set([4]), WAIT)
  assert.equal(went, '')
  first?.leave()
  const ticket = await second
  assert.equal(went, 'second ')
  ticket?.leave()
  await third
  assert.equal(went, 'second third')
})

test('who is first for 50 ms lets the next one go on', async () => {
  const clock = new ManualClock()
  const lines = new RowLines(clock)
  await lines.first(new Set([1]), WAIT)
  const second = lines.first(new Set([1]), WAIT)
  await clock.advance(49)
  assert.equal(clock.sleeping, 2)
  await clock.advance(1)
  assert.ok((await second)?.left.aborted === false)
})

test('who waits longer than it may, or gives up, leaves the line', async () => {
  const clock = new ManualClock()
  const lines = new RowLines(clock)
  const first = await lines.first(new Set([1]), WAIT)
  const late = lines.first(new Set([1]), { msMax: 10 })
  const client = new AbortController()
  const given = lines.first(new Set([1]), { ...WAIT, signal: client.signal })
  client.abort(new Error('gone'))
  await assert.rejects(given, /gone/)
  await clock.advance(10)
  assert.equal(await late, undefined)
  first?.leave()
  await clock.advance(0)
  assert.deepEqual([lines.size, clock.sleeping], [0, 0])
})

test('whatever rows they wait for, and whoever gives up, all come to an end and no line is left', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  const clock = new ManualClock()
  const lines = new RowLines(clock)
  const working = new Set<ReadonlySet<number>>()
  const overlaps = (rows: ReadonlySet<number>) =>
    [...working].some((others) => !others.isDisjointFrom(rows))
  const request = async () => {
    await clock.sleep(random.below(200))
    const rows = new Set(Array.from({ length: 1 + random.below(4) }, () => random.below(6)))
    const client = new AbortController()
    if (random.below(5) === 0) {
      void clock.sleep(random.below(100)).then(() => client.abort(new Error('gone')))
    }
    const waited = lines.first(rows, { msMax: random.below(400), signal: client.signal })
    const ticket = await waited.catch(() => undefined)
    if (ticket === undefined) return
    assert.ok(!overlaps(rows), 'two that share a row are first')
    working.add(rows)
    await clock.sleep(random.below(49))
    working.delete(rows)
    ticket.leave()
  }
  const all = Promise.all(Array.from({ length: 300 }, request))
  await clock.advance(2_000)
  await all
  assert.deepEqual([lines.size, clock.sleeping], [0, 0])
})
