// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { populationRows } from '../population/generator.ts'
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import { Population } from '../population/population.ts'
import { profileOf } from '../population/profiles.ts'
import { NO_RUN, type RunFacts } from '../run-facts.ts'
import type { RowOf, TableName } from '../schema/schema.ts'
import { checkAll, verdictLines } from './all-checks.ts'
import type { CheckResult } from './check.ts'
import { MemoryStore } from './memory-store.ts'

const profile = { ...profileOf('tiny'), trades: 800, marketDays: 1 }
const population = new Population(profile, 3n)
const loaded = MemoryStore.of(populationRows(population))
const runTrade = firstRunTradeIdentifier(profile.trades)
const [someTrade] = loaded.rows('trade') as [RowOf<'trade'>, ...RowOf<'trade'>[]]
const someLimitTrade = loaded
  .rows('trade')
  .find(({ t_tt_id }) => t_tt_id === 'TLB') as typeof someTrade

const DURING_A_RUN: RunFacts = { ...NO_RUN, isCleanedUp: false }

async function brokenChecks(store: MemoryStore, facts: RunFacts = NO_RUN): Promise<number[]> {
  const results = await checkAll(store, population, facts)
  assert.deepEqual(
    results.map(({ number }) => number),
    Array.from({ length: 15 }, (_, position) => position + 1),
  )
  return results.filter(({ problems }) => problems > 0).map(({ number }) => number)
}

/** The loaded store in which a limit order of a run waits. */
function withPendingOrder(): MemoryStore {
  const trade = {
    ...someTrade,
    t_id: runTrade,
    t_tt_id: 'TLB',
    t_st_id: 'PNDG',
    t_trade_price: null,
  }
  const request = {
    ...{ tr_t_id: runTrade, tr_tt_id: 'TLB', tr_s_symb: trade.t_s_symb },
    ...{ tr_qty: 100, tr_bid_price: 2_500, tr_b_id: 1 },
  }
  const history = { th_t_id: runTrade, th_st_id: 'PNDG', th_dts: 1 }
  return add('trade_request', request, add('trade_history', history, add('trade', trade)))
}

/** The loaded store in which a purchase on margin was completed, of which its account knows nothing else. */
function withCompletedTrade(): MemoryStore {
  const trade = { ...someTrade, t_id: runTrade, t_tt_id: 'TMB', t_is_cash: 0, t_comm: 70 }
  return loaded
    .with('trade', (rows) => [...rows, trade])
    .with('trade_history', (rows) => [
      ...rows,
      { th_t_id: runTrade, th_st_id: 'SBMT', th_dts: 1 },
      { th_t_id: runTrade, th_st_id: 'CMPT', th_dts: 2 },
    ])
    .with('settlement', (rows) => [
      ...rows,
      { se_t_id: runTrade, se_cash_type: 'Margin', se_cash_due_date: 3, se_amt: 4 },
    ])
    .with('broker', (rows) =>
      rows.map((row) =>
        row.b_id === brokerOfSome
          ? { ...row, b_num_trades: row.b_num_trades + 1, b_comm_total: row.b_comm_total + 70 }
          : row,
      ),
    )
}

const ONE_COMPLETED: RunFacts = { ...NO_RUN, tradeResults: { acknowledged: 1, ambiguous: 0 } }
const brokerOfSome = population.accountWithId(someTrade.t_ca_id).brokerId

/** Changes the first row for which it is asked. */
function changed<Row>(
  rows: readonly Row[],
  change: Partial<Row>,
  isIt = (_row: Row) => true,
): Row[] {
  const position = rows.findIndex(isIt)
  assert.ok(position >= 0, 'the row to be changed is there')
  return rows.with(position, { ...(rows[position] as Row), ...change })
}

/** With such a change of the first row for which it is asked. */
function change<T extends TableName>(
  table: T,
  to: Partial<RowOf<T>>,
  isIt?: (row: RowOf<T>) => boolean,
  store = loaded,
): MemoryStore {
  return store.with(table, (rows) => changed(rows, to, isIt))
}

