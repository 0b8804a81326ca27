// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CounterRandom } from '../population/counter-random.ts'
import { symbolOf } from '../population/names.ts'
import { PriceCurve } from '../population/price-curve.ts'
import type { TickerEntry } from '../transactions/market-feed.ts'
import type { MarketOrder } from '../transactions/trade-order.ts'
import { MarketClock, MarketEmulator } from './market-emulator.ts'

const PERIOD_MS = 10_000
const symbols = Array.from({ length: 4 }, (_, number) => symbolOf(number))

/** A market in whose time nothing passes but what the test lets pass. */
class TestMarket {
  readonly results: Array<{ readonly tradeId: number; readonly price: number }> = []
  readonly feeds: Array<readonly TickerEntry[]> = []
  readonly failures: unknown[] = []
  readonly curve = new PriceCurve({ pricePeriodMs: PERIOD_MS })
  readonly emulator: MarketEmulator
  /** What the next feed sets going. */
  triggers: readonly MarketOrder[] = []
  #ms = 0

  constructor() {
    this.emulator = new MarketEmulator({
      clock: new MarketClock(0, () => this.#ms),
      curve: this.curve,
      random: new CounterRandom(5n),
      symbols,
      calls: {
        tradeResult: async ({ tradeId }, price) => void this.results.push({ tradeId, price }),
        marketFeed: async (entries) => {
          this.feeds.push(entries)
          return this.triggers
        },
      },
      failed: (error) => void this.failures.push(error),
    })
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.#ms += 10
      mock.timers.tick(10)
      await nextTurn()
    }
  }
}

function order(tradeId: number, type: MarketOrder['type'], price = 2_500): MarketOrder {
  return { tradeId, symbol: symbols[0] as string, type, quantity: 100, price }
}

function testMarket(name: string, work: (market: TestMarket) => Promise<void>): void {
  test(name, async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const market = new TestMarket()
      await work(market)
      assert.deepEqual(market.failures, [])
    } finally {
      mock.timers.reset()
    }
  })
}

testMarket(
  'a market order is executed within five seconds, after a second in the mean',
  async (market) => {
    for (let id = 0; id < 200; id += 1) market.emulator.accept(order(id, 'TMB'))
    await market.pass(700)
    assert.ok(Math.abs(market.results.length - 100) < 30, String(market.results.length))
    await market.pass(4_400)
    assert.equal(market.results.length, 200)
  },
)

testMarket('ten results make a feed of twenty lines', async (market) => {
  for (let id = 0; id < 25; id += 1) market.emulator.accept(order(id, 'TMS'))
  await market.pass(5_100)
  assert.deepEqual(
    market.feeds.map((entries) => entries.length),
    [20, 20],
  )
  const quantities = market.feeds.flat().map(({ quantity }) => quantity)
  assert.equal(quantities.filter((quantity) => quantity === 100).length, 20)
  assert.ok(quantities.every((quantity) => [100, 325, 425].includes(quantity)))
})

testMarket(
  'a limit order waits for its price, goes on the ticker, and is executed when a feed says so',
  async (market) => {
    // The security begins at 20.00 and is at 25.00 for the first time after a quarter of the period.
    const waiting = order(1, 'TLS', 2_500)
    market.emulator.accept(waiting)
    await market.pass(5_000)
    assert.deepEqual(market.results, [])
    for (let id = 10; id < 20; id += 1) market.emulator.accept(order(id, 'TMB'))
    market.triggers = [waiting]
    await market.pass(5_100)
    const trigger = market.feeds[0]?.find(({ quantity }) => quantity === 375)
    assert.ok(trigger !== undefined && trigger.symbol === symbols[0] && trigger.price >= 2_500)
    market.triggers = []
    await market.pass(5_100)
    const prices = market.results.filter(({ tradeId }) => tradeId === 1).map(({ price }) => price)
    assert.ok(prices.length === 1 && prices.every((price) => price >= 2_500), String(prices))
    assert.equal(market.emulator.waiting, 0)
  },
)

testMarket('an order that two feeds set going is executed once', async (market) => {
  market.triggers = [order(1, 'TLB', 2_000)]
  for (let id = 10; id < 40; id += 1) market.emulator.accept(order(id, 'TMB'))
  await market.pass(11_000)
  assert.equal(market.feeds.length, 3)
  assert.equal(market.results.filter(({ tradeId }) => tradeId === 1).length, 1)
  // And it waits no more, though its own customer is answered only now.
  market.emulator.accept(order(1, 'TLB', 2_000))
  assert.equal(market.emulator.waiting, 0)
})
