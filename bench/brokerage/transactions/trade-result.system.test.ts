// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { checkAll, verdictLines } from '../checks/all-checks.ts'
import { type Engine, get, type Session, type Transaction, TransactionAborted } from '../engine.ts'
import type { EngineName } from '../engines/engine-kinds.ts'
import { TEST_POPULATION, testOnEngine } from '../engines/engine-tests.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import { symbolOf } from '../population/names.ts'
import { historyMs, momentOf } from '../population/trading-calendar.ts'
import type { BrokerMode } from '../run-facts.ts'
import { perform } from './all-transactions.ts'
import { brokerFold } from './broker-fold.ts'
import { tradeOrder } from './trade-order.ts'
import { tradeResult } from './trade-result.ts'

const FIRST_TRADE = firstRunTradeIdentifier(TEST_POPULATION.profile.trades)
const NOW = momentOf(historyMs(TEST_POPULATION.profile))
const CUSTOMER = TEST_POPULATION.customer(0)
const ACCOUNT = TEST_POPULATION.account(CUSTOMER, 0)

/** The transaction, whose commit first lets something else happen. */
function meanwhile(transaction: Transaction, work: () => Promise<unknown>): Transaction {
  return {
    read: transaction.read.bind(transaction),
    insert: (table, row) => transaction.insert(table, row),
    update: (table, key, change) => transaction.update(table, key, change),
    delete: (table, key) => transaction.delete(table, key),
    notify: (table, key) => transaction.notify(table, key),
    rollback: () => transaction.rollback(),
    async commit() {
      await work()
      await transaction.commit()
    },
  }
}

/** Orders and results of one account, with two connections. */
class Desk {
  readonly #one: Session
  readonly #other: Session
  readonly #brokerMode: BrokerMode
  #nextTrade = FIRST_TRADE

  constructor(one: Session, other: Session, brokerMode: BrokerMode) {
    this.#one = one
    this.#other = other
    this.#brokerMode = brokerMode
  }

  static async open(engine: Engine, brokerMode: BrokerMode): Promise<Desk> {
    return new Desk(await engine.connect(), await engine.connect(), brokerMode)
  }

  /** How many results there may be, for the checks. */
  get trades(): number {
    return this.#nextTrade - FIRST_TRADE
  }