/** Without the first such row. */
function drop<T extends TableName>(
  table: T,
  isIt = (_row: RowOf<T>) => true,
  store = loaded,
): MemoryStore {
  return store.with(table, (rows) => rows.toSpliced(rows.findIndex(isIt), 1))
}

/** With one more row. */
function add<T extends TableName>(table: T, row: RowOf<T>, store = loaded): MemoryStore {
  return store.with(table, (rows) => [...rows, row])
}

test('all fifteen hold after a load', async () => {
  const results = await checkAll(loaded, population, NO_RUN)
  assert.deepEqual(verdictLines(results), ['15 of 15 checks hold'])
})

test('all fifteen hold while an order waits, but the last not once that was cleaned up', async () => {
  assert.deepEqual(await brokenChecks(withPendingOrder(), DURING_A_RUN), [])
  assert.deepEqual(await brokenChecks(withPendingOrder(), NO_RUN), [15])
})

test('the totals of brokers are compared with their trades', async () => {
  assert.deepEqual(await brokenChecks(withCompletedTrade(), ONE_COMPLETED), [])
  const uncounted = withCompletedTrade().with('broker', () => loaded.rows('broker'))
  assert.deepEqual(await brokenChecks(uncounted, ONE_COMPLETED), [1, 2])
})

test('what is ambiguous to the driver may have happened or not', async () => {
  const perhaps = { acknowledged: 0, ambiguous: 1 }
  const facts: RunFacts = { ...NO_RUN, tradeResults: perhaps }
  assert.deepEqual(await brokenChecks(withCompletedTrade(), facts), [])
  assert.deepEqual(await brokenChecks(loaded, facts), [])
  assert.deepEqual(await brokenChecks(withCompletedTrade(), NO_RUN), [12])

  const [{ lt_s_symb }] = loaded.rows('last_trade') as [RowOf<'last_trade'>]
  const ticker = new Map([[lt_s_symb, { acknowledged: 325, ambiguous: 425 }]])
  for (const [lt_vol, broken] of [
    [325, []],
    [750, []],
    [0, [11]],
    [751, [11]],
  ] as const) {
    assert.deepEqual(
      await brokenChecks(change('last_trade', { lt_vol }), { ...NO_RUN, tickerVolume: ticker }),
      broken,
    )
  }
})

type Planted = readonly [
  scenario: string,
  broken: readonly number[],
  planted: MemoryStore,
  facts?: RunFacts,
]

const [firstHolding] = loaded.rows('holding') as [RowOf<'holding'>]
const [firstCustomer] = loaded.rows('customer') as [RowOf<'customer'>]
const isOfRun = ({ t_id }: RowOf<'trade'>) => t_id === runTrade

