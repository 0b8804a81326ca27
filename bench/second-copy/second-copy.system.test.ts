// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readCall } from '../harness/command-line.ts'
import { runShortly, testWithServers } from '../servers/peer-tests.ts'
import { secondCopySuite } from './second-copy-suite.ts'

const { options } = readCall([], secondCopySuite)

testWithServers('a pair is measured with the commits that its standby gets', async () => {
  const [experiment] = secondCopySuite.experiments({ ...options, rows: '100' })
  assert.ok(experiment)
  const contenders = experiment.contenders.filter(({ name }) => name === 'required')
  const { samples } = await runShortly({ ...experiment, contenders, goals: [], warmUpSeconds: 0 })
  const [sample] = samples.get('required') ?? []
  assert.ok(sample && sample.operations > 0)
  assert.ok(Number(sample.figures?.bytesPerCommit) > 50)
  assert.ok(Number(sample.figures?.standbyDelayP99Ms) > 0)
})
