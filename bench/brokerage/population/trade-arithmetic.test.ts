// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commissionOf, settlementAmount, settlementDueDate, taxOf } from './trade-arithmetic.ts'

test('a commission is a rate of the value of the shares, half a cent is rounded up', () => {
  // 0.50 % of 400 shares at 25.00.
  assert.equal(commissionOf(50, 400, 2_500), 5_000)
  // 0.25 % of 2.00 is half a cent.
  assert.equal(commissionOf(25, 1, 200), 1)
  assert.equal(commissionOf(24, 1, 200), 0)
})

test('all rates of tax are added before the tax is rounded', () => {
  // 20 % and 5.5 % of 10.01.
  assert.equal(taxOf(1_001, [20_000, 5_500]), 255)
  assert.equal(taxOf(0, [20_000]), 0)
})

test('a sale brings its value without the costs, a purchase costs its value and the costs', () => {
  const trade = { quantity: 100, price: 2_000, charge: 300, commission: 700, tax: 50 }
  assert.equal(settlementAmount({ ...trade, isSell: true, taxStatus: 2 }), 199_000)
  assert.equal(settlementAmount({ ...trade, isSell: false, taxStatus: 2 }), -201_000)
})

test('tax is withheld from accounts of status 1 only', () => {
  const trade = { isSell: true, quantity: 1, price: 1_000, charge: 0, commission: 0, tax: 40 }
  const amounts = [0, 1, 2].map((taxStatus) => settlementAmount({ ...trade, taxStatus }))
  assert.deepEqual(amounts, [1_000, 960, 1_000])
})

test('a settlement is due at midnight two days later', () => {
  const due = settlementDueDate(Date.UTC(2005, 0, 31, 16, 59, 59, 999))
  assert.equal(new Date(due).toISOString(), '2005-02-02T00:00:00.000Z')
})
