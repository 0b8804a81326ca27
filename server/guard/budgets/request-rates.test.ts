// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ManualClock } from '../../../test/manual-clock.ts'
import { clientKeyOf } from './client-key.ts'
import { RequestRates } from './request-rates.ts'

const A = clientKeyOf('127.0.0.2')
const B = clientKeyOf('127.0.0.3')

/** How many of so many requests of a client are let in. */
function letIn(rates: RequestRates, count: number, client = A): number {
  const all = Array.from({ length: count }, () => rates.refusal(() => client))
  return all.filter((refusal) => refusal === undefined).length
}

/** The client of this number, of another network each. */
function other(number: number) {
  return clientKeyOf(`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`)
}

test('a client sends what two seconds allow in one go, and then one after the other', async () => {
  const clock = new ManualClock()
  for (const perSecond of [1, 3, 7, 10, 1_000, 9_999]) {
    const rates = new RequestRates(clock, perSecond)
    assert.equal(letIn(rates, 3 * perSecond), 2 * perSecond)
    assert.equal(letIn(rates, 1, B), 1, 'another client has a rate of its own')
    await clock.advance(1_000)
    assert.equal(letIn(rates, 3 * perSecond), perSecond)
    await clock.advance(60_000)
    assert.equal(letIn(rates, 3 * perSecond), 2 * perSecond)
  }
  const { code, fields } = new RequestRates(clock, 0.1).refusal(() => A) ?? {}
  assert.deepEqual([code, fields], ['rate_limited', { limit: 'rate', limitValue: 0.1 }])
})

test('without a rate nobody is asked for, and nothing is kept', () => {
  const rates = new RequestRates(new ManualClock())
  assert.equal(rates.refusal(assert.fail), undefined)
  assert.equal(rates.size, 0)
})

test('in any second no more is let in than the rate and what was saved up', async () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(pauses, fc.integer({ min: 1, max: 5 }), async (waits, perSecond) => {
      const clock = new ManualClock()
      const rates = new RequestRates(clock, perSecond)
      const times: number[] = []
      for (const ms of waits) {
        await clock.advance(ms)
        if (letIn(rates, 1) === 1) times.push(clock.monotonicMs())
      }
      for (const [at, from] of times.entries()) {
        for (const [more, to] of times.slice(at).entries()) {
          const most = perSecond * (2 + (to - from) / 1_000)
          assert.ok(more + 1 <= most + 1e-6, `${more + 1} in ${to - from} ms`)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('many other clients do not make one forgotten that is ahead', () => {
  const rates = new RequestRates(new ManualClock(), 10)
  assert.equal(letIn(rates, 25), 20)
  for (let number = 0; number < 50_000; number += 1) {
    assert.equal(letIn(rates, 1, other(number)), 1)
    assert.ok(rates.size <= 10_000)
  }
  assert.equal(letIn(rates, 1), 0)
})

test('clients that are not ahead any more are dropped', async () => {
  const clock = new ManualClock()
  const rates = new RequestRates(clock, 10)
  for (let round = 0; round < 20; round += 1) {
    for (let number = 0; number < 200; number += 1) {
      letIn(rates, 1, other(200 * round + number))
    }
    await clock.advance(5_000)
  }
  assert.ok(rates.size <= 512, `${rates.size} clients`)
})
