// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PRICE_MAX, PRICE_MIN, PriceCurve } from './price-curve.ts'

const PERIOD_MS = 900_000
const curve = new PriceCurve({ pricePeriodMs: PERIOD_MS })
const security = fc.nat(5_000)
const moment = fc.nat(10 * PERIOD_MS)
const price = fc.integer({ min: PRICE_MIN, max: PRICE_MAX })

test('the first security goes from 20.00 up to 30.00 and down again in a period', () => {
  const prices = [0, 225_000, 450_000, 675_000, 900_000].map((ms) => curve.priceAt(0, ms))
  assert.deepEqual(prices, [2_000, 2_500, 3_000, 2_500, 2_000])
})

test('a price stays within its bounds and repeats after a period', () => {
  fc.assert(
    fc.property(security, moment, (number, ms) => {
      const now = curve.priceAt(number, ms)
      assert.ok(now >= PRICE_MIN && now <= PRICE_MAX && Number.isInteger(now))
      assert.ok(Math.abs(curve.priceAt(number, ms + PERIOD_MS) - now) <= 1)
    }),
  )
})

test('the first moment at which a price is reached is reached then and not a millisecond before', () => {
  fc.assert(
    fc.property(security, moment, price, (number, ms, limit) => {
      const low = curve.firstAtMost(number, limit, ms) as number
      const high = curve.firstAtLeast(number, limit, ms) as number
      for (const found of [low, high]) assert.ok(found >= ms && found <= ms + PERIOD_MS + 1)
      assert.ok(curve.priceAt(number, low) <= limit)
      assert.ok(curve.priceAt(number, high) >= limit)
      if (low > ms) assert.ok(curve.priceAt(number, low - 1) > limit)
      if (high > ms) assert.ok(curve.priceAt(number, high - 1) < limit)
    }),
  )
})

test('a price outside of the curve is never reached, or is reached at once', () => {
  assert.equal(curve.firstAtMost(1, PRICE_MIN - 1, 0), undefined)
  assert.equal(curve.firstAtLeast(1, PRICE_MAX + 1, 0), undefined)
  assert.equal(curve.firstAtMost(1, PRICE_MAX, 17), 17)
  assert.equal(curve.firstAtLeast(1, PRICE_MIN, 17), 17)
})

test('half of all limits are reached at once, the others after a third of a period on average', () => {
  const waits: number[] = []
  for (let draw = 0; draw < 20_000; draw += 1) {
    const limit = PRICE_MIN + ((draw * 7_919) % 1_001)
    const ms = (draw * 104_729) % PERIOD_MS
    waits.push((curve.firstAtMost(draw % 685, limit, ms) as number) - ms)
  }
  const later = waits.filter((wait) => wait > 0)
  const mean = later.reduce((sum, wait) => sum + wait, 0) / later.length
  assert.ok(Math.abs(later.length / waits.length - 0.5) < 0.02)
  assert.ok(Math.abs(mean - PERIOD_MS / 3) < 10_000, String(mean))
})
