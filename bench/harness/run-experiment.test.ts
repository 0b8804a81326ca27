// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { testFolder } from '../../test/test-folder.ts'
import type { Contender, Experiment } from './experiment.ts'
import { Progress } from './progress.ts'
import { type RunSettings, runExperiment } from './run-experiment.ts'
import { type ProcessorTime, processorTime } from './stolen-time.ts'

const settings = (signal = new AbortController().signal): RunSettings => ({
  ...{ seconds: 2, repetitions: 3, dataFolder: tmpdir(), signal },
  progress: new Progress(new PassThrough() as unknown as NodeJS.WriteStream),
  processorTime: async () => undefined,
})

/**
 * The clock of a host that takes these shares of the processor time, one during each sample
 * and the last one during all that come after.
 */
function timeOfHost(...shares: readonly number[]): () => Promise<ProcessorTime> {
  let [wanted, stolen] = [0, 0]
  let isAfter = true
  let sample = -1
  return async () => {
    isAfter = !isAfter
    if (isAfter) {
      sample += 1
      wanted += 100
      stolen += 100 * (shares[Math.min(sample, shares.length - 1)] ?? 0)
    }
    return { wanted, stolen }
  }
}

/** Contenders that write down what happens to them. */
function recorded(names: string, run: (name: string) => void = () => {}) {
  const events: string[] = []
  const contenderNamed = (name: string): Contender => ({
    name,
    async open() {
      events.push(`open ${name}`)
      return {
        async run(seconds) {
          events.push(`${name}${seconds}`)
          run(name)
          return { operations: 1, seconds, cpuSeconds: 0 }
        },
        async close() {
          events.push(`close ${name}`)
        },
      }
    },
  })
  const contenders = [...names].map(contenderNamed)
  const experiment: Experiment = {
    ...{ name: 'test', title: 'test', unit: 'operations', goals: [] },
    contenders,
  }
  return { events, experiment }
}

test('contenders run in turn, forwards and backwards and rotated, after one warm-up each', async () => {
  const { events, experiment } = recorded('ABC')
  const { samples } = await runExperiment(experiment, settings())
  const opened = 'open A,open B,open C'
  const warmUp = 'A1,B1,C1'
  const turns = 'A2,B2,C2,C2,B2,A2,B2,C2,A2'
  assert.equal(events.join(), `${opened},${warmUp},${turns},close C,close B,close A`)
  assert.deepEqual(
    [...samples].map(([name, taken]) => `${name}${taken.length}`),
    ['A3', 'B3', 'C3'],
  )
})

test('each sample says what the host of the machine took meanwhile', async (t) => {
  if ((await processorTime()) === undefined) return t.skip('the system does not tell')
  const { experiment } = recorded('A')
  const { samples } = await runExperiment(experiment, { ...settings(), processorTime })
  const taken = samples.get('A') ?? []
  assert.equal(taken.length, 3)
  for (const { stolenShare = -1 } of taken) {
    assert.ok(stolenShare >= 0 && stolenShare <= 1, String(stolenShare))
  }
})

test('of all samples a quarter may be taken again, each behind the first try', async () => {
  const { events, experiment } = recorded('AB')
  const disturbed = { ...settings(), processorTime: timeOfHost(0.5) }
  const { samples, retakes } = await runExperiment(experiment, { ...disturbed, repetitions: 4 })
  assert.equal(retakes, 2)
  assert.equal(events.slice(2, -2).join(), 'A1,B1,A2,A2,A2,B2,B2,A2,B2,A2,A2,B2')
  assert.deepEqual(
    [...samples.values()].map((taken) => taken.length),
    [4, 4],
  )
})

test('a run that is interrupted or fails closes everything and leaves no folder', async (t) => {
  const parent = await testFolder(t, 'bench-test')
  const interruption = new AbortController()
  const { events, experiment } = recorded('AB', (name) => {
    if (name === 'B') interruption.abort(new Error('interrupted'))
  })
  let folder = ''
  const withFolder: Contender = {
    name: 'F',
    async open({ temporaryFolder }) {
      folder = await temporaryFolder('data')
      assert.ok(existsSync(folder))
      throw new Error('cannot be opened')
    },
  }
  await assert.rejects(runExperiment(experiment, settings(interruption.signal)), /interrupted/)
  assert.deepEqual(events.slice(-2), ['close B', 'close A'])

  const second = recorded('A')
  const contenders = [...second.experiment.contenders, withFolder]
  const failing = { ...second.experiment, contenders }
  await assert.rejects(
    runExperiment(failing, { ...settings(), dataFolder: parent }),
    /cannot be opened/,
  )
  assert.deepEqual(second.events, ['open A', 'close A'])
  assert.ok(folder.startsWith(parent) && !existsSync(folder))
})

test('one that cannot be closed keeps nobody else open, and hides no failure', async (t) => {
  const parent = await testFolder(t, 'bench')
  let isBroken = false
  const { events, experiment } = recorded('A', () => {
    if (isBroken) throw new Error('cannot be run')
  })
  const stuck: Contender = {
    name: 'S',
    async open({ temporaryFolder }) {
      await temporaryFolder('data')
      return {
        run: async (seconds) => ({ operations: 1, seconds, cpuSeconds: 0 }),
        close: () => Promise.reject(new Error('cannot be closed')),
      }
    },
  }
  const both = { ...experiment, contenders: [...experiment.contenders, stuck] }
  const run = () => runExperiment(both, { ...settings(), dataFolder: parent })
  await assert.rejects(run(), /cannot be closed/)
  assert.equal(events.at(-1), 'close A')
  isBroken = true
  await assert.rejects(run(), /cannot be run/)
  assert.equal(events.at(-1), 'close A')
  assert.deepEqual(await readdir(parent), [])
})
