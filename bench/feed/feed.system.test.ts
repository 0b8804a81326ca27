// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCall } from '../harness/command-line.ts'
import type { Experiment } from '../harness/experiment.ts'
import { goalsOf, runShortly, testWithServers } from '../servers/peer-tests.ts'
import { feedSuite } from './feed-suite.ts'

const { options } = readCall([], feedSuite)

function experimentOf(name: string, contenders?: readonly string[]): Experiment {
  const found = feedSuite.experiments(options).find((one) => one.name === name)
  assert.ok(found)
  if (contenders === undefined) return { ...found, seconds: 0.4, repetitions: 1, goals: [] }
  const chosen = found.contenders.filter((one) => contenders.includes(one.name))
  assert.equal(chosen.length, contenders.length)
  return { ...found, contenders: chosen, seconds: 0.4, repetitions: 1, goals: [] }
}

testWithServers('frames are timed at each subscriber, and counted', async () => {
  const { samples } = await runShortly(experimentOf('frames', ['100 subscribers']))
  const [sample] = samples.get('100 subscribers') ?? []
  assert.equal(sample?.operations, 40)
  const { frameP50Ms = 0, frameP99Ms = 0, residentMiB = 0 } = sample.figures ?? {}
  assert.ok(frameP50Ms > 0 && frameP99Ms >= frameP50Ms && residentMiB > 0)
})

testWithServers('a fan-out counts one message for each subscriber', async () => {
  const { samples } = await runShortly(experimentOf('fan-out', ['100 subscribers']))
  const [sample] = samples.get('100 subscribers') ?? []
  assert.ok(sample !== undefined && sample.operations > 0 && sample.operations % 100 === 0)
})

testWithServers('who stops reading gets everything afterwards', async () => {
  const { samples } = await runShortly(experimentOf('slow-reader'))
  const [all, one] = [...samples.values()].map(([sample]) => sample)
  assert.equal(all?.figures?.wrongFrames, undefined)
  assert.equal(one?.figures?.wrongFrames, 0)
  assert.ok(Number(one?.figures?.framesBehind) > 0)
})

testWithServers('writers that tell of one row conflict, and hints do not', async () => {
  const { samples } = await runShortly(experimentOf('hot-row'))
  const [strong, weak] = [...samples.values()].map(([sample]) => sample?.figures)
  assert.ok(Number(strong?.conflictsPerSecond) > 0)
  assert.equal(weak?.conflictsPerSecond, 0)
  assert.ok(Number(strong?.runsPerSecond) + Number(weak?.runsPerSecond) > 0)
})

testWithServers('observers run in the server and elsewhere', async () => {
  const { samples } = await runShortly(experimentOf('observers'))
  for (const [name, [sample]] of samples) assert.ok(Number(sample?.operations) > 0, name)
})

test('the goals of the feed are there with their must and their aim', () => {
  const goals = goalsOf(feedSuite.experiments(options))
  assert.deepEqual(goals.slice(0, 3), [
    ['commit -> WebSocket frame p99, 100 subscribers, 100 commits/s', 20, 5],
    ['fan-out, 100 subscribers, messages/s', 80_000, 150_000],
    ['fan-out, 1,000 subscribers, messages/s', 40_000, 80_000],
  ])
})
