// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  columnsOf,
  keyOf,
  type RowOf,
  SCHEMA,
  TABLE_NAMES,
  type TableName,
} from '../schema/schema.ts'
import type { ColumnType, Value } from '../schema/table-shape.ts'
import { populationHash, populationRows, rowsExpected, TABLE_ROWS } from './generator.ts'
import { historyRatios, ratioProblems } from './history/history-ratios.ts'
import { ownerOfAccount } from './identifiers.ts'
import { symbolOf } from './names.ts'
import { Population } from './population.ts'
import { profileOf } from './profiles.ts'
import type { TableRows } from './rows/table-rows.ts'

const SEED = 2010n
const tiny = new Population(profileOf('tiny'), SEED)
const placed = [...populationRows(tiny)]

/** What every machine and every version makes of the seed 2010; whoever changes it changes the data. */
const HASHES = {
  tiny: '75dd2c205b6714ab9042ab8912f3e8d11fa44116282117e2a7ccb861a332d36e',
  small: '0962e6230e1a44f897efa2f5cae9ec59d0b3b20e0682f082475a6a072f4d28dc',
} as const

for (const [name, hash] of Object.entries(HASHES)) {
  test(`the profile ${name} is the same to the byte wherever it is made`, () => {
    assert.equal(populationHash(new Population(profileOf(name), SEED)), hash)
  })
}

test('another seed makes other data', () => {
  assert.notEqual(populationHash(new Population(profileOf('tiny'), SEED + 1n)), HASHES.tiny)
})

test('the rows of a parent are the same when they are made alone, and from the last to the first', () => {
  for (const [table, source] of Object.entries(TABLE_ROWS) as [TableName, TableRows<TableName>][]) {
    const inOrder = placed.filter(([name]) => name === table).map(([, row]) => row)
    const fresh = new Population(profileOf('tiny'), SEED)
    const backward: RowOf<TableName>[] = []
    for (let parent = source.parents(fresh) - 1; parent >= 0; parent -= 1) {
      backward.unshift(...source.rowsOf(fresh, parent))
    }
    assert.deepEqual(backward, inOrder, table)
  }
})

test('every table but those of runs has rows, and each row has a key of its own and every column', () => {
  const keys = new Set<string>()
  for (const [table, row] of placed) {
    assert.deepEqual(Object.keys(row).sort(), [...columnsOf(table)].sort(), table)
    for (const [column, value] of Object.entries(row) as [string, Value][]) {
      const type = (SCHEMA[table].columns as Readonly<Record<string, ColumnType>>)[column]
      const fits = type?.startsWith('integer')
        ? Number.isSafeInteger(value)
        : typeof value === 'string'
      assert.ok(fits, `${table}.${column}: ${value}`)
    }
    const key = `${table} ${keyOf(table, row as never).join(' ')}`
    assert.ok(!keys.has(key), key)
    keys.add(key)
  }
  const filled = new Set(placed.map(([table]) => table))
  const empty = TABLE_NAMES.filter((table) => !filled.has(table))
  assert.deepEqual(empty, ['trade_request'])
  assert.ok(Math.abs(rowsExpected(tiny.profile) / placed.length - 1) < 0.1)
})

test('whatever a row refers to is there', () => {
  const known = (table: TableName, column: string) => {
    const rows = placed.filter(([name]) => name === table).map(([, row]) => row)
    return new Set(rows.map((row) => (row as Readonly<Record<string, Value>>)[column]))
  }
  for (const [table, column, to, key] of [
    ['customer', 'c_ad_id', 'address', 'ad_id'],
    ['customer_account', 'ca_b_id', 'broker', 'b_id'],
    ['customer_account', 'ca_c_id', 'customer', 'c_id'],
    ['customer_taxrate', 'cx_tx_id', 'taxrate', 'tx_id'],
    ['account_permission', 'ap_ca_id', 'customer_account', 'ca_id'],
    ['account_permission', 'ap_tax_id', 'customer', 'c_tax_id'],
    ['watch_item', 'wi_s_symb', 'security', 's_symb'],
    ['watch_item', 'wi_wl_id', 'watch_list', 'wl_id'],
    ['company', 'co_in_id', 'industry', 'in_id'],
    ['company', 'co_ad_id', 'address', 'ad_id'],
    ['industry', 'in_sc_id', 'sector', 'sc_id'],
    ['company_competitor', 'cp_comp_co_id', 'company', 'co_id'],
    ['exchange', 'ex_ad_id', 'address', 'ad_id'],
    ['address', 'ad_zc_code', 'zip_code', 'zc_code'],
    ['financial', 'fi_co_id', 'company', 'co_id'],
    ['news_xref', 'nx_ni_id', 'news_item', 'ni_id'],
    ['security', 's_co_id', 'company', 'co_id'],
    ['security', 's_ex_id', 'exchange', 'ex_id'],
    ['last_trade', 'lt_s_symb', 'security', 's_symb'],
    ['daily_market', 'dm_s_symb', 'security', 's_symb'],
    ['trade', 't_ca_id', 'customer_account', 'ca_id'],
    ['trade', 't_s_symb', 'security', 's_symb'],
    ['trade', 't_tt_id', 'trade_type', 'tt_id'],
    ['holding', 'h_t_id', 'trade', 't_id'],
    ['holding_history', 'hh_h_t_id', 'trade', 't_id'],
  ] as const) {
    const there = known(to, key)
    for (const value of known(table, column)) assert.ok(there.has(value), `${table}.${column}`)
  }
})

test('limit orders are never executed at a worse price, and accounts trade in their baskets', () => {
  for (const [table, row] of placed) {
    if (table !== 'trade') continue
    const price = row.t_trade_price as number
    if (row.t_tt_id === 'TLB') assert.ok(price <= row.t_bid_price)
    if (row.t_tt_id === 'TLS') assert.ok(price >= row.t_bid_price)
    const { customer, ordinal } = ownerOfAccount(row.t_ca_id)
    const basket = tiny.basket(tiny.customer(customer), ordinal).map(symbolOf)
    assert.ok(basket.includes(row.t_s_symb))
  }
})

test('a day of history leaves behind as much as the rules of the workload imply', () => {
  const small = new Population(profileOf('small'), SEED)
  const counts = new Map<TableName, number>()
  for (const [table] of populationRows(small)) counts.set(table, (counts.get(table) ?? 0) + 1)
  const ratios = historyRatios((table) => counts.get(table) ?? 0)
  assert.deepEqual(ratioProblems(ratios, small.profile), [])
  const [problem] = ratioProblems({ ...ratios, holdingsPerTrade: 0.5 }, small.profile)
  assert.equal(problem, 'holdingsPerTrade is 0.500 instead of 0.694')
})
