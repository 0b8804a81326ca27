// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readCall } from '../harness/command-line.ts'
import { failuresOf, reportExperiment } from '../report/report.ts'
import { runShortly, testWithServers } from '../servers/peer-tests.ts'
import { pairsSuite } from './pairs-suite.ts'

const ONE = ['--only', 'rows', '--rows', '100']

testWithServers('a pair tells the ratio of processor time, and fails above the bound', async () => {
  const [experiment] = readCall([...ONE, '--at-most', '0.001'], pairsSuite).experiments
  assert.ok(experiment)
  const reported = reportExperiment(await runShortly(experiment))
  const [ratio] = reported.goals
  assert.ok(ratio && ratio.measured.median > 0)
  assert.match(failuresOf({ experiments: [reported] }).join(), /^rows: .*, not 0\.001$/)
  const unbound = { ...reported, goals: [{ ...ratio, isRequired: false }] }
  assert.deepEqual(failuresOf({ experiments: [unbound] }), [])
})
