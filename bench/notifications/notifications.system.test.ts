// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { failuresOf, reportExperiment } from '../report/report.ts'
import { runShortly } from '../servers/peer-tests.ts'
import { oneCommit } from './one-commit.ts'
import { placesOf, scanning } from './scanning.ts'

describe('workers that look for notifications', () => {
  test('find and run them, with a value for each quarter of a second', async () => {
    const size = { rows: 2_000, dirty: 500, seconds: 1, repetitions: 1 }
    const { samples } = await runShortly(scanning(size))
    for (const [name, [sample]] of samples) {
      assert.ok(Number(sample?.operations) > 0, name)
      const { places = [], runs = [] } = sample?.overTime?.values ?? {}
      assert.equal(places.length, runs.length)
      assert.ok(places.length > 0 && places.every((count) => count >= 1 && count <= 8), name)
    }
  })

  test('are in as many places as there are groups of them, on a ring', () => {
    assert.equal(placesOf([0, 100, 200, 300], 400), 4)
    assert.equal(placesOf([0, 1, 2, 300], 400), 2)
    assert.equal(placesOf([399, 0, 1], 400), 1)
    assert.equal(placesOf([7, 7, 7], 400), 1)
  })
})

describe('several runs of one change', () => {
  test('begin, and exactly one of them commits', async () => {
    const measured = await runShortly(oneCommit())
    for (const [name, [sample]] of measured.samples) {
      const { changes = 0, runsBegun, runsCommitted, rowsDerived } = sample?.figures ?? {}
      assert.ok(changes > 0, name)
      assert.deepEqual([runsBegun, runsCommitted, rowsDerived], [4 * changes, changes, changes])
    }
    const experiments = [reportExperiment(measured)]
    assert.deepEqual(failuresOf({ experiments } as never), [])
  })
})
