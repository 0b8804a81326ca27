// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readCall } from '../harness/command-line.ts'
import { runShortly, testWithPeer } from '../servers/peer-tests.ts'
import { filesSuite } from './files-suite.ts'

const { options } = readCall([], filesSuite)

testWithPeer('postgres', 'loading tells what was written and what the files take', async () => {
  const few = { ...options, rows: '500', 'restart-rows': '500' }
  const [loading, restart] = filesSuite.experiments(few)
  assert.ok(loading && restart)
  const { samples } = await runShortly(loading)
  assert.equal(samples.size, 4)
  for (const [name, [sample]] of samples) {
    const { writtenTimes = 0, filesTimes = 0 } = sample?.figures ?? {}
    // Whatever is there has been written, but for pages that are only reserved.
    assert.ok(filesTimes > 1, `${name}: ${filesTimes}`)
    assert.ok(writtenTimes > 1, `${name}: ${writtenTimes}`)
  }
  const { residentMiB = 0, startSeconds = 0 } =
    (await runShortly(restart)).samples.get('load, kill -9, start')?.[0]?.figures ?? {}
  assert.ok(residentMiB > 10)
  assert.ok(startSeconds > 0)
})
