// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkAll, verdictLines } from '../checks/all-checks.ts'
import { CustomerEmulator } from '../driver/customers/customer-emulator.ts'
import { type Engine, get, type Session } from '../engine.ts'
import type { EngineName } from '../engines/engine-kinds.ts'
import { TEST_POPULATION, testOnEngine, withLoadedEngine } from '../engines/engine-tests.ts'
import { TableDigester } from '../loading/verify-load.ts'
import { CounterRandom } from '../population/counter-random.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import { historyMs, momentOf } from '../population/trading-calendar.ts'
import type { RunFacts } from '../run-facts.ts'
import { columnsOf, TABLE_NAMES } from '../schema/schema.ts'
import { type InputOf, type PerformedName, perform } from './all-transactions.ts'
import { tradeCleanup } from './trade-cleanup.ts'
import type { MarketOrder } from './trade-order.ts'

const ROUNDS = 12
/** Of each round at most. */
const ORDERS = 5
/** In each round, of those kinds that have several frames. */
const VARIED_CALLS = 4
const FIRST_TRADE = firstRunTradeIdentifier(TEST_POPULATION.profile.trades)

/** Everything that a script of transactions answered, and what it left in the tables. */
type Traces = {
  readonly answers: readonly string[]
  readonly tables: Readonly<Record<string, unknown>>
}

/** The same calls with the same inputs, one after the other, of every kind. */
async function play(engine: Engine): Promise<Traces> {
  const session = await engine.connect()
  const inputs = new CustomerEmulator(TEST_POPULATION)
  const random = new CounterRandom(3n)
  const answers: string[] = []
  const orders: MarketOrder[] = []
  const rolledBack: number[] = []
  let bought: InputOf<'Trade-Order'> | undefined
  const volumes = new Map<string, { readonly acknowledged: number; readonly ambiguous: number }>()
  const keep = (name: string, answer: unknown) => answers.push(`${name} ${JSON.stringify(answer)}`)
  const call = <Name extends PerformedName>(name: Name, input: InputOf<Name>) =>
    perform(session, name, input)
  let now = momentOf(historyMs(TEST_POPULATION.profile))
  for (let round = 0; round < ROUNDS; round += 1) {
    const draws = (kind: number) => random.row(200 + kind, round)
    now += 1_000
    for (let order = 0; order < 4; order += 1) {
      const tradeId = FIRST_TRADE + ORDERS * round + order
      const input = inputs.tradeOrder(random.row(240 + order, round), { tradeId, now })
      const done = await call('Trade-Order', { ...input, rollsBack: order === 3 })
      keep('order', done)
      if (done.kind !== 'ordered') rolledBack.push(tradeId)
      else {
        orders.push(done.order)
        if (input.type === 'TMB') bought = { ...input, security: { symbol: done.order.symbol } }
      }
    }
    // What was bought in the round before is sold at the highest price that there is.
    if (bought !== undefined && round % 2 === 1) {
      const tradeId = FIRST_TRADE + ORDERS * round + 4
      const sale = { type: 'TLS', limitPrice: 3_000, onMargin: false, rollsBack: false } as const
      const done = await call('Trade-Order', { ...bought, ...sale, tradeId, now })
      keep('sale', done)
      if (done.kind === 'ordered') orders.push(done.order)
      bought = undefined
    }
    const latest = orders.at(-1) as MarketOrder
    const feed = { symbol: latest.symbol, price: latest.price, quantity: 375 }
    keep('feed', await call('Market-Feed', { entry: feed, now }))
    const { acknowledged = 0 } = volumes.get(feed.symbol) ?? {}
    volumes.set(feed.symbol, { acknowledged: acknowledged + 375, ambiguous: 0 })
    for (const { tradeId, price } of orders.slice(-3)) {
      const isSubmitted = (await statusOf(session, tradeId)) === 'SBMT'
      if (!isSubmitted) continue
      const result = { tradeId, price, now }
      const done = await call('Trade-Result', result)
      keep('result', done)
      keep('result again', await call('Trade-Result', result))
    }
    keep('status', await call('Trade-Status', inputs.inputOf('Trade-Status', draws(0))))
    keep('position', await call('Customer-Position', inputs.inputOf('Customer-Position', draws(1))))
    for (let again = 0; again < VARIED_CALLS; again += 1) {
      const varied = (kind: number) => draws(kind + 10 * again)
      const { watched, lookedUp, updated } = {
        watched: inputs.inputOf('Market-Watch', varied(2)),
        lookedUp: inputs.inputOf('Trade-Lookup', varied(4)),
        updated: inputs.inputOf('Trade-Update', varied(5)),
      }
      keep(`watch ${watched.of.kind}`, await call('Market-Watch', watched))
      keep(`lookup ${lookedUp.frame}`, await call('Trade-Lookup', lookedUp))
      keep(`update ${updated.frame}`, await call('Trade-Update', updated))
    }
    keep('detail', await call('Security-Detail', inputs.inputOf('Security-Detail', draws(3))))
    keep('volume', await call('Broker-Volume', inputs.inputOf('Broker-Volume', draws(6))))
  }
  const completed = answers.filter((answer) => answer.startsWith('result {"kind":"completed"'))
  const facts: RunFacts = {
    tradeResults: { acknowledged: completed.length, ambiguous: 0 },
    tickerVolume: volumes,
    forcedRollbacks: rolledBack,
    isCleanedUp: false,
  }
  keep('checks', verdictLines(await checkAll(engine, TEST_POPULATION, facts)))
  keep('clean-up', await tradeCleanup(session, { firstTradeId: FIRST_TRADE, now }))
  const cleaned = { ...facts, isCleanedUp: true }
  keep('checks', verdictLines(await checkAll(engine, TEST_POPULATION, cleaned)))
  await session.close()
  return { answers, tables: await tablesOf(engine) }
}

