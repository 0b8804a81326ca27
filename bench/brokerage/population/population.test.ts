// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../harness/experiment.ts'
import { CustomerChoice } from './customer-choice.ts'
import { firstRunTradeIdentifier, ownerOfAccount, tradeIdentifier } from './identifiers.ts'
import { brokerName, companyName, industryName, sectorName } from './market-facts.ts'
import { symbolOf, taxIdOf } from './names.ts'
import { customerOfRank, Population } from './population.ts'
import { profileOf } from './profiles.ts'

const small = new Population(profileOf('small'), 5n)
const wide = new Population(profileOf('wide-2'), 5n)

function customersOf(population: Population) {
  const numbers = Array.from({ length: population.profile.customers }, (_, number) => number)
  return numbers.map((number) => population.customer(number))
}

test('a load unit has 5000 accounts, and 200, 600 and 200 customers in its tiers', () => {
  for (const population of [small, wide]) {
    const units = population.profile.loadUnits
    const customers = customersOf(population)
    const accounts = customers.reduce((sum, customer) => sum + customer.accounts, 0)
    const tiers = [1, 2, 3].map((tier) => customers.filter((one) => one.tier === tier).length)
    assert.equal(accounts, 5_000 * units)
    assert.deepEqual(tiers, [200 * units, 600 * units, 200 * units])
  }
})

test('ranks are scattered over all customers of a unit, in each unit differently', () => {
  const profile = profileOf('wide-2')
  const places = [0, 1].map((unit) =>
    Array.from({ length: 1_000 }, (_, rank) => customerOfRank(profile, unit, rank)),
  )
  for (const unit of places) assert.equal(new Set(unit).size, 1_000)
  assert.notDeepEqual(places[0], places[1])
  for (const rank of [0, 199, 200, 999]) {
    const customer = wide.customer(1_000 + customerOfRank(profile, 1, rank))
    assert.equal(customer.tier, rank < 200 ? 1 : rank < 800 ? 2 : 3)
  }
})

test('the tiers have 10, 60 and 30 percent of all choices', () => {
  const choice = new CustomerChoice(wide)
  const picks = [0, 0, 0, 0]
  const draws = 40_000
  const random = wide.random.row(200, 0)
  for (let draw = 0; draw < draws; draw += 1) {
    const { tier } = choice.choose(random)
    picks[tier] = (picks[tier] as number) + 1
  }
  for (const [tier, share] of [0, 0.1, 0.6, 0.3].entries()) {
    assert.ok(Math.abs((picks[tier] as number) / draws - share) < 0.01, String(picks))
  }
})

test('accounts are as many, as taxed and as rich as they are meant to be', () => {
  const accounts = customersOf(small).flatMap((customer) =>
    Array.from({ length: customer.accounts }, (_, ordinal) => small.account(customer, ordinal)),
  )
  const share = (counts: (account: (typeof accounts)[number]) => boolean) =>
    accounts.filter(counts).length / accounts.length
  assert.equal(new Set(accounts.map(({ id }) => id)).size, 5_000)
  assert.equal(new Set(accounts.map(({ brokerId }) => brokerId)).size, 10)
  for (const [status, expected] of [0.2, 0.5, 0.3].entries()) {
    assert.ok(Math.abs(share(({ taxStatus }) => taxStatus === status) - expected) < 0.03)
  }
  assert.ok(Math.abs(share(({ balance }) => balance < 0) - 0.2) < 0.03)
  const permissions = accounts.reduce((sum, account) => sum + account.permissions.length, 0)
  assert.ok(Math.abs(permissions / accounts.length - 1.42) < 0.03)
  for (const account of accounts.slice(0, 200)) {
    assert.deepEqual(small.accountWithId(account.id), account)
    assert.equal(ownerOfAccount(account.id).customer, account.customer.number)
    const agents = account.permissions.map(({ taxId }) => taxId)
    assert.equal(new Set(agents).size, agents.length)
    assert.equal(agents[0], account.customer.taxId)
  }
})

test('baskets have 10 different securities on average, 18 at most', () => {
  const baskets = customersOf(wide).flatMap((customer) =>
    Array.from({ length: customer.accounts }, (_, ordinal) => wide.basket(customer, ordinal)),
  )
  const sizes = baskets.map((basket) => basket.length)
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  assert.ok(Math.abs(mean - 10) < 0.15, String(mean))
  assert.deepEqual([Math.min(...sizes), Math.max(...sizes)], [2, 18])
  for (const basket of baskets) assert.equal(new Set(basket).size, basket.length)
})

test('of 101 trade ids one is left out, and runs begin behind them', () => {
  const ids = Array.from({ length: 57_600 }, (_, number) => tradeIdentifier(number))
  assert.equal(new Set(ids).size, ids.length)
  const offsets = ids.map((id) => id - 200_000_000_000_000)
  assert.ok(offsets.every((offset) => offset % 101 !== 51))
  assert.deepEqual(offsets.slice(49, 54), [49, 50, 52, 53, 54])
  assert.equal(offsets[100], 101)
  assert.equal(firstRunTradeIdentifier(57_600), 200_000_000_000_000 + 576 * 101)
})

test('different things have different names', () => {
  const distinct = (count: number, nameOf: (number: number) => string) =>
    assert.equal(new Set(Array.from({ length: count }, (_, number) => nameOf(number))).size, count)
  distinct(50_000, symbolOf)
  distinct(100_000, taxIdOf)
  distinct(50_000, companyName)
  distinct(1_000, brokerName)
  distinct(102, industryName)
  distinct(12, sectorName)
})

test('a profile that does not exist is a wrong call', () => {
  for (const name of ['huge', 'wide-0', 'wide-', 'constructor']) {
    assert.throws(() => profileOf(name), UsageError, name)
  }
  assert.equal(profileOf('official-shape').trades, 300 * 57_600 * 5)
})