const PLANTED: readonly Planted[] = [
  ['a broker counts a trade too many', [1], change('broker', { b_num_trades: 1 })],
  ['a broker misses a commission', [2], change('broker', { b_comm_total: 1 })],
  ['a summary is not the sum of its holdings', [3], change('holding_summary', { hs_qty: 12_345 })],
  ['a holding has lost its summary', [4], drop('holding_summary')],
  [
    'a summary of nothing was left behind',
    [4],
    add('holding_summary', { hs_ca_id: 1, hs_s_symb: 'NOSUCH', hs_qty: 0 }),
  ],
  [
    'a holding is of the other sign than its neighbours',
    [3, 5, 10],
    add('holding', { ...firstHolding, h_t_id: 77, h_qty: -firstHolding.h_qty }),
  ],
  [
    'a trade was never submitted',
    [6],
    drop('trade_history', ({ th_st_id }) => th_st_id === 'SBMT'),
  ],
  [
    'a limit order was never pending',
    [6],
    drop(
      'trade_history',
      ({ th_t_id, th_st_id }) => th_t_id === someLimitTrade.t_id && th_st_id === 'PNDG',
    ),
  ],
  [
    'a history is of no trade',
    [6],
    add('trade_history', { th_t_id: 5, th_st_id: 'SBMT', th_dts: 1 }),
  ],
  ['a completed trade is not settled', [7], drop('settlement')],
  ['a cash trade was paid otherwise than settled', [7], change('cash_transaction', { ct_amt: 1 })],
  [
    'a trade was paid that does not exist',
    [7],
    add('cash_transaction', { ct_t_id: 5, ct_dts: 1, ct_amt: 1, ct_name: '' }),
  ],
  ['an update of a balance was lost', [8], change('customer_account', { ca_bal: 1 })],
  [
    'a pending order has no request',
    [9],
    drop('trade_request', undefined, withPendingOrder()),
    DURING_A_RUN,
  ],
  [
    'an order was triggered and its request was left behind',
    [9],
    add(
      'trade_history',
      { th_t_id: runTrade, th_st_id: 'SBMT', th_dts: 2 },
      change('trade', { t_st_id: 'SBMT' }, isOfRun, withPendingOrder()),
    ),
    DURING_A_RUN,
  ],
  ['a holding has changed without history', [3, 10], change('holding', { h_qty: 12_300 })],
  [
    'a step of the history of a holding is missing',
    [10],
    drop('holding_history', ({ hh_before_qty }) => hh_before_qty !== 0),
  ],
  [
    'a holding was opened by another trade than its own',
    [10],
    change('holding_history', { hh_t_id: 5 }, ({ hh_before_qty }) => hh_before_qty === 0),
  ],
  ['the ticker has a volume that nobody reported', [11], change('last_trade', { lt_vol: 425 })],
  ['an acknowledged trade result is lost', [12], loaded, ONE_COMPLETED],
  [
    'an order that was rolled back is there',
    [13],
    withPendingOrder(),
    { ...DURING_A_RUN, forcedRollbacks: [runTrade] },
  ],
  [
    'an index has an entry of a row that is gone',
    [14],
    loaded.withEntries('trade_account', 'trade', (rows) => [...rows, { ...someTrade, t_id: 5 }]),
  ],
  [
    'an index was not told of a change',
    [14],
    loaded.withEntries('trade_security', 'trade', (rows) => changed(rows, { t_dts: 5 })),
  ],
  [
    'an index lacks a row',
    [14],
    loaded.withEntries('broker_name', 'broker', (rows) => rows.slice(1)),
  ],
  [
    'an index is out of order',
    [14],
    loaded.withEntries('trade_account', 'trade', (entries) => entries.toReversed()),
  ],
  ['a unique index has a value twice', [14], add('customer', { ...firstCustomer, c_id: 5 })],
  [
    'a trade of the load is open again',
    [1, 2, 6, 7, 15],
    change('trade', { t_st_id: 'SBMT' }),
    DURING_A_RUN,
  ],
]

for (const [scenario, broken, planted, facts] of PLANTED) {
  test(`the checks find that ${scenario}`, async () => {
    assert.deepEqual(await brokenChecks(planted, facts), broken)
  })
}

test('an order that was rolled back is found in whatever table it is', async () => {
  const stores: Readonly<Record<string, MemoryStore>> = {
    TRADE: change('trade', { t_id: runTrade }),
    TRADE_HISTORY: change('trade_history', { th_t_id: runTrade }),
    TRADE_REQUEST: drop('trade', isOfRun, withPendingOrder()),
    SETTLEMENT: change('settlement', { se_t_id: runTrade }),
    CASH_TRANSACTION: change('cash_transaction', { ct_t_id: runTrade }),
    HOLDING: change('holding', { h_t_id: runTrade }),
    HOLDING_HISTORY: change('holding_history', { hh_t_id: runTrade }),
  }
  for (const [table, store] of Object.entries(stores)) {
    const facts = { ...DURING_A_RUN, forcedRollbacks: [runTrade] }
    const { examples } = (await checkAll(store, population, facts))[12] as CheckResult
    assert.ok(examples.includes(`trade ${runTrade} was rolled back and is in ${table}`), table)
  }
})

test('a verdict names what is broken, with a few examples', async () => {
  const store = loaded.with('settlement', (rows) => rows.slice(12))
  const lines = verdictLines(await checkAll(store, population, NO_RUN))
  assert.equal(lines[0], '14 of 15 checks hold')
  assert.match(lines[1] as string, /^check 7 does not hold: .* \(\d\d problems\)$/)
  assert.equal(lines.length, 2 + 5)
})
