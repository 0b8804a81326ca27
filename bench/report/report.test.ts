// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import type { Experiment } from '../harness/experiment.ts'
import { gatherFacts, makeReport } from './report.ts'

const description = { name: 'test', title: 'test', unit: 'operations' }
const experiment: Experiment = { ...description, contenders: [], goals: [] }

/** What the head of a report says of samples that lost these shares of their processor time. */
async function notesOf(retakes: number, ...shares: (number | undefined)[]): Promise<string> {
  const samples = shares.map((stolenShare) => ({
    ...{ operations: 1, seconds: 1, cpuSeconds: 0 },
    ...(stolenShare === undefined ? {} : { stolenShare }),
  }))
  const facts = await gatherFacts('test', {}, tmpdir())
  const suite = { title: 'test', defaults: { seconds: 1, repetitions: 1 }, experiments: () => [] }
  const measured = [{ experiment, samples: new Map([['A', samples]]), retakes, tookSeconds: 1 }]
  return makeReport(facts, suite, measured).notes.join('\n')
}

test('the head of a report counts the samples that the host of the machine took time from', async () => {
  assert.match(
    await notesOf(0, 0.5, 0.05, undefined),
    /^In 1 of 3 samples the host .*\(50 % in the worst\)/m,
  )
  assert.doesNotMatch(await notesOf(0, 0.05, undefined), /the host/)
  assert.match(await notesOf(1, 0), /^1 sample was taken again/m)
  assert.match(await notesOf(2, 0), /^2 samples were taken again/m)
})
