// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Engine, Session, Transaction } from '../engine.ts'
import { TEST_POPULATION } from '../engines/engine-tests.ts'
import { NullEngine } from '../engines/null-engine.ts'
import { BrokerageDriver } from './brokerage-driver.ts'
import { isMarketCall } from './transaction-names.ts'

const NEVER = new AbortController().signal

/** Answers out of nothing, but first lets each transaction that begins run `before`. */
function engineWhose(before: () => Promise<void> | void): Engine & { closed: number } {
  const engine = new NullEngine()
  return Object.assign(engine, {
    closed: 0,
    async connect(this: { closed: number }): Promise<Session> {
      const session = await NullEngine.prototype.connect.call(engine)
      return {
        begin: async (): Promise<Transaction> => {
          await before()
          return await session.begin({})
        },
        close: async () => {
          this.closed += 1
        },
      }
    },
  })
}

async function drive(
  context: TestContext,
  engine: Engine,
  order: { readonly users: number; readonly pace?: number },
) {
  const driver = await BrokerageDriver.open({
    ...{ engine, population: TEST_POPULATION },
    ...order,
  })
  context.after(() => driver.close())
  return driver
}

/** All that customers have called, and the p50 of it in milliseconds. */
function calledBy(driver: BrokerageDriver) {
  const calls = driver
    .takeTally()
    .figures()
    .filter(({ name }) => !isMarketCall(name))
  const status = calls.find(({ name }) => name === 'Trade-Status')
  return {
    count: calls.reduce((sum, { ended }) => sum + ended, 0),
    p50: status?.latency.p50 ?? 0,
    attemptP50: status?.attemptLatency.p50 ?? 0,
  }
}

test('at a pace, customers call as often as the pace wants, however many there are', async (context) => {
  const driver = await drive(context, new NullEngine(), { users: 2, pace: 20 })
  driver.start()
  await driver.letRun(1_000, NEVER)
  await driver.finish()
  const { count } = calledBy(driver)
  // 8.9 calls for each of 20 trade results in the second.
  assert.ok(count > 150 && count < 230, `${count} calls`)
})

test('at a pace that is too fast a call counts from when it should have begun, and the run ends', async (context) => {
  // One user at 20 ms each: 50 of 890 calls in a second.
  const driver = await drive(
    context,
    engineWhose(() => delay(20)),
    { users: 1, pace: 100 },
  )
  driver.start()
  await driver.letRun(1_000, NEVER)
  const endedMs = performance.now()
  await driver.finish()
  assert.ok(performance.now() - endedMs < 10_000, 'it does not work off what is waiting')
  const { count, p50, attemptP50 } = calledBy(driver)
  assert.ok(count < 100, `${count} calls`)
  assert.ok(p50 > 100 && p50 > 3 * attemptP50, `p50 ${p50} ms, the attempts alone ${attemptP50} ms`)
})

test('what goes wrong ends the run, and closing it leaves nothing behind', async () => {
  let begun = 0
  const engine = engineWhose(() => {
    begun += 1
    if (begun > 500) throw new Error('planted')
  })
  const driver = await BrokerageDriver.open({
    ...{ engine, population: TEST_POPULATION, users: 4 },
  })
  driver.start()
  await assert.rejects(driver.letRun(60_000, NEVER), /planted/)
  await driver.close()
  assert.equal(engine.closed, 4 + 4, 'a connection for each customer, and four for the market')
  const begunAtClose = begun
  await delay(50)
  assert.equal(begun, begunAtClose, 'nothing is asked any more')
})
