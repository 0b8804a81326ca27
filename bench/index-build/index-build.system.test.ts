// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { runShortly, testWithServers } from '../servers/peer-tests.ts'
import { indexBuildSuite } from './index-build-suite.ts'

testWithServers('an index is built under writers, and agrees with its rows', async () => {
  const [experiment] = indexBuildSuite.experiments({ rows: '2000' })
  assert.ok(experiment)
  const { samples } = await runShortly(experiment)
  const [before, during, after, check] = [...samples.values()].map(([sample]) => sample)
  for (const sample of [before, during, after]) assert.ok(Number(sample?.latency?.count) > 0)
  assert.ok(Number(during?.figures?.buildRowsPerSecond) > 0)
  assert.equal(check?.operations, 2_000)
  assert.equal(check?.figures?.wrongEntries, 0)
})