async function statusOf(session: Session, tradeId: number): Promise<string | undefined> {
  const transaction = await session.begin({ readOnly: true })
  const [trade] = await transaction.read(get('trade', [tradeId], ['t_st_id']))
  await transaction.commit()
  return trade?.t_st_id
}

async function tablesOf(engine: Engine): Promise<Record<string, unknown>> {
  const tables: Record<string, unknown> = {}
  for (const table of TABLE_NAMES) {
    const digester = new TableDigester(table)
    for await (const rows of engine.walk(table, columnsOf(table))) {
      for (const row of rows) digester.add(row as never)
    }
    tables[table] = digester.digest()
  }
  return tables
}

// Played once, by the engine that all others are compared with.
let expected: Promise<Traces> | undefined
const expectedTraces = (context: TestContext) => {
  expected ??= withLoadedEngine(context, 'sqlite-normal', play)
  return expected
}

test('a script of all transactions leaves a store in which every check holds', async (context) => {
  const { answers } = await expectedTraces(context)
  const said = (name: string) => answers.filter((answer) => answer.startsWith(`${name} `))
  assert.deepEqual(said('checks'), [
    'checks ["15 of 15 checks hold"]',
    'checks ["15 of 15 checks hold"]',
  ])
  assert.equal(said('order').filter((answer) => answer.includes('rolledBack')).length, ROUNDS)
  // What was completed before is left as it is.
  assert.ok(said('result again').length > 10)
  assert.ok(said('result again').every((answer) => answer === 'result again {"kind":"already"}'))
  assert.ok(
    said('feed').some((answer) => answer !== 'feed []'),
    'a limit order was triggered',
  )
  assert.notEqual(said('clean-up')[0], 'clean-up 0')
})

test('the script plays every frame, and orders of every kind', async (context) => {
  const { answers } = await expectedTraces(context)
  const said = (text: string) => answers.filter((answer) => answer.includes(text)).length
  for (const kind of [
    ...['watch watchList', 'watch account', 'watch industry'],
    ...['lookup trades', 'lookup account', 'lookup security', 'lookup holdings'],
    ...['update trades', 'update account', 'update security'],
    ...['"type":"TMB"', '"type":"TMS"', '"type":"TLB"', '"type":"TLS"', '"type":"TSL"'],
    '"accountValue":',
  ]) {
    assert.ok(said(kind) > 0, kind)
  }
  const taxed = answers.filter((answer) => /"estimatedTax":[1-9]/.test(answer))
  assert.ok(taxed.length > 0, 'an order closes a position with a gain that is taxed')
})

for (const name of ['percolite-http', 'percolite-ws', 'postgres'] satisfies EngineName[]) {
  testOnEngine(
    name,
    'every transaction answers and writes what it does on SQLite',
    async (engine, context) => {
      const [found, wanted] = [await play(engine), await expectedTraces(context)]
      assert.deepEqual(found.answers, wanted.answers)
      assert.deepEqual(found.tables, wanted.tables)
    },
  )
}
