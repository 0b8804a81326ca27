// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { Histogram, Registry } from '@prometheus-io/client'
import { DurationMetric } from './duration-metric.ts'

const NAME = 'percolite_some_duration_seconds'
const HELP = 'How long something took.'
const BOUNDS_MS = [0.05, 0.5, 2.5, 10, 100, 30_000]
const DURATIONS_MS = [0, ...BOUNDS_MS, 125, 250, 40_000]

test('durations are written as the histogram of the package writes them', async () => {
  const own = new Registry()
  const metric = new DurationMetric({ name: NAME, help: HELP, label: 'phase', boundsMs: BOUNDS_MS })
  metric.register(own)
  const others = new Registry()
  const histogram = new Histogram({
    name: NAME,
    help: HELP,
    labelNames: ['phase'],
    buckets: BOUNDS_MS.map((ms) => ms / 1000),
    registers: [others],
  })
  assert.equal(await own.metrics(), await others.metrics())
  metric.of('wait "a\\b"')
  histogram.zero({ phase: 'wait "a\\b"' })
  for (const ms of DURATIONS_MS) {
    metric.of('sync').add(ms)
    histogram.observe({ phase: 'sync' }, ms / 1000)
    const withoutSum = (text: string) => text.replace(/_sum\{.*\} \S+/g, '')
    assert.equal(withoutSum(await own.metrics()), withoutSum(await others.metrics()))
  }
  const [, sum] = /_sum\{phase="sync"\} (\S+)/.exec(await own.metrics()) ?? []
  const seconds = DURATIONS_MS.reduce((total, ms) => total + ms, 0) / 1000
  assert.equal(Number(sum), seconds)
})

test('durations without a label are a single histogram, also before there is one', async () => {
  const own = new Registry()
  const metric = new DurationMetric({ name: NAME, help: HELP, boundsMs: BOUNDS_MS })
  metric.register(own)
  metric.of()
  const others = new Registry()
  const buckets = BOUNDS_MS.map((ms) => ms / 1000)
  const histogram = new Histogram({ name: NAME, help: HELP, buckets, registers: [others] })
  assert.equal(await own.metrics(), await others.metrics())
  metric.of().add(250)
  histogram.observe(0.25)
  assert.equal(await own.metrics(), await others.metrics())
})

test('the buckets of all values of a label are told together', () => {
  const metric = new DurationMetric({ name: NAME, help: HELP, label: 'phase', boundsMs: [1, 2] })
  assert.deepEqual(metric.buckets, [
    { bound: 1, count: 0 },
    { bound: 2, count: 0 },
    { bound: Number.POSITIVE_INFINITY, count: 0 },
  ])
  for (const ms of [1, 2]) metric.of('sync').add(ms)
  metric.of('wait').add(3)
  assert.deepEqual(
    metric.buckets.map(({ count }) => count),
    [1, 2, 3],
  )
})