  async order(symbol: string, type: 'TMB' | 'TMS', lifo = false): Promise<number> {
    const tradeId = this.#nextTrade++
    const executor = { name: CUSTOMER.lastName }
    await tradeOrder(await this.#one.begin({ insertsOnly: true }), {
      ...{ tradeId, accountId: ACCOUNT.id, executor, security: { symbol }, type, quantity: 200 },
      ...{ limitPrice: 2_500, onMargin: false, lifo, rollsBack: false, now: NOW },
    })
    return tradeId
  }

  async complete(tradeId: number, beforeCommit?: () => Promise<unknown>): Promise<void> {
    const session = beforeCommit === undefined ? this.#other : this.#one
    const begun = await session.begin({})
    const transaction = beforeCommit === undefined ? begun : meanwhile(begun, beforeCommit)
    const input = { tradeId, price: 2_500, brokerMode: this.#brokerMode, now: NOW }
    await tradeResult(transaction, input)
  }

  /** Two results for one pair, of which the first has read everything before the second commits. */
  async collide(symbol: string, type: 'TMB' | 'TMS'): Promise<void> {
    const [first, second] = [await this.order(symbol, type), await this.order(symbol, type)]
    await assert.rejects(
      this.complete(first, () => this.complete(second)),
      (error) => error instanceof TransactionAborted && error.abort === 'writeConflict',
    )
    await this.complete(first)
  }

  /** Completes all of them at once, each on a connection of its own, until each is done. */
  async completeAll(engine: Engine, tradeIds: readonly number[]): Promise<number> {
    let conflicts = 0
    const complete = async (tradeId: number) => {
      const session = await engine.connect()
      const input = { tradeId, price: 2_500, brokerMode: this.#brokerMode, now: NOW }
      for (let isDone = false; !isDone; ) {
        try {
          await perform(session, 'Trade-Result', input)
          isDone = true
        } catch (error) {
          if (!(error instanceof TransactionAborted)) throw error
          conflicts += 1
        }
      }
      await session.close()
    }
    await Promise.all(tradeIds.map(complete))
    return conflicts
  }

  async position(symbol: string): Promise<number | undefined> {
    const transaction = await this.#one.begin({ readOnly: true })
    const [found] = await transaction.read(get('holding_summary', [ACCOUNT.id, symbol], ['hs_qty']))
    await transaction.commit()
    return found?.hs_qty
  }

  async fold(beforeCommit: () => Promise<unknown>): Promise<number> {
    const transaction = meanwhile(await this.#one.begin({}), beforeCommit)
    return (await brokerFold(transaction, { brokerId: ACCOUNT.brokerId })).folded
  }

  async close(): Promise<void> {
    await this.#one.close()
    await this.#other.close()
  }
}

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

async function verdict(engine: Engine, brokerMode: BrokerMode, results: number) {
  const facts = {
    ...{ brokerMode, tickerVolume: new Map(), forcedRollbacks: [], isCleanedUp: false },
    tradeResults: { acknowledged: results, ambiguous: 0 },
  }
  return verdictLines(await checkAll(engine, TEST_POPULATION, facts))
}

for (const name of [
  'percolite-http',
  'percolite-native',
  'pg-native',
  'sqlite-native',
] satisfies EngineName[]) {
  testOnEngine(
    name,
    'a sale closes what was bought first, or what was bought last, as its order says',
    async (engine) => {
      const desk = await Desk.open(engine, 'inline')
      const symbol = await securityNotHeld(engine)
      const complete = async (type: 'TMB' | 'TMS', lifo = false) => {
        const tradeId = await desk.order(symbol, type, lifo)
        await desk.completeAll(engine, [tradeId])
        return tradeId
      }
      const bought = [await complete('TMB'), await complete('TMB'), await complete('TMB')]
      await complete('TMS', true)
      assert.deepEqual(await holdingsIn(engine, symbol), bought.slice(0, 2))
      await complete('TMS', false)
      assert.deepEqual(await holdingsIn(engine, symbol), bought.slice(1, 2))
      assert.deepEqual(await verdict(engine, 'inline', desk.trades), ['15 of 15 checks hold'])
      await desk.close()
    },
  )
}

// One call from beginning to end: nobody can be let in before its commit.
for (const name of ['pg-native', 'percolite-native'] satisfies EngineName[]) {
  testOnEngine(
    name,
    'results for one position at once, also where it begins and where it ends, are done one by one',
    async (engine) => {
      const desk = await Desk.open(engine, 'inline')
      const symbol = await securityNotHeld(engine)
      let conflicts = 0
      for (let round = 0; round < 3; round += 1) {
        for (const type of ['TMB', 'TMS'] as const) {
          const orders: number[] = []
          for (let order = 0; order < 4; order += 1) orders.push(await desk.order(symbol, type))
          conflicts += await desk.completeAll(engine, orders)
          assert.equal(await desk.position(symbol), type === 'TMB' ? 800 : undefined)
        }
      }
      assert.ok(conflicts > 0, 'nothing happened at once')
      assert.deepEqual(await verdict(engine, 'inline', desk.trades), ['15 of 15 checks hold'])
      await desk.close()
    },
  )
}

// SQLite has one writer, so that there is nobody to collide with.
for (const name of [
  'percolite-embedded',
  'percolite-http',
  'percolite-ws',
  'postgres',
] satisfies EngineName[]) {
  testOnEngine(
    name,
    'two results for one position collide, and what comes while a broker is folded is folded the next time',
    async (engine) => {
      await (await engine.observe?.('broker', async () => {}, assert.ifError))?.stop()
      // In this mode no two results write one row of their broker, so that it is the position on which
      // they collide.
      const desk = await Desk.open(engine, 'observer')
      await collideAtBeginningAndEnd(engine, desk)
      assert.deepEqual(await verdict(engine, 'observer', desk.trades), ['15 of 15 checks hold'])
      while ((await desk.fold(async () => {})) > 0);
      await foldWhileOneComes(desk)
      assert.deepEqual(await verdict(engine, 'observer', desk.trades), ['15 of 15 checks hold'])
      assert.equal(await desk.fold(async () => {}), 1)
      assert.equal(await desk.fold(async () => {}), 0)
      assert.deepEqual(await verdict(engine, 'observer', desk.trades), ['15 of 15 checks hold'])
      await desk.close()
    },
  )
}

async function collideAtBeginningAndEnd(engine: Engine, desk: Desk): Promise<void> {
  const symbol = await securityNotHeld(engine)
  await desk.collide(symbol, 'TMB')
  assert.equal(await desk.position(symbol), 400)
  await desk.complete(await desk.order(symbol, 'TMS'))
  // Each of these would end the position of 200.
  await desk.collide(symbol, 'TMS')
  assert.equal(await desk.position(symbol), -200)
}

async function foldWhileOneComes(desk: Desk): Promise<void> {
  const symbol = symbolOf(0)
  const later = await desk.order(symbol, 'TMB')
  await desk.complete(await desk.order(symbol, 'TMB'))
  assert.equal(await desk.fold(() => desk.complete(later)), 1)
}
