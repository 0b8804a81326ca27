// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../harness/sample.ts'
import { fitLine, lineThroughZero } from './line-fit.ts'

const near = (found: number | undefined, wanted: number) =>
  assert.ok(Math.abs((found ?? Number.NaN) - wanted) < 1e-9, `${found} is not ${wanted}`)

test('points off the line: the least squares through 0', () => {
  // By hand: (1*2 + 2*3) / (1 + 4) = 1.6; off the line 0.16 + 0.04, off their mean 2.5 it is 0.5.
  const { slope, r2 } = lineThroughZero([
    { x: 1, y: 2 },
    { x: 2, y: 3 },
  ])
  near(slope, 1.6)
  near(r2, 1 - 0.2 / 0.5)
})

const FIT = {
  what: 'TR/s per core used',
  contenders: ['wide-1', 'wide-2', 'not run'],
  x: 'figures.coresUsed',
  y: 'operationsPerSecond',
} as const

function sample(coresUsed: number, operations: number): Sample {
  return { operations, seconds: 2, cpuSeconds: 2 * coresUsed, figures: { coresUsed } }
}

test('a fit has a point for each sample; one whose CPU is unknown has none', () => {
  const samples = new Map([
    ['wide-1', [sample(0.5, 20), sample(0.5, 24)]],
    ['wide-2', [sample(1, 44), sample(0, 44)]],
  ])
  const line = fitLine(FIT, samples)
  assert.deepEqual(line?.points, [
    { contender: 'wide-1', x: 0.5, y: 10 },
    { contender: 'wide-1', x: 0.5, y: 12 },
    { contender: 'wide-2', x: 1, y: 22 },
  ])
  near(line?.slope, 22)
  assert.equal(fitLine(FIT, new Map()), undefined)
})
