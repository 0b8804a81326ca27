// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tally } from '../driver/tally.ts'
import {
  TRANSACTION_NAMES,
  TRANSACTIONS,
  type TransactionName,
} from '../driver/transaction-names.ts'
import { failuresOf, type RunSummary, sampleOf } from './run-sample.ts'

const holds = { number: 1, title: 'something holds', problems: 0, examples: [] }

/** A run of 100,000 transactions with the right mix, but for what is changed. */
function summaryWith(
  changes: Readonly<Partial<Record<TransactionName, number>>>,
  more: Partial<RunSummary> = {},
): RunSummary {
  const tally = new Tally()
  for (const name of TRANSACTION_NAMES) {
    const count = 100 * TRANSACTIONS[name].weight + (changes[name] ?? 0)
    for (let one = 0; one < count; one += 1) tally.ended(name, { total: 2, attempt: 1 })
  }
  return {
    engine: { name: 'test', description: 'no engine' },
    ...{ seconds: 100, users: 8, nominal: 2, isPaced: false },
    transactions: tally.figures(),
    cpu: { engine: 50, driver: 20 },
    ...{ waiting: 0, cancelledBefore: 0, cancelledAfter: 0, diskBytes: 2 ** 20, killed: false },
    ...{ checks: [holds], checksAfterCleanup: [holds] },
    ...more,
  }
}

test('a run that keeps the mix counts, and its figures are per second, per core and per transaction', () => {
  const sample = sampleOf(summaryWith({}))
  assert.deepEqual(sample.findings?.failures, [])
  assert.equal(sample.operations, 10_000)
  assert.equal(sample.figures?.resultsPerCore, 200)
  assert.equal(sample.figures?.transactionsPerSecond, 1_000)
  assert.equal(sample.figures?.cpuMicrosPerTransaction, 500)
  assert.ok(sample.findings?.lines.includes('1 of 1 checks hold'))
})

test('a kind that is off by more than half a point and chance fails the run', () => {
  assert.deepEqual(failuresOf(summaryWith({ 'Market-Watch': 700 })), [])
  assert.match(
    failuresOf(summaryWith({ 'Market-Watch': 1_500 })).join(),
    /mix is off: Market-Watch/,
  )
})

test('orders that the market does not execute fail the run', () => {
  assert.match(
    failuresOf(summaryWith({ 'Trade-Result': -1_500 })).join(),
    /^0\.842 trade results for each order/,
  )
})

test('a check that does not hold fails the run and is said with its examples', () => {
  const broken = { ...holds, number: 7, problems: 2, examples: ['this', 'that'] }
  const failures = failuresOf(summaryWith({}, { checksAfterCleanup: [holds, broken] }))
  assert.deepEqual(failures[0], '1 of 2 checks hold')
  assert.match(failures.join('\n'), /check 7 does not hold.*\n.*this/)
})

test('what has no database fails by nothing', () => {
  const summary = summaryWith({ 'Trade-Result': -5_000 }, { checks: [], checksAfterCleanup: [] })
  assert.deepEqual(failuresOf(summary), [])
})
