// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CounterRandom } from '../../population/counter-random.ts'
import { Population } from '../../population/population.ts'
import { profileOf } from '../../population/profiles.ts'
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

/** What every version asks with the seeds 1 and 2; whoever changes it changes the workload. */
const HASH = '0265ab690c47070b2e6788517b16633fa49352bd7a0b2c51c9469d1e2e3bc239'

test('all inputs are the same wherever they are drawn, in their ranges and shares', () => {
  const again = new CustomerEmulator(new Population(profile, 1n))
  const inputs = Array.from({ length: 500 }, (_, number) => {
    const row = () => random.row(200, number)
    const order = again.tradeOrder(row(), { tradeId: 1, now: 0 })
    const names = [
      ...(['Trade-Status', 'Trade-Lookup', 'Trade-Update', 'Market-Watch'] as const),
      ...(['Security-Detail', 'Customer-Position', 'Broker-Volume'] as const),
    ]
    return [order, ...names.map((name) => again.inputOf(name, row()))]
  })
  assert.equal(createHash('sha256').update(JSON.stringify(inputs)).digest('hex'), HASH)
})
