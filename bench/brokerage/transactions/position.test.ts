// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeHoldings } from './position.ts'

const bought = [
  { h_price: 2_100, h_qty: 100 },
  { h_price: 2_500, h_qty: 200 },
]
const short = [
  { h_price: 2_600, h_qty: -400 },
  { h_price: 2_000, h_qty: -100 },
]

test('a sale closes holdings in their order, and the last one only so far as it must', () => {
  const { closings, buyValue, sellValue, opened } = closeHoldings(bought, -150, 2_600)
  assert.deepEqual(
    closings.map(({ after }) => after),
    [0, 150],
  )
  assert.deepEqual([buyValue, sellValue, opened], [335_000, 390_000, 0])
})

test('a sale of more than there is sells the rest short', () => {
  const { closings, buyValue, sellValue, opened } = closeHoldings(bought, -800, 2_000)
  assert.deepEqual(
    closings.map(({ after }) => after),
    [0, 0],
  )
  assert.deepEqual([buyValue, sellValue, opened], [710_000, 600_000, -500])
})

test('a purchase buys back what was sold short, at what it costs now', () => {
  const { closings, buyValue, sellValue, opened } = closeHoldings(short, 200, 2_500)
  assert.deepEqual(
    closings.map(({ after }) => after),
    [-200],
  )
  assert.deepEqual([buyValue, sellValue, opened], [500_000, 520_000, 0])
})

test('an order in the direction of the position closes nothing', () => {
  assert.deepEqual(closeHoldings(bought, 400, 2_000), {
    ...{ closings: [], buyValue: 0, sellValue: 0, opened: 400 },
  })
  assert.equal(closeHoldings([], -100, 2_000).opened, -100)
})
