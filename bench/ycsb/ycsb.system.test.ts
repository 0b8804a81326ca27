// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCall } from '../harness/command-line.ts'
import { UsageError } from '../harness/experiment.ts'
import { runShortly, testWithServers } from '../servers/peer-tests.ts'
import { CORE_WORKLOADS } from './core-workloads.ts'
import { ycsbSuite } from './ycsb-suite.ts'

const { options } = readCall([], ycsbSuite)

testWithServers(
  'all workloads run on one loading, each with the operations of its mix',
  async () => {
    const stores = 'percolite,better-sqlite3'
    const [experiment] = ycsbSuite.experiments({ ...options, stores, records: '200', clients: '2' })
    assert.ok(experiment)
    const { samples } = await runShortly({ ...experiment, seconds: 0.1 })
    assert.equal(samples.size, CORE_WORKLOADS.length * 2)
    for (const { name, mix } of CORE_WORKLOADS) {
      for (const store of stores.split(',')) {
        const sample = samples.get(`${name} ${store}`)?.[0]
        assert.ok(sample && sample.operations > 0, `${name} ${store}`)
        const kinds = Object.keys(sample.figures ?? {}).filter((figure) => figure.endsWith('P50Ms'))
        assert.ok(kinds.length > 0)
        for (const kind of kinds) assert.ok(kind.replace('P50Ms', '') in mix, `${kind} in ${name}`)
        assert.ok(Number(sample.figures?.loadSeconds) > 0)
      }
    }
  },
)

test('a wrong flag is refused before anything starts, naming what there is', () => {
  for (const [flag, value, message] of [
    ['workloads', 'a,g', /there is no g, but a, b, c, f, d, e/],
    ['keys', 'random', /there is no random, but zipfian, uniform/],
    ['stores', 'oracle', /there is no oracle, but percolite/],
    ['records', '0', /a whole number/],
    ['clients', '1,x', /a whole number/],
  ] as const) {
    assert.throws(
      () => ycsbSuite.experiments({ ...options, [flag]: value }),
      (error) => error instanceof UsageError && message.test(error.message),
    )
  }
})
