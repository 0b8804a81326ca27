// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { checkAll, verdictLines } from '../checks/all-checks.ts'
import type { Engine } from '../engine.ts'
import type { EngineName } from '../engines/engine-kinds.ts'
import { TEST_POPULATION, testOnEngine } from '../engines/engine-tests.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import { symbolOf } from '../population/names.ts'
import { historyMs, momentOf } from '../population/trading-calendar.ts'
import { perform } from './all-transactions.ts'

const FIRST_TRADE = firstRunTradeIdentifier(TEST_POPULATION.profile.trades)
const NOW = momentOf(historyMs(TEST_POPULATION.profile))
const CUSTOMER = TEST_POPULATION.customer(0)
const ACCOUNT = TEST_POPULATION.account(CUSTOMER, 0)

/** A security in which the account has no position. */
async function securityNotHeld(engine: Engine): Promise<string> {
  const held = new Set<string>()
  for await (const rows of engine.walk('holding_summary', ['hs_ca_id', 'hs_s_symb'])) {
    for (const row of rows) if (row.hs_ca_id === ACCOUNT.id) held.add(row.hs_s_symb)
  }
  const symbols = Array.from({ length: held.size + 1 }, (_, number) => symbolOf(number))
  return symbols.find((symbol) => !held.has(symbol)) as string
}

/** The trades whose shares the account still has. */
async function holdingsIn(engine: Engine, symbol: string): Promise<number[]> {
  const trades: number[] = []
  for await (const rows of engine.walk('holding', ['h_ca_id', 'h_s_symb', 'h_t_id'])) {
    for (const row of rows) {
      if (row.h_ca_id === ACCOUNT.id && row.h_s_symb === symbol) trades.push(row.h_t_id)
    }
  }
  return trades
}

for (const name of ['percolite-http', 'postgres'] satisfies EngineName[]) {
  testOnEngine(
    name,
    'a sale closes what was bought first, or what was bought last, as its order says',
    async (engine) => {
      const session = await engine.connect()
      const symbol = await securityNotHeld(engine)
      let results = 0
      const complete = async (type: 'TMB' | 'TMS', lifo = false) => {
        const tradeId = FIRST_TRADE + results++
        await perform(session, 'Trade-Order', {
          ...{ tradeId, accountId: ACCOUNT.id, executor: { name: CUSTOMER.lastName }, type, lifo },
          ...{ security: { symbol }, quantity: 200, limitPrice: 2_500, onMargin: false },
          ...{ rollsBack: false, now: NOW },
        })
        const result = { tradeId, price: 2_500, now: NOW }
        await perform(session, 'Trade-Result', result)
        return tradeId
      }
      const bought = [await complete('TMB'), await complete('TMB'), await complete('TMB')]
      await complete('TMS', true)
      assert.deepEqual(await holdingsIn(engine, symbol), bought.slice(0, 2))
      await complete('TMS', false)
      assert.deepEqual(await holdingsIn(engine, symbol), bought.slice(1, 2))
      const facts = {
        ...{ tickerVolume: new Map(), forcedRollbacks: [] },
        ...{ isCleanedUp: false, tradeResults: { acknowledged: results, ambiguous: 0 } },
      }
      const verdict = verdictLines(await checkAll(engine, TEST_POPULATION, facts))
      assert.deepEqual(verdict, ['15 of 15 checks hold'])
      await session.close()
    },
  )
}
