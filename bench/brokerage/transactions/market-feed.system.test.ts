// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type Engine, get, TransactionAborted } from '../engine.ts'
import type { EngineName } from '../engines/engine-kinds.ts'
import { TEST_POPULATION, testOnEngine } from '../engines/engine-tests.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import { symbolOf } from '../population/names.ts'
import { historyMs, momentOf } from '../population/trading-calendar.ts'
import { perform } from './all-transactions.ts'
import type { MarketOrder } from './trade-order.ts'

const FIRST_TRADE = firstRunTradeIdentifier(TEST_POPULATION.profile.trades)
const NOW = momentOf(historyMs(TEST_POPULATION.profile))
const CUSTOMER = TEST_POPULATION.customer(0)
const SYMBOL = symbolOf(3)
const ROUNDS = 4
const LINES = 4

/** Orders to sell at 25.00, of which each round submits one. */
async function limitOrder(engine: Engine, tradeId: number): Promise<void> {
  const session = await engine.connect()
  await perform(session, 'Trade-Order', {
    ...{ tradeId, accountId: TEST_POPULATION.account(CUSTOMER, 0).id, type: 'TLS', quantity: 100 },
    ...{ executor: { name: CUSTOMER.lastName }, security: { symbol: SYMBOL }, limitPrice: 2_500 },
    ...{ onMargin: false, lifo: false, rollsBack: false, now: NOW },
  })
  await session.close()
}

async function feed(engine: Engine): Promise<readonly MarketOrder[]> {
  const session = await engine.connect()
  try {
    for (;;) {
      try {
        const entry = { symbol: SYMBOL, price: 2_500, quantity: 10 }
        return await perform(session, 'Market-Feed', { entry, now: NOW })
      } catch (error) {
        if (!(error instanceof TransactionAborted)) throw error
      }
    }
  } finally {
    await session.close()
  }
}

async function volumeOf(engine: Engine): Promise<number | undefined> {
  const session = await engine.connect()
  const transaction = await session.begin({ readOnly: true })
  const [found] = await transaction.read(get('last_trade', [SYMBOL], ['lt_vol']))
  await transaction.commit()
  await session.close()
  return found?.lt_vol
}

for (const name of ['percolite-http', 'percolite-native'] satisfies EngineName[]) {
  testOnEngine(
    name,
    'lines for one security at once all count, and submit an order that waits for them once',
    async (engine) => {
      const before = (await volumeOf(engine)) ?? Number.NaN
      // The load leaves nothing that waits, or it is gone after this.
      await feed(engine)
      for (let round = 0; round < ROUNDS; round += 1) {
        const tradeId = FIRST_TRADE + round
        await limitOrder(engine, tradeId)
        const fed = await Promise.all(Array.from({ length: LINES }, () => feed(engine)))
        assert.deepEqual(
          fed.flat().map((order) => order.tradeId),
          [tradeId],
        )
      }
      assert.equal(await volumeOf(engine), before + 10 * (1 + ROUNDS * LINES))
    },
  )
}
