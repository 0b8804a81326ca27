// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CounterRandom } from '../../population/counter-random.ts'
import { Population } from '../../population/population.ts'
import { profileOf } from '../../population/profiles.ts'
import { historyMs, marketDay, momentOf } from '../../population/trading-calendar.ts'
import { CustomerEmulator } from './customer-emulator.ts'

const population = new Population(profileOf('tiny'), 1n)
const { profile } = population
const emulator = new CustomerEmulator(population)
const random = new CounterRandom(2n)
const DRAWS = 4_000

/** Inputs of one kind, each with random numbers of its own. */
function draw<Input>(input: (row: ReturnType<CounterRandom['row']>) => Input): Input[] {
  return Array.from({ length: DRAWS }, (_, number) => input(random.row(200, number)))
}

function assertShare<Item>(items: readonly Item[], share: number, is: (item: Item) => boolean) {
  const found = items.filter(is).length / items.length
  const chance = 4 * Math.sqrt((share * (1 - share)) / items.length)
  assert.ok(Math.abs(found - share) < chance, `${found} instead of ${share}`)
}

test('orders are of the kinds, the sizes and the prices that the workload says', () => {
  const orders = draw((row) => emulator.tradeOrder(row, { tradeId: 1, now: 0 }))
  const shares = { TMB: 0.3, TMS: 0.3, TLB: 0.2, TLS: 0.1, TSL: 0.1 }
  for (const [type, share] of Object.entries(shares)) {
    assertShare(orders, share, (order) => order.type === type)
  }
  assertShare(orders, 1 / 101, (order) => order.rollsBack)
  assertShare(orders, 0.35, (order) => order.lifo)
  assertShare(orders, 0.08, (order) => order.onMargin)
  assertShare(orders, 0.6, (order) => 'symbol' in order.security)
  assertShare(orders, 0.25, (order) => order.quantity === 800)
  const isSell = (type: string) => ['TMS', 'TLS', 'TSL'].includes(type)
  assert.ok(
    orders.every(({ onMargin, type }) => !onMargin || !isSell(type)),
    'sales are cash',
  )
  assert.ok(orders.every(({ limitPrice }) => limitPrice >= 2_000 && limitPrice <= 3_000))
  const others = orders.filter(({ executor }) => executor.taxId !== undefined).length
  assert.ok(Math.abs(others / DRAWS - 0.1) < 0.03, String(others / DRAWS))
})

test('lookups stop short of the end of the history, and ids are distinct', () => {
  const lookups = draw((row) => emulator.tradeLookup(row))
  assertShare(lookups, 0.3, ({ frame }) => frame === 'trades')
  assertShare(lookups, 0.1, ({ frame }) => frame === 'holdings')
  const half = momentOf(historyMs(profile) / 2)
  for (const lookup of lookups) {
    if (lookup.frame === 'trades') assert.equal(new Set(lookup.tradeIds).size, 20)
    if (lookup.frame === 'account') assert.ok(lookup.from <= half, String(lookup.from))
  }
  const updates = draw((row) => emulator.tradeUpdate(row))
  assertShare(updates, 0.33, ({ frame }) => frame === 'account')
})

test('readers ask for what there is', () => {
  const watches = draw((row) => emulator.marketWatch(row))
  assertShare(watches, 0.6, ({ of }) => of.kind === 'watchList')
  assertShare(watches, 0.05, ({ of }) => of.kind === 'industry')
  const days = new Set(Array.from({ length: profile.marketDays }, (_, day) => marketDay(day)))
  assert.ok(watches.every(({ date }) => days.has(date)))
  const details = draw((row) => emulator.securityDetail(row))
  assertShare(details, 0.01, ({ wholeNews }) => wholeNews)
  assert.ok(details.every(({ startDate, days: count }) => days.has(startDate) && count <= 20))
  assertShare(
    draw((row) => emulator.customerPosition(row)),
    0.5,
    ({ customer }) => 'id' in customer,
  )
  const volumes = draw((row) => emulator.brokerVolume(row))
  assert.ok(volumes.every(({ brokers }) => new Set(brokers).size === profile.brokers))
})

test('the same seed asks the same', () => {
  const again = new CustomerEmulator(new Population(profile, 1n))
  assert.deepEqual(again.tradeStatus(random.row(200, 9)), emulator.tradeStatus(random.row(200, 9)))
})
