// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Goal } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { spreadOf } from './statistics.ts'
import { judge, verdictOf } from './verdict.ts'

const perSecond = (operations: number): Sample => ({ operations, seconds: 1, cpuSeconds: 1 })

const GOAL: Goal = { what: 'a / b', of: 'a', to: 'b', must: 0.5, aim: 0.9 }

test('a ratio is taken between neighbours first, and only then the median', () => {
  // The machine is ten times slower in the last two repetitions; the medians' own ratio would be 0.1.
  const samples = new Map([
    ['a', [80, 80, 8, 8, 8].map(perSecond)],
    ['b', [100, 100, 100, 10, 10].map(perSecond)],
  ])
  const judged = judge(GOAL, samples)
  assert.deepEqual(judged?.values, [0.8, 0.8, 0.08, 0.8, 0.8])
  assert.equal(judged?.measured.median, 0.8)
  assert.equal(judged?.verdict, 'must reached')
})

test('a rate that another program held down shows in the ratio, and not in the ratio by CPU', () => {
  const costing = (operations: number, cpuSeconds: number) => ({
    ...perSecond(operations),
    cpuSeconds,
  })
  const samples = new Map([
    ['a', [costing(20, 0.5)]],
    ['b', [costing(100, 1)]],
  ])
  const judged = judge(GOAL, samples)
  assert.equal(judged?.measured.median, 0.2)
  assert.equal(judged?.byCpu?.median, 0.4)
})

test('a bound that is met exactly is reached, in either direction', () => {
  const verdicts = [0.49, 0.5, 0.89, 0.9].map((value) => verdictOf(value, GOAL))
  assert.deepEqual(verdicts, ['below must', 'must reached', 'must reached', 'aim reached'])
  const cost = { must: 400, aim: 200, smallerIsBetter: true }
  const costs = [401, 400, 201, 200].map((value) => verdictOf(value, cost))
  assert.deepEqual(costs, ['below must', 'must reached', 'must reached', 'aim reached'])
})

test('a goal without a second contender judges the figure itself', () => {
  const samples = new Map([['a', [{ ...perSecond(1), figures: { peakMiB: 150 } }]]])
  const goal = { ...GOAL, figure: 'figures.peakMiB', must: 400, aim: 200, smallerIsBetter: true }
  const { to: _, ...alone } = goal
  assert.equal(judge(alone as Goal, samples)?.verdict, 'aim reached')
})

test('a goal that nothing was measured for is not judged, and one of nobody is refused', () => {
  assert.equal(judge(GOAL, new Map([...'ab'].map((name) => [name, []]))), undefined)
  assert.throws(() => judge(GOAL, new Map()), /names no contender "a"/)
})

test('the spread of five values has the second and the fourth as quartiles', () => {
  assert.deepEqual(spreadOf([5, 1, 4, 2, 3]), { median: 3, min: 1, max: 5, lower: 2, upper: 4 })
  assert.deepEqual(spreadOf([1, 2]).median, 1.5)
})
