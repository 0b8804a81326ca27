import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from './test-app.ts'

const LOT = `INSERT INTO lot (id, title, seller, least, ends) VALUES ('vase', 'A vase', 'ann', 10, :ends)`

test('a lot is sold to its best bid when its time has come, by itself', async (t) => {
  const { as } = await startTestApp(t)
  const [ann, bob, eve] = [as('ann'), as('bob'), as('eve')]
  await ann.query(LOT, { ends: new Date(Date.now() + 1500) })
  await bob.query("INSERT INTO bid (lot, amount, bidder) VALUES ('vase', 12, 'bob')")
  await eve.query("INSERT INTO bid (lot, amount, bidder) VALUES ('vase', 15.50, 'eve')")
  for await (const [sale] of bob.live("GET * FROM sale WHERE lot = 'vase'")) {
    if (sale === undefined) continue
    return assert.deepEqual(sale, { lot: 'vase', buyer: 'eve', price: '15.50' })
  }
})

test('nobody bids for another, or sells by hand', async (t) => {
  const { as } = await startTestApp(t)
  const bob = as('bob')
  const bid = "INSERT INTO bid (lot, amount, bidder) VALUES ('vase', 99, 'eve')"
  await assert.rejects(bob.query(bid), { code: 'rule_violated' })
  const sale = "INSERT INTO sale (lot, buyer, price) VALUES ('vase', 'bob', 1)"
  await assert.rejects(bob.query(sale), { code: 'not_permitted' })
})
